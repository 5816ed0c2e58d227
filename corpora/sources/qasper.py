"""Qasper: questions on papers of natural language processing, with the paragraphs that answer them (Dasigi et al. 2021).

Kind `qasper`: Parquet of the publisher's repository, on a conversion that is open there at a pinned commit. A document is a paper: title, abstract,
sections. Tables and figures are not in the text, so what is answered by them alone is left out (defect 10 of LongBench), and so is
what is answered by a paragraph that the paper does not hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from corpora.sources.base import SourceInfo
from corpora.sources.formats.fields import answers, id_of, text, text_of, texts, value_of
from corpora.sources.hub_rows import Entry, HubDocuments, Row, structs
from corpora.sources.qasper_marks import plain, readable
from haymaker.core.errors import SourceError
from haymaker.core.rows.question_checks import BESIDE, answered_beside
from haymaker.core.rows.source_records import DocumentQuestion, Split

_COMMIT = "35ded0cc92de9bcb308bf5aa504d05a4c00e0c24"
_FLOAT = "FLOAT SELECTED"
_NONE = "unanswerable"
_AGAIN = "fetch the source again, or mend that record"


class _Given(NamedTuple):
    """An annotator's answer; `shown` are paragraphs, `floats` says whether a table or figure is named."""

    answer: str
    shown: tuple[str, ...]
    floats: bool


class Qasper(HubDocuments):
    """Options of kind `qasper`: `parts`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "qasper"
    version: ClassVar[int] = 4
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Qasper",
        homepage="https://allenai.org/data/qasper",
        licence="CC BY 4.0",
        roles=("documents", "document_questions"),
        download_bytes=12_000_000,
        note="416 papers and 1,451 questions of test before any is left out; the size is an estimate",
    )
    repo: ClassVar[str] = "allenai/qasper"
    revision: str | None = _COMMIT
    sets: ClassVar[tuple[str, ...]] = ("qasper",)
    globs: ClassVar[dict[Split, str]] = {
        "test": "qasper/test*.parquet",
        "dev": "qasper/validation*.parquet",
        "train": "qasper/train*.parquet",
    }
    plain: ClassVar[dict[Split, str]] = {
        "test": "qasper/test-00000-of-00001.parquet",
        "dev": "qasper/validation-00000-of-00001.parquet",
        "train": "qasper/train-00000-of-00001.parquet",
    }
    texts: ClassVar[tuple[str, ...]] = ("id", "title", "abstract")
    others: ClassVar[tuple[str, ...]] = ("full_text", "qas")

    def entry(self, row: Row, left_out: Counter[str]) -> Entry | None:
        title, whole = text(row.fields, "title", row.where), _paper(row)
        folded = " ".join(whole.split())
        asked = []
        for number, record in enumerate(structs(row.fields, "qas", row.where)):
            where = f"{row.where}, question {number + 1}"
            found = _usable(list(_given(record, where)), folded)
            if isinstance(found, str):
                left_out[found] += 1
                continue
            key = id_of(value_of(record, "question_id", where), "question_id", where)
            accepted, words = answers((each.answer for each in found), where), text(record, "question", where)
            if accepted != (_NONE,) and answered_beside(words, accepted):
                left_out[BESIDE] += 1
                continue
            asked.append(
                DocumentQuestion(key, row.key, row.part, "qa", words, answers=accepted, evidence=found[0].shown)
            )
        if not asked:
            left_out["papers without a question"] += 1
            return None
        return Entry(whole, title, tuple(asked))


def _paper(row: Row) -> str:
    """Title, abstract and sections, a blank line between paragraphs. Names of sections within sections keep their ":::"."""
    paragraphs = [text(row.fields, "title", row.where), text_of(row.fields["abstract"], "abstract", row.where)]
    for section in structs(row.fields, "full_text", row.where):
        paragraphs.append(text_of(section.get("section_name") or "", "section_name", row.where))
        paragraphs += texts(section, "paragraphs", row.where)
    return plain("\n\n".join(filter(None, (" ".join(each.split()) for each in paragraphs))))


def _given(record: dict[str, Any], where: str) -> Iterator[_Given]:
    """Answers of all annotators in their order."""
    listed = value_of(record, "answers", where)
    if isinstance(listed, dict):
        annotations = structs({"answer": value_of(listed, "answer", where)}, "answer", where)
    else:
        annotations = [value_of(each, "answer", where) for each in structs(record, "answers", where)]
    for each in annotations:
        if not isinstance(each, dict):
            raise SourceError("'answer' is no object", where=where, fix=_AGAIN)
        shown = [plain(" ".join(paragraph.split())) for paragraph in texts(each, "evidence", where)]
        kept = tuple(paragraph for paragraph in shown if paragraph and not paragraph.startswith(_FLOAT))
        yield _Given(_answer(each, where), kept, len(kept) < len(shown))


def _answer(given: dict[str, Any], where: str) -> str:
    if value_of(given, "unanswerable", where) is True:
        return _NONE
    if spans := [span.strip() for span in texts(given, "extractive_spans", where) if span.strip()]:
        return ", ".join(spans)
    if free := text_of(value_of(given, "free_form_answer", where) or "", "free_form_answer", where).strip():
        return free
    judged = value_of(given, "yes_no", where)
    if not isinstance(judged, bool):
        raise SourceError("an answer is neither spans nor words nor yes or no", where=where, fix=_AGAIN)
    return "Yes" if judged else "No"


def _usable(given: list[_Given], folded: str) -> list[_Given] | str:
    """The answers that the text gives, or why there is none. Who found an answer is believed before who found none."""
    answered = [
        each._replace(answer=kept) for each in given if each.answer != _NONE for kept in readable([each.answer])
    ]
    if not answered:
        return [each for each in given[:1] if each.answer == _NONE] or "questions without an answer"
    shown = [each for each in answered if each.shown or not each.floats]
    if not shown:
        return "questions answered by tables or figures alone"
    found = [each for each in shown if all(paragraph in folded for paragraph in each.shown)]
    return found or "questions whose evidence is not in the paper"
