"""Qasper: questions about papers on natural language processing, with the paragraphs that answer them (Dasigi et al. 2021).

Kind `qasper`: Parquet files of the publisher's repository, from an open conversion at a pinned commit. A document is a paper: title, abstract,
sections. Tables and figures are not in the text, so questions that need them are left out (defect 10 of LongBench), and so are
questions whose evidence is not in the paper. The text has marks for citations (BIBREF12), formulas (INLINEFORM0) and tables (TABREF3).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from corpora.sources.document_source import AGAIN, record_id
from corpora.sources.formats.fields import answers, text, text_of, texts, value_of
from corpora.sources.hub_rows import Entry, HubDocuments, Row, structs
from haymaker.core.errors import SourceError
from haymaker.core.rows.question_checks import BESIDE, answered_beside
from haymaker.core.rows.source_records import DocumentQuestion
from haymaker.core.text.strings import words

_FLOAT = "FLOAT SELECTED"
_NONE = "unanswerable"
_NEEDED = r"^|[.:;(]|\b(?:and|as|by|from|in|like|of|on|see|than|to|use|with)"  # after it a sentence needs more words
_SPACE = r"[^\S\n]*"
_CITED = re.compile(
    rf"(?P<needed>{_NEEDED})?(?P<cited>{_SPACE}BIBREF\d+(?:{_SPACE}[,;]?{_SPACE}BIBREF\d+)*)(?:[^\S\n]+(?=[.,;:)]))?",
    re.MULTILINE,
)
_MARK = re.compile(r"BIBREF(\d+)")
_FORMULAS = r"(?:INLINE|DISPLAY)FORM\d+"
_NAMES = {"FIG": "Figure", "TAB": "Table", "SEC": "Section", "EQ": "Equation"}
_REFERENCE = re.compile(
    rf"(?:(?P<name>(?i:\b(?:fig(?:ure)?s?|tab(?:le)?s?|sec(?:tion)?s?|eq(?:uation)?s?)\b|§)){_SPACE}\.?{_SPACE})?"
    r"(?P<kind>FIG|TAB|SEC|EQ)REF(?P<number>\d+)(?:[^\S\n]+(?=[.,;:)]))?"
)
_FORMULA = re.compile(rf"{_FORMULAS}(?:[^\S\n]+(?=[.,;:)]))?")
_LOST = re.compile(rf"{_FORMULAS}|(?:FIG|TAB|SEC|EQ)REF\d+")
_NAME = re.compile(r"(?<!\w)(?=\w*\d|\w+[A-Z]|(?<!^)[A-Z]\w)\w+(?:[.,]\d+)*")


class _Given(NamedTuple):
    """An annotator's answer; `shown` are paragraphs, `floats` is true if a table or figure is evidence."""

    answer: str
    shown: tuple[str, ...]
    floats: bool


class Qasper(HubDocuments):
    """Options of kind `qasper`: `splits`, `files_each`, `revision`, `url`."""

    kind: ClassVar[str] = "qasper"
    version = 4
    revision: str | None = "35ded0cc92de9bcb308bf5aa504d05a4c00e0c24"
    texts = ("id", "title", "abstract")
    others = ("full_text", "qas")

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
            key, question = record_id(record, "question_id", where), text(record, "question", where)
            accepted, shown = answers((each.answer for each in found), where), found[0].shown
            if accepted != (_NONE,) and answered_beside(question, accepted):
                left_out[BESIDE] += 1
                continue
            asked.append(DocumentQuestion(key, row.key, row.split, "qa", question, answers=accepted, evidence=shown))
        if not asked:
            left_out["papers without a question"] += 1
            return None
        return Entry(whole, title, tuple(asked))


def _paper(row: Row) -> str:
    """Title, abstract and sections, with a blank line between paragraphs; names of subsections keep their ":::"."""
    paragraphs = [text(row.fields, "title", row.where), text_of(row.fields["abstract"], "abstract", row.where)]
    for section in structs(row.fields, "full_text", row.where):
        paragraphs.append(text_of(section.get("section_name") or "", "section_name", row.where))
        paragraphs += texts(section, "paragraphs", row.where)
    return plain("\n\n".join(filter(None, (" ".join(each.split()) for each in paragraphs))))


def _given(record: dict[str, Any], where: str) -> Iterator[_Given]:
    """Answers of all annotators in their order."""
    for annotation in structs(record, "answers", where):
        each = value_of(annotation, "answer", where)
        if not isinstance(each, dict):
            raise SourceError("'answer' is not an object", where=where, fix=AGAIN)
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
        raise SourceError("an answer has no spans, no free text and no yes or no", where=where, fix=AGAIN)
    return "Yes" if judged else "No"


def _usable(given: list[_Given], folded: str) -> list[_Given] | str:
    """The answers in the text, or why there is none. Annotators with an answer count more than annotators without one."""
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


def uncited(text: str) -> str:
    """A text without marks of citations; a citation that its sentence needs ("as in BIBREF12") becomes [12]."""
    return _CITED.sub(_citation, text)


def plain(text: str) -> str:
    """A paper's text without marks of citations, with "Table 3" for TABREF3 and "[formula]" for INLINEFORM0."""
    return _FORMULA.sub("[formula]", _REFERENCE.sub(_named, uncited(text)))


def _citation(found: re.Match[str]) -> str:
    return "" if found["needed"] is None else found["needed"] + _MARK.sub(r"[\1]", found["cited"])


def _named(found: re.Match[str]) -> str:
    name, number = (found["name"] or "").rstrip(), found["number"]
    return f"§{number}" if name == "§" else f"{name or _NAMES[found['kind']]} {number}"


def readable(answers: Iterable[str]) -> list[str]:
    """Answers without marks of citations; answers with a mark for a formula, table or figure are left out."""
    return [uncited(answer).strip() for answer in answers if not _LOST.search(answer)]


def lost(answer: str, paper: str) -> list[str]:
    """Names and numbers of an answer that are not in the paper's text, because they were in a table or figure."""
    there = set(words(paper))
    return [name for name in _NAME.findall(answer) if not there.issuperset(words(name))]
