"""Multi-LexSum: civil rights lawsuits with summaries by lawyers (Shen et al. 2022; docs/spec/helmet.md 3, 8).

Kind `multi_lexsum`, release v20230518. A document is a lawsuit: its filings in the file's order, joined by blank lines. The first
reference is the short summary, the second the long one; lawsuits without a short one are left out, as in the reference.
HELMET uses the validation set, so it is split test here; the publisher's test set is split dev.

All filings are in one JSON object of 2.2 GB. The download reads it once, member by member, and writes one line per lawsuit, so that
later stages can start at any line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, ClassVar, NamedTuple

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext, RawFile
from corpora.sources.document_source import ArrangedDocuments, WithKeyPoints, arranged, split_of, summary_question
from corpora.sources.formats.fields import id_of, text, text_of, texts, value_of
from corpora.sources.formats.json_files import members
from corpora.sources.formats.lines import json_file
from corpora.sources.question_source import held_out
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion, Split

_FOLDER = "releases/v20230518"
_SOURCES = f"{_FOLDER}/sources.json"
_FILES: dict[Split, str] = {
    "test": f"{_FOLDER}/dev.json",
    "dev": f"{_FOLDER}/test.json",
    "train": f"{_FOLDER}/train.json",
}
_QUESTIONS = "questions.jsonl"


class _Case(NamedTuple):
    """A lawsuit: ids of its filings in order; its summaries, the short one first."""

    key: str
    split: Split
    filings: list[str]
    summaries: list[str]


class MultiLexSum(WithKeyPoints, ArrangedDocuments, OnHub):
    """Options of kind `multi_lexsum`.

    Attributes:
        splits: splits to read; dev is the publisher's test set.
        train_cases: number of lawsuits of train to keep, chosen by their ids; they are worked examples.
        keypoints: key points of the short summaries.
    """

    kind: ClassVar[str] = "multi_lexsum"
    version = 3
    documents_file = "cases.jsonl"
    keypoints_key = "summary/short_keypoints"
    revision: str | None = "8e0586b2190bcb588fdc923d15d81ab66a6fb3ed"
    splits: Annotated[tuple[Split, ...], Field(min_length=1)] = ("test", "train")
    train_cases: Annotated[int, Field(ge=0)] = 100

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        left_out = {file for split, file in _FILES.items() if split not in self.splits}
        return [file for file in super().raw_files(context) if file.path not in left_out]

    def arrange(self, stage: Path, context: FetchContext) -> None:
        """Write one line per lawsuit and one per question, and remove the file of filings.

        The filings of a lawsuit may be anywhere in that file, so they are copied to a file with known positions first.
        """
        context.report("joining the filings of every lawsuit")
        cases, scratch = list(self._cases(stage)), stage / "filings.bin"
        places = _copied(stage / _SOURCES, {filing for case in cases for filing in case.filings}, scratch)
        with scratch.open("rb") as file:
            joined = ((case, _joined(file, places, case)) for case in cases)
            records = ({"id": case.key, "split": case.split, "text": words} for case, words in joined if words)
            arranged(stage / self.documents_file, records)
        scratch.unlink()
        (stage / _SOURCES).unlink()
        kept = [case for case in cases if any(places[filing][1] for filing in case.filings)]
        rows = ({"id": case.key, "split": case.split, "summaries": case.summaries} for case in kept)
        if empty := len(cases) - arranged(stage / _QUESTIONS, rows):
            context.report(f"{empty} lawsuits without a word of their filings are left out")

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        points = self.key_points(raw)
        for where, record in json_file(raw, _QUESTIONS):
            key, summaries = text(record, "id", where), texts(record, "summaries", where)
            yield summary_question(key, split_of(record, where), *summaries, key_points=points.get(key, ()))

    def _cases(self, raw: Path) -> Iterator[_Case]:
        """Every lawsuit with a short summary: test, dev, train."""
        for split in (split for split in _FILES if split in self.splits):
            found = []
            for where, record in json_file(raw, _FILES[split]):
                short, long = (value_of(record, f"summary/{name}", where) for name in ("short", "long"))
                summaries = [text_of(each, "summary", where).strip() for each in (short, long) if each is not None]
                if short and summaries[0]:
                    key = id_of(value_of(record, "case_id", where), "case_id", where)
                    filings = texts(record, "case_documents", where)
                    found.append(_Case(key, split, filings, list(filter(None, summaries))))
            kept = {case.key for case in found}
            if split == "train":
                kept &= held_out(sorted(kept), self.train_cases, self.kind)
            yield from (case for case in found if case.key in kept)


def _copied(path: Path, wanted: set[str], scratch: Path) -> dict[str, tuple[int, int]]:
    """Copy the wanted filings of the publisher's file to `scratch`; return id -> first byte and size."""
    places: dict[str, tuple[int, int]] = {}
    with scratch.open("wb") as out:
        for key, member in members(path):
            if key in wanted:
                where = f"{_SOURCES}: {key}"
                filing = text_of(value_of(member, "doc_text", where), "doc_text", where).strip().encode()
                places[key] = (out.tell(), len(filing))
                out.write(filing)
    return places


def _joined(file: BinaryIO, places: dict[str, tuple[int, int]], case: _Case) -> str:
    """The filings of a lawsuit as one text."""
    found = []
    for filing in case.filings:
        if filing not in places:
            where, fix = f"lawsuit {case.key}", "fetch the source again"
            raise SourceError(f"filing {filing!r:.60} is missing", where=where, fix=fix)
        start, size = places[filing]
        file.seek(start)
        found.append(file.read(size).decode())
    return "\n\n".join(filter(None, found))
