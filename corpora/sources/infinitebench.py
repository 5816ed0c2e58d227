"""InfiniteBench: questions, multiple choice and summaries about English novels with changed names (Zhang et al. 2024).

Kind `infinitebench` (docs/spec/helmet.md 3, 8): three files of JSON lines at a pinned commit; every line has its whole book.
A document is a distinct book, identified by a hash of its text with white space folded in all files, so that a worked example never
uses the book of the question (the reference only excludes the question itself, docs/defects/helmet.md D8). Everything is split test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, RawFile
from corpora.sources.document_source import WithKeyPoints, document, record_id
from corpora.sources.formats.fields import answers, text, texts
from corpora.sources.formats.lines import first_lines, json_file, json_lines
from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint

_Task = Literal["infbench_qa_eng", "infbench_choice_eng", "infbench_sum_eng"]
_BYTES: dict[_Task, int] = {
    "infbench_qa_eng": 298_000_000,
    "infbench_choice_eng": 186_000_000,
    "infbench_sum_eng": 78_600_000,
}
_FILES: dict[str, str] = {name: f"{name.replace('infbench', 'longbook')}.jsonl" for name in _BYTES}


class InfiniteBench(WithKeyPoints, OnHub):
    """Options of kind `infinitebench`.

    Attributes:
        tasks: files to fetch: infbench_qa_eng (351 questions), infbench_choice_eng (229), infbench_sum_eng (103 summaries).
        keypoints: key points of the summaries.
    """

    kind: ClassVar[str] = "infinitebench"
    revision: str | None = "90f0394333616266d9fe85824ceaf505093cbaa5"
    tasks: Annotated[tuple[_Task, ...], Field(min_length=1)] = tuple(_BYTES)

    def document_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tasks))

    def download_bytes(self) -> int:
        return sum(_BYTES[name] for name in set(self.tasks))

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        left_out = {file for name, file in _FILES.items() if name not in self.tasks}
        return [file for file in super().raw_files(context) if file.path not in left_out]

    def batches(self, raw: Path) -> list[Batch]:
        return first_lines(raw, (_FILES[name] for name in self.document_sets()), book_id)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for where, record in json_lines(raw, piece):  # `batches` skips lines without a book
                yield document(record, "context", book_id(record, where), "", "test", where)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        points = self.key_points(raw) if name == "infbench_sum_eng" else {}
        return self.sound(name, json_file(raw, _FILES[name]), lambda line: _asked(*line, name, points))


def _asked(where: str, record: dict[str, Any], name: str, points: dict[str, tuple[KeyPoint, ...]]) -> DocumentQuestion:
    key, book = record_id(record, "id", where), book_id(record, where)
    accepted = answers(texts(record, "answer", where), where)
    if name == "infbench_sum_eng":
        found = points.get(key, ())
        return DocumentQuestion(key, book, "test", "summary", "", references=accepted[:1], key_points=found)
    question = text(record, "input", where)
    if name == "infbench_qa_eng":
        return DocumentQuestion(key, book, "test", "qa", question, answers=accepted)
    options = tuple(option.strip() for option in texts(record, "options", where))
    if accepted[0] not in options:
        what = f"the answer {accepted[0]!r:.40} is not among the options"
        raise OddRecordError(what, where=where, fix="correct that record")
    return DocumentQuestion(key, book, "test", "choice", question, answers=accepted[:1], choices=options)


def book_id(record: dict[str, Any], where: str) -> str:
    """The id of the book in a record: a hash of its text."""
    return digest("book", " ".join(text(record, "context", where).split()), size=8).hex()
