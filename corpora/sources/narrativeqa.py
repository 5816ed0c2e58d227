"""NarrativeQA: questions on whole books and film scripts (Kocisky et al. 2018; docs/spec/helmet.md 3, 8).

Kinds `narrativeqa` (Parquet on the Hub at a pinned commit) and `narrativeqa_mirror` (six stories of LongBench, one question
each, no part train). A row of the Parquet files holds one question and the whole story, about 30 times over; a story is one
document here. Of the marks of the pages they were taken from, bold lines of scripts become paragraphs of their own (scenes, speakers),
numbers in the margin of verse go, and so do all other tags; entities are decoded, in questions, answers and titles too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate, groupby
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, Piece, RawFile, SourceInfo
from corpora.sources.books import natural
from corpora.sources.document_source import DocumentSource, document
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.text_cleanup import without_credits
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from haymaker.core.text.normalize import plain

_COMMIT = "2e643e7363944af1c33a652d1c87320d0871c4e4"
_SHARDS: dict[str, int] = {"test": 8, "train": 24}
_SHARD_BYTES = 270_000_000
_ROWS_AT_ONCE = 16
_MIRROR_FILE = "narrativeqa.jsonl"
_BOLD_LINE = re.compile(r"^<b>|\s*\n</b>|</b>$", re.M)
_MARGIN = re.compile(r" {3,}_\d+$", re.M)
_IDS = ("document.id",)
_STORIES = ("document.id", "document.text", "document.summary.title")
_QUESTIONS = ("document.id", "question.text", "answers")


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/google-deepmind/narrativeqa",
        licence="Apache-2.0 (questions and answers); stories: public domain books, and film scripts under their own terms",
        licences=("apache-2.0", "public-domain", "others"),
        redistribution="questions and answers with attribution; ask before publishing film scripts",
        roles=("documents", "document_questions"),
        download_bytes=size,
        note=note,
    )


class NarrativeQa(DocumentSource, OnHub):
    """Options of kind `narrativeqa`.

    Attributes:
        train_files: how many of the 24 train files to fetch; worked examples come from them, and two a row are enough.
        revision, url: as of every source on the Hub.
    """

    kind: ClassVar[str] = "narrativeqa"
    version: ClassVar[int] = 4
    info: ClassVar[SourceInfo] = _info(
        "NarrativeQA", 9 * _SHARD_BYTES, "355 stories of test with about 30 questions each; sizes are estimates"
    )
    repo: ClassVar[str] = "deepmind/narrativeqa"
    names: ClassVar[tuple[str, ...]] = ("data/test-*.parquet", "data/train-*.parquet")
    sets: ClassVar[tuple[str, ...]] = ("narrativeqa",)
    revision: str | None = _COMMIT
    train_files: Annotated[int, Field(ge=0, le=24)] = 1

    def download_bytes(self) -> int:
        return (_SHARDS["test"] + self.train_files) * _SHARD_BYTES

    def files(self) -> list[RawFile]:
        listed = (f"data/{part}-{i:05d}-of-{n:05d}.parquet" for part, n in _SHARDS.items() for i in range(n))
        return [RawFile(name, f"hf://datasets/{self.repo}/{name}") for name in listed]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        found = sorted(super().raw_files(context), key=lambda file: natural(file.path))
        train = [file for file in found if _part(file.path) == "train"]
        return [file for file in found if file not in train[self.train_files :]]

    def batches(self, raw: Path) -> list[Batch]:
        """The stories that begin in a row group are a batch: a row group is decoded whole."""
        seen: set[str] = set()
        found: list[Batch] = []
        for path in _paths(raw):
            pieces = [Piece(path, row, row + 1, row) for row in _first_rows(raw, path, seen)]
            for start, stop in _row_groups(raw, path):
                inside = tuple(piece for piece in pieces if start <= piece.start < stop)
                found += [Batch(len(found), inside)] if inside else []
        return found

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for path, pieces in groupby(batch.pieces, lambda piece: piece.path):
            rows = _rows(raw, path, _STORIES, [piece.start for piece in pieces])
            yield from sound(self._without, rows, partial(_of_row, _part(path)))

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        so_far: Counter[str] = Counter()
        odd = OddRecords(name)
        for path in _paths(raw):
            for where, record in _rows(raw, path, _QUESTIONS):
                doc_id = _story_id(record, where)
                with odd:
                    question = plain(text(_struct(record, "question", where), "text", where), " ")
                    given = _answers(
                        (text_of(item.get("text"), "text", where) for item in objects(record, "answers", where)), where
                    )
                    yield DocumentQuestion(
                        f"{doc_id}-{so_far[doc_id]}", doc_id, _part(path), "qa", question, answers=given
                    )
                so_far[doc_id] += 1
        self.left_out_of(name, odd)


def _of_row(part: Split, row: tuple[str, dict[str, Any]]) -> Document:
    where, record = row
    story = _struct(record, "document", where)
    summary = story.get("summary")
    title = summary.get("title") if isinstance(summary, dict) else None
    return _story(story, "text", _story_id(record, where), plain(text_of(title or "", "title", where)), part, where)


class NarrativeQaMirror(DocumentSource):
    """Kind `narrativeqa_mirror`; no options."""

    kind: ClassVar[str] = "narrativeqa_mirror"
    version: ClassVar[int] = 4
    info: ClassVar[SourceInfo] = _info(
        "NarrativeQA (mirror copy: 6 stories of LongBench)", 297_213, "one question and one answer each; all part test"
    )
    sets: ClassVar[tuple[str, ...]] = ("narrativeqa",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_MIRROR_FILE}.gz", f"mirror:longbench/mini/{_MIRROR_FILE}.gz")]

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_MIRROR_FILE])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{_MIRROR_FILE}:{number}"
                yield _story(record, "context", id_of(value_of(record, "_id", where), "_id", where), "", "test", where)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        for number, record in json_lines(raw, Piece(_MIRROR_FILE, 0, -1)):
            where = f"{_MIRROR_FILE}:{number}"
            key = id_of(value_of(record, "_id", where), "_id", where)
            given, asked = _answers(texts(record, "answers", where), where), plain(text(record, "input", where), " ")
            yield DocumentQuestion(key, key, "test", "qa", asked, answers=given)


def _story(record: dict[str, Any], key: str, doc_id: str, title: str, part: Split, where: str) -> Document:
    found = document(record, key, doc_id, title, part, where)
    return replace(found, text=without_marks(found.text))


def without_marks(story: str) -> str:
    """A story without the marks of the page it was taken from: bold lines become paragraphs; numbers in the margin, tags and who made its
    electronic text go.
    """
    return without_credits(plain(_BOLD_LINE.sub("\n\n", _MARGIN.sub("", story))))


def _answers(given: Iterable[str], where: str) -> tuple[str, ...]:
    return answers((plain(each, " ") for each in given), where)


def _part(path: str) -> Split:
    return "train" if PurePosixPath(path).name.startswith("train-") else "test"


def _paths(raw: Path) -> list[str]:
    """Parquet files: test, then train."""
    found = sorted((path.relative_to(raw).as_posix() for path in raw.glob("data/*.parquet")), key=natural)
    if not found:
        raise SourceError("has no Parquet file", where="data", fix="fetch the source again")
    return found


def _first_rows(raw: Path, path: str, seen: set[str]) -> Iterator[int]:
    """The first row of every story that is not in `seen`; it is added."""
    for row, (where, record) in enumerate(_rows(raw, path, _IDS)):
        story = _story_id(record, where)
        if story not in seen:
            seen.add(story)
            yield row


def _row_groups(raw: Path, path: str) -> list[tuple[int, int]]:
    """Rows [start, stop) of every row group."""
    with _opened(raw, path) as file:
        ends = list(accumulate(file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)))
    return list(zip([0, *ends], ends, strict=False))


def _rows(
    raw: Path, path: str, columns: Sequence[str], wanted: Sequence[int] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and fields of rows of a file, all or those `wanted`; a few are in memory at a time.

    Raises:
        SourceError: not Parquet, or damaged.
    """
    for number, (start, stop) in enumerate(_row_groups(raw, path)):
        rows = [row for row in wanted if start <= row < stop] if wanted is not None else range(start, stop)
        if rows:
            with _opened(raw, path) as file:
                at = start
                for table in file.iter_batches(_ROWS_AT_ONCE, row_groups=[number], columns=list(columns)):
                    for row in (row for row in rows if at <= row < at + len(table)):
                        yield f"{path}: row {row:,}", table.slice(row - at, 1).to_pylist()[0]
                    at += len(table)
                    if at > rows[-1]:
                        break


@contextmanager
def _opened(raw: Path, path: str) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(raw / path) as file:
            yield file
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        problem = f"not a whole Parquet file: {error}"
        raise SourceError(problem, where=path, fix="fetch the source again") from None


def _struct(record: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    found = value_of(record, key, where)
    if not isinstance(found, dict):
        raise SourceError(
            f"{key!r} is {type(found).__name__}, not an object", where=where, fix="fetch the source again"
        )
    return found


def _story_id(record: dict[str, Any], where: str) -> str:
    return id_of(value_of(_struct(record, "document", where), "id", where), "id", where)
