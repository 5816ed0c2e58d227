"""Shared base of sources that are Parquet files of one Hub data set: files by split, rows with their place, one document per row.

The Hub converts data sets with a loading script to Parquet on a branch of its own (revision refs/convert/parquet). Its file names
differ from the publisher's, so files are found by a pattern per split (`globs` of catalogue.yaml); with `url` they have the names in `plain`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, NamedTuple, cast

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, Piece, RawFile
from corpora.sources.books import natural
from corpora.sources.catalogue import entry
from corpora.sources.document_source import AGAIN, DocumentSource
from corpora.sources.formats.fields import value_of
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.parquet import check_columns, parquet_batches, rows
from corpora.sources.transport.hub import list_files
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split

CONVERTED = "refs/convert/parquet"


class Row(NamedTuple):
    """One row of a file: its place for errors, a key that is unique in the source, the file's split, and its columns."""

    where: str
    key: str
    split: Split
    fields: dict[str, Any]


class HubRows(OnHub):
    """Options of sources that are Parquet files of one Hub data set.

    Attributes:
        splits: splits to read; test is the publisher's test set, or its validation set if test has no answers.
        files_each: maximum number of files per split.
    """

    splits: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test",)
    files_each: Annotated[int, Field(ge=1)] = 100
    texts: ClassVar[tuple[str, ...]]
    others: ClassVar[tuple[str, ...]] = ()

    @property
    def globs(self) -> dict[Split, str]:
        """Return the pattern of the files of each split."""
        return cast("dict[Split, str]", entry(self.kind)["globs"])

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        commit, wanted = self.resolve(context), [split for split in self.globs if split in self.splits]
        if missing := [split for split in self.splits if split not in self.globs]:
            raise self.error(f"has no split {missing[0]!r}", fix="remove it from `splits`")
        if commit is None:
            names = [entry(self.kind)["plain"][split] for split in wanted]
            return [RawFile(name, f"{(self.url or '').rstrip('/')}/{name}") for name in names]
        listed = (list_files(self.repo, commit, [self.globs[split]]) for split in wanted)
        return [file for files in listed for file in files[: self.files_each]]

    def paths(self, raw: Path, split: Split) -> list[str]:
        """The Parquet files of a split, in order."""
        there = (path.relative_to(raw).as_posix() for path in raw.rglob("*.parquet"))
        found = sorted((path for path in there if self._split(path) == split), key=natural)
        if split in self.splits and not found:
            where = f"source {self.name}: {self.globs[split]}"
            raise SourceError(f"has no file of split {split}", where=where, fix="fetch the source again")
        return found

    def check_shape(self, raw: Path) -> None:
        """Check that every file has the columns."""
        for split in self.splits:
            for path in self.paths(raw, split):
                check_columns(raw, path, self.texts, self.others)

    def batches(self, raw: Path) -> list[Batch]:
        paths = [path for split in self.globs if split in self.splits for path in self.paths(raw, split)]
        return parquet_batches(raw, paths, self.texts[0])

    def records(self, raw: Path, piece: Piece) -> Iterator[Row]:
        """The rows of a piece."""
        split, columns = self._split(piece.path), (*self.texts, *self.others)
        name = "-".join(re.findall(r"\d+", PurePosixPath(piece.path).stem)[:1])
        for number, values in rows(raw, piece, columns):
            key = "-".join(filter(None, (split, name, f"{number:06d}")))
            yield Row(f"{piece.path}: row {number:,}", key, split, dict(zip(columns, values, strict=True)))

    def all_records(self, raw: Path) -> Iterator[Row]:
        """All rows, in order."""
        for batch in self.batches(raw):
            for piece in batch.pieces:
                yield from self.records(raw, piece)

    def _split(self, path: str) -> Split:
        for split in self.globs:
            if path == entry(self.kind)["plain"][split] or fnmatchcase(path, self.globs[split]):
                return split
        raise SourceError("belongs to no split", where=path, fix="fetch the source again")


class Entry(NamedTuple):
    """The document of a row, and its questions."""

    text: str
    title: str
    asked: tuple[DocumentQuestion, ...]


class HubDocuments(DocumentSource, HubRows):
    """Documents of such files, one per row. A subclass reads a row."""

    @abstractmethod
    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        """The document of a row; its id is the row's key. None if the row has no document, after its reason is counted."""

    def arrange(self, stage: Path, context: FetchContext) -> None:
        left_out: Counter[str] = Counter()
        self.check_shape(stage)
        for _ in sound(OddRecords("rows"), self.all_records(stage), lambda row: self.entry(row, left_out)):
            pass  # counts the reasons; `check` refuses too many odd rows
        for reason, count in sorted(left_out.items()):
            context.report(f"{count:,} {reason} are left out")

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for row, found in self._entries(self.records(raw, piece), self._without):
                yield Document(row.key, found.title, row.split, found.text)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        for _, found in self._entries(self.all_records(raw), OddRecords(name)):
            yield from found.asked

    def _entries(self, rows: Iterable[Row], odd: OddRecords) -> Iterator[tuple[Row, Entry]]:
        return sound(odd, rows, lambda row: (row, found) if (found := self.entry(row, Counter())) else None)


def structs(record: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    """A list of objects; a Parquet file may store it as an object of lists of equal length."""
    found = value_of(record, key, where)
    columns = list(found.values()) if isinstance(found, dict) else []
    if columns and all(isinstance(each, list) and len(each) == len(columns[0]) for each in columns):
        found = [dict(zip(found, each, strict=True)) for each in zip(*columns, strict=True)]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise SourceError(f"{key!r} is not a list of objects", where=where, fix=AGAIN)
    return found
