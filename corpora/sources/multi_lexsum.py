"""Multi-LexSum: civil rights lawsuits with summaries by lawyers (Shen et al. 2022; docs/spec/helmet.md 3, 8).

Kind `multi_lexsum`, release v20230518. A document is a lawsuit: its filings joined by blank lines, in the file's order. The
short summary is scored against, the long one kept second; a lawsuit without a short one is left out, as in the reference.
HELMET asks the validation set, so that is part test here, as KILT's dev set is; the publisher's test set is part dev.

All filings lie in one JSON object of 2.2 GB. At download it is read once, member by member, and written again as one line per
lawsuit, so that later stages can enter the file anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, SourceInfo
from corpora.sources.document_source import WithKeyPoints, document
from corpora.sources.formats.fields import id_of, text, text_of, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.members import members
from corpora.sources.question_source import held_out
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import disk_errors, written
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split

_COMMIT = "8e0586b2190bcb588fdc923d15d81ab66a6fb3ed"
_FOLDER = "releases/v20230518"
_SOURCES = f"{_FOLDER}/sources.json"
_FILES: dict[Split, str] = {
    "test": f"{_FOLDER}/dev.json",
    "dev": f"{_FOLDER}/test.json",
    "train": f"{_FOLDER}/train.json",
}
_CASES, _QUESTIONS_FILE = "cases.jsonl", "questions.jsonl"
_AGAIN = "fetch the source again, or mend that record"


@dataclass(frozen=True, slots=True)
class _Case:
    """A lawsuit: ids of its filings in order; its summaries, the short one first."""

    key: str
    part: Split
    filings: list[str]
    summaries: list[str]


class MultiLexSum(WithKeyPoints, OnHub):
    """Options of kind `multi_lexsum`.

    Attributes:
        parts: which to take; dev is the publisher's test set.
        train_cases: how many lawsuits of train are kept, chosen by their ids; worked examples come from them.
        keypoints: of the short summaries.
        revision, url: as of every source on the Hub.
    """

    kind: ClassVar[str] = "multi_lexsum"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Multi-LexSum v20230518",
        homepage="https://multilexsum.github.io",
        licence="ODC-By (data set), CC BY-NC 4.0 (summaries and metadata)",
        licences=("odc-by", "cc-by-nc-4.0"),
        roles=("documents", "document_questions"),
        download_bytes=2_245_000_000,
        note="filings are public; the download needs three times its size for a while",
    )
    repo: ClassVar[str] = "allenai/multi_lexsum"
    names: ClassVar[tuple[str, ...]] = (*_FILES.values(), _SOURCES)
    sets: ClassVar[tuple[str, ...]] = ("multi_lexsum",)
    keypoints_key: ClassVar[str] = "summary/short_keypoints"
    revision: str | None = _COMMIT
    parts: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    train_cases: Annotated[int, Field(ge=0)] = 100

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        left_out = {file for part, file in _FILES.items() if part not in self.parts}
        return [file for file in super().raw_files(context) if file.path not in left_out]

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        context.report("joining the filings of every lawsuit")
        with checking(stage, context), disk_errors(stage):
            empty = _join(stage, list(self._cases(stage)))
        if empty:
            context.report(f"{empty} lawsuits without a word of their filings are left out")
        return got

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_CASES])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{_CASES}:{number}"
                yield document(record, "text", text(record, "id", where), "", _part(record, where), where)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        points = self.key_points(raw)
        for number, record in json_lines(raw, Piece(_QUESTIONS_FILE, 0, -1)):
            where = f"{_QUESTIONS_FILE}:{number}"
            key, summaries = text(record, "id", where), tuple(texts(record, "summaries", where))
            yield DocumentQuestion(
                key, key, _part(record, where), "summary", "", references=summaries, key_points=points.get(key, ())
            )

    def _cases(self, raw: Path) -> Iterator[_Case]:
        """Every lawsuit with a short summary: test, dev, train."""
        for part in (part for part in _FILES if part in self.parts):
            found = []
            for number, record in json_lines(raw, Piece(_FILES[part], 0, -1)):
                where = f"{_FILES[part]}:{number}"
                short, long = (value_of(record, f"summary/{name}", where) for name in ("short", "long"))
                summaries = [text_of(each, "summary", where).strip() for each in (short, long) if each is not None]
                if short and summaries[0]:
                    key = id_of(value_of(record, "case_id", where), "case_id", where)
                    found.append(
                        _Case(key, part, texts(record, "case_documents", where), list(filter(None, summaries)))
                    )
            kept = {case.key for case in found}
            if part == "train":
                kept &= held_out(sorted(kept), self.train_cases, self.kind)
            yield from (case for case in found if case.key in kept)


def _join(stage: Path, cases: list[_Case]) -> int:
    """Write one line per lawsuit and one per question, remove the file of filings, and count lawsuits without a word.

    The filings of a lawsuit may stand anywhere, so they are written one after another first, to be found again.
    """
    listed = {filing for case in cases for filing in case.filings}
    places: dict[str, tuple[int, int]] = {}
    scratch, empty = stage / "filings.bin", 0
    with scratch.open("wb") as out:
        for key, member in members(stage / _SOURCES):
            if key in listed:
                where = f"{_SOURCES}: {key}"
                filing = text_of(value_of(member, "doc_text", where), "doc_text", where).strip().encode()
                places[key] = (out.tell(), len(filing))
                out.write(filing)
    with scratch.open("rb") as file, _lines(stage / _CASES) as write_case, _lines(stage / _QUESTIONS_FILE) as write_row:
        for case in cases:
            joined = "\n\n".join(filter(None, (_filing(file, places, filing, case) for filing in case.filings)))
            empty += not joined
            if joined:
                write_case({"id": case.key, "part": case.part, "text": joined})
                write_row({"id": case.key, "part": case.part, "summaries": case.summaries})
    scratch.unlink()
    (stage / _SOURCES).unlink()
    return empty


def _filing(file: BinaryIO, places: dict[str, tuple[int, int]], filing: str, case: _Case) -> str:
    if filing not in places:
        raise SourceError(f"filing {filing!r:.60} is not there", where=f"lawsuit {case.key}", fix=_AGAIN)
    start, size = places[filing]
    file.seek(start)
    return file.read(size).decode()


@contextmanager
def _lines(path: Path) -> Iterator[Callable[[dict[str, Any]], object]]:
    """A function that adds an object to a file of JSON lines, which appears whole."""
    with written(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        yield lambda record: file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _part(record: dict[str, Any], where: str) -> Split:
    named = text(record, "part", where)
    found = [part for part in _FILES if part == named]
    if not found:
        raise SourceError(f"'part' is {named!r:.20}", where=where, fix=_AGAIN)
    return found[0]
