"""NarrativeQA: questions on whole books and film scripts (Kocisky et al. 2018; docs/spec/helmet.md 3, 8).

Kinds: `narrativeqa` (Parquet on the Hub at a pinned commit) and `narrativeqa_mirror` (six stories of LongBench with one question
each, no split train). A row of the Parquet files has one question and the whole story, which repeats about 30 times; a story is one
document here. Bold lines of scripts become paragraphs (scenes, speakers). Numbers in the margin of verse and all other tags are
removed, and entities are decoded, also in questions, answers and titles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from corpora.sources.addressed import Mirrored, OnHub
from corpora.sources.base import Batch, FetchContext, Piece, RawFile
from corpora.sources.books import natural
from corpora.sources.document_source import DocumentSource, document, record_id
from corpora.sources.formats.fields import answers, objects, text, text_of, texts, value_of
from corpora.sources.formats.lines import distinct, json_file, json_lines, line_batches
from corpora.sources.formats.odd_records import sound
from corpora.sources.formats.text_cleanup import without_credits
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from haymaker.core.text.normalize import plain

_SHARDS: dict[str, int] = {"test": 8, "train": 24}
_SHARD_BYTES = 270_000_000
_ROWS_AT_ONCE = 16
_MIRROR_FILE = "narrativeqa.jsonl"
_BOLD_LINE = re.compile(r"^<b>|\s*\n</b>|</b>$", re.M)
_MARGIN = re.compile(r" {3,}_\d+$", re.M)
_FIX = "fetch the source again"


class NarrativeQa(DocumentSource, OnHub):
    """Options of kind `narrativeqa`.

    Attributes:
        train_files: number of the 24 train files to fetch; they contain the worked examples.
    """

    kind: ClassVar[str] = "narrativeqa"
    version = 4
    revision: str | None = "2e643e7363944af1c33a652d1c87320d0871c4e4"
    train_files: Annotated[int, Field(ge=0, le=24)] = 1

    def download_bytes(self) -> int:
        return (_SHARDS["test"] + self.train_files) * _SHARD_BYTES

    def files(self) -> list[RawFile]:
        listed = (f"data/{split}-{i:05d}-of-{n:05d}.parquet" for split, n in _SHARDS.items() for i in range(n))
        return [RawFile(name, f"hf://datasets/{self.repo}/{name}") for name in listed]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        found = sorted(super().raw_files(context), key=lambda file: natural(file.path))
        train = [file for file in found if _split(file.path) == "train"]
        return [file for file in found if file not in train[self.train_files :]]

    def batches(self, raw: Path) -> list[Batch]:
        """A batch is the stories whose first row is in one row group, because a row group is decoded as a whole."""
        firsts = distinct(_rows(raw, ("document.id",)), lambda row: row.story_id)
        groups = groupby(firsts, lambda row: (row.path, row.group))
        return [
            Batch(number, tuple(Piece(row.path, row.number, row.number + 1, row.number) for row in found))
            for number, (_, found) in enumerate(groups)
        ]

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        columns = ("document.id", "document.text", "document.summary.title")
        for path, pieces in groupby(batch.pieces, lambda piece: piece.path):
            rows = _rows_of(raw, path, columns, {piece.start for piece in pieces})
            yield from sound(self._without, rows, _document)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        rows = _rows(raw, ("document.id", "question.text", "answers"))
        return self.sound(name, rows, partial(_question, Counter()))


class NarrativeQaMirror(Mirrored, DocumentSource):
    """Kind `narrativeqa_mirror`; no options."""

    kind: ClassVar[str] = "narrativeqa_mirror"
    version = 4

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_MIRROR_FILE])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for where, record in json_lines(raw, piece):
                yield _story(record, "context", record_id(record, "_id", where), "", "test", where)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        for where, record in json_file(raw, _MIRROR_FILE):
            key, asked = record_id(record, "_id", where), plain(text(record, "input", where), " ")
            given = _answers(texts(record, "answers", where), where)
            yield DocumentQuestion(key, key, "test", "qa", asked, answers=given)


class _Row(NamedTuple):
    """A row of a Parquet file: its path, row group, number from 0, and columns."""

    path: str
    group: int
    number: int
    fields: dict[str, Any]

    @property
    def where(self) -> str:
        return f"{self.path}: row {self.number:,}"

    @property
    def story_id(self) -> str:
        return record_id(self.struct("document"), "id", self.where)

    def struct(self, key: str) -> dict[str, Any]:
        found = value_of(self.fields, key, self.where)
        if not isinstance(found, dict):
            raise SourceError(f"{key!r} is {type(found).__name__}, not an object", where=self.where, fix=_FIX)
        return found


def _document(row: _Row) -> Document:
    story = row.struct("document")
    summary = story.get("summary")
    title = text_of(summary.get("title") or "" if isinstance(summary, dict) else "", "title", row.where)
    return _story(story, "text", row.story_id, plain(title), _split(row.path), row.where)


def _question(so_far: Counter[str], row: _Row) -> DocumentQuestion:
    doc_id, where = row.story_id, row.where
    key = f"{doc_id}-{so_far[doc_id]}"
    so_far[doc_id] += 1
    question = plain(text(row.struct("question"), "text", where), " ")
    listed = [text_of(each.get("text"), "text", where) for each in objects(row.fields, "answers", where)]
    given = _answers(listed, where)
    return DocumentQuestion(key, doc_id, _split(row.path), "qa", question, answers=given)


def _story(record: dict[str, Any], key: str, doc_id: str, title: str, split: Split, where: str) -> Document:
    found = document(record, key, doc_id, title, split, where)
    return replace(found, text=without_marks(found.text))


def without_marks(story: str) -> str:
    """A story without markup and credits of its page; bold lines become paragraphs, numbers in the margin are removed."""
    return without_credits(plain(_BOLD_LINE.sub("\n\n", _MARGIN.sub("", story))))


def _answers(given: Iterable[str], where: str) -> tuple[str, ...]:
    return answers((plain(each, " ") for each in given), where)


def _split(path: str) -> Split:
    return "train" if PurePosixPath(path).name.startswith("train-") else "test"


def _rows(raw: Path, columns: Sequence[str]) -> Iterator[_Row]:
    """The rows of all files: test, then train."""
    paths = sorted((path.relative_to(raw).as_posix() for path in raw.glob("data/*.parquet")), key=natural)
    if not paths:
        raise SourceError("has no Parquet file", where="data", fix=_FIX)
    for path in paths:
        yield from _rows_of(raw, path, columns)


def _rows_of(raw: Path, path: str, columns: Sequence[str], wanted: Collection[int] | None = None) -> Iterator[_Row]:
    """Rows of a file, or only the wanted ones; a few are in memory at a time, because stories are long."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    end = 0
    try:
        with pq.ParquetFile(raw / path) as file:
            for group in range(file.num_row_groups):
                at, end = end, end + file.metadata.row_group(group).num_rows
                numbers = [number for number in range(at, end) if wanted is None or number in wanted]
                for table in file.iter_batches(_ROWS_AT_ONCE, [group], list(columns)) if numbers else ():
                    for number in numbers:
                        if at <= number < at + len(table):
                            yield _Row(path, group, number, table.slice(number - at, 1).to_pylist()[0])
                    at += len(table)
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise SourceError(f"not a whole Parquet file: {error}", where=path, fix=_FIX) from None
