"""LooGLE's records, in both released forms, and its questions as Marathon uses them (docs/spec/marathon.md 2, 3.1).

First form: one document per line (`input`, `title`), its questions in `qa_pairs`, a Python literal. Later form: one question per line
(`context`, `title`, `question`, `answer`, `evidence`), which repeats its document.

A timeline question asks for the order of numbered events, from the first to the last: "3, 1, 2" means that event 3 was first. LooGLE's
own list of such questions is read like this; the sample does not show it, because its three orders are their own inverses.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corpora.sources.base import Piece
from corpora.sources.document_source import AGAIN, text_id
from corpora.sources.formats.fields import answers, text, text_of, texts, value_of
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.text_cleanup import unglued, without_wiki_marks
from corpora.sources.loogle_text import abstract, fault, listed, mended, numbered, one_line, order_of, paper, place_of
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion

TIMELINE, SHORT = "timeline_reorder", "shortdep_qa"
SORTS = ("comprehension_and_reasoning", "multiple_information_retrieval", TIMELINE, "computation")
NO_ORDER = "timeline answer is no order of its events"
PINNED = "b280201c5ab12cab9fd0d3a4de0c45830db8cd00"
_LATER_KEYS = {"Q": "question", "A": "answer", "S": "evidence", "type": "type"}
_AMOUNT = re.compile(r"\bhow (?:many|much|long|old|far|often)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"\n[0-9]+\.(.*)")  # a few questions contain their options and have a number as answer
_ASIDE = re.compile(r"([^()]*[^()\s])\s*\([^()]*\)\.?")
_HOLE = re.compile(r"\w\?\w")
_LOOSE_END = re.compile(r"[\s;,]+(\.?)$")


class Asked(NamedTuple):
    """A question as in its file; `where` is file, line and pair, `sort` its type (None if the file has none)."""

    where: str
    question: str
    answer: str
    sort: str | None
    evidence: tuple[str, ...]


class Line(NamedTuple):
    """A line of a file: a document and its questions."""

    doc_id: str
    title: str
    text: str
    asked: tuple[Asked, ...]


def lines(
    raw: Path, piece: Piece, *, questions: bool, papers: bool = False, odd: OddRecords | None = None
) -> Iterator[Line]:
    """The lines of a piece of a file in either form; the documents may be papers with their abstracts.

    Blank documents and questions are left out and counted by `odd`. The cloze file has no questions that can be read.
    """
    seen = odd or OddRecords(piece.path)

    def read(placed: tuple[str, dict[str, Any]]) -> Line:
        where, record = placed
        title, whole = text(record, "title", where), document_text(record, where)
        asked = sound(seen, pairs(record, where), asked_of) if questions else ()
        shown = paper(whole, summary_of(record, where)) if papers else whole
        return Line(text_id(whole), title, parted(shown), tuple(asked))

    return sound(seen, json_lines(raw, piece), read)


def document_text(record: dict[str, Any], where: str) -> str:
    """The document of a record in either form."""
    return text(record, "context" if "context" in record and "input" not in record else "input", where)


def summary_of(record: dict[str, Any], where: str) -> str:
    """The abstract of a paper; in the later form it is the answer."""
    return abstract(text(record, "answer" if "answer" in record else "output", where))


def pairs(record: dict[str, Any], where: str) -> list[tuple[str, dict[str, Any]]]:
    """Place and fields of each question of a record."""
    if "qa_pairs" not in record and "question" in record:
        return [(where, {old: record[new] for old, new in _LATER_KEYS.items() if new in record})]
    try:
        found = ast.literal_eval(text(record, "qa_pairs", where))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise SourceError(f"'qa_pairs' is not a Python list: {error}", where=where, fix=AGAIN) from None
    if not isinstance(found, list) or not all(isinstance(pair, dict) for pair in found):
        raise SourceError("'qa_pairs' has items that are not objects", where=where, fix=AGAIN)
    return [(f"{where}, pair {count}", pair) for count, pair in enumerate(found, 1)]


def asked_of(placed: tuple[str, dict[str, Any]]) -> Asked:
    """The question at a place."""
    place, pair = placed
    sort = text_of(pair["type"], "type", place).strip() if "type" in pair else None
    evidence = value_of(pair, "S", place)
    pieces = [text_of(evidence, "S", place)] if isinstance(evidence, str) else texts(pair, "S", place)
    return Asked(place, text(pair, "Q", place), text(pair, "A", place), sort, tuple(filter(str.strip, pieces)))


def parted(text: str) -> str:
    """An article without wiki markup, with a blank line after each paragraph; papers and scripts (with line breaks) are unchanged."""
    return text if "\n" in text else unglued(without_wiki_marks(text), "\n\n")


def folded(text: str) -> str:
    """The text with single spaces as white space."""
    return " ".join(text.split())


def questions(found: Iterable[Line], sort: str = "") -> tuple[list[DocumentQuestion], Counter[str]]:
    """The repaired questions of lines, and counts of repairs, notes and left-out questions by name.

    `sort` is the type of all questions; it is empty if each question has a type.
    """
    out: list[DocumentQuestion] = []
    counts, asked_of_document = Counter[str](), Counter[str]()
    for line in found:
        for asked in line.asked:
            asked_of_document[line.doc_id] += 1
            question_id = f"{line.doc_id}-{asked_of_document[line.doc_id]:02d}"
            one = _question(asked, line, question_id, sort or sort_of(asked), counts)
            out += [one] if one else []
    return out, +counts


def sort_of(asked: Asked) -> str:
    """The type of a question."""
    if asked.sort is None:
        problem = f"its question has no type: later revisions of LooGLE have none, {PINNED} is the last that has"
        fix = f"set revision: {PINNED} in the source's block, or url: to a folder with files of that revision"
        raise SourceError(problem, where=asked.where, fix=fix)
    if asked.sort not in SORTS:
        problem = f"type {asked.sort!r:.40} is none of {', '.join(SORTS)}"
        raise SourceError(problem, where=asked.where, fix="correct that record")
    return asked.sort


def _question(asked: Asked, line: Line, question_id: str, sort: str, counts: Counter[str]) -> DocumentQuestion | None:
    text, answer = mended(asked.question, line.text, counts, question=True), mended(asked.answer, line.text, counts)
    evidence = tuple(parted(folded(mended(piece, line.text, counts))) for piece in asked.evidence)
    if fault(text):
        counts["answers_known_to_be_wrong"] += 1
        return None
    stem, things = numbered(text)
    order = order_of(answer, len(things)) if things else ()
    if order and sort not in (TIMELINE, SHORT):
        counts[f"timeline_under_{sort}"] += 1
        sort = TIMELINE
    if sort == TIMELINE:
        counts[NO_ORDER] += not order
        events = [_LOOSE_END.sub(r"\1", thing) for thing in things]
        text, answer, place = f"{folded(stem)}\n{listed(events)}", ", ".join(map(str, order)), 0
    else:
        place = place_of(answer, len(things)) if things else 0
        counts["answers_that_were_numbers_of_options"] += place > 0
        text = folded(stem if place else text)
        answer = things[place - 1] if place else one_line(answer, counts)
        counts[f"amount_under_{sort}"] += bool(sort in SORTS[:2] and _AMOUNT.search(text) and _NUMBER.search(answer))
    if sort == TIMELINE and not order:
        return None
    make = partial(DocumentQuestion, question_id, line.doc_id, "test", evidence=evidence, sort=sort)
    return (
        make("choice", text, answers=(answer,), choices=tuple(things)) if place else make("qa", text, answers=(answer,))
    )


def untyped_questions(
    record: dict[str, Any], doc_id: str, where: str, left_out: Counter[str]
) -> Iterator[DocumentQuestion]:
    """The repaired questions of a record whose document has an id; evidence is given if all of it is in the document."""
    whole = folded(text(record, "input", where))
    for count, asked in enumerate(map(asked_of, pairs(record, where))):
        found = _untyped(asked, f"{doc_id}-{count}", doc_id, whole)
        if fault(found.text) or _HOLE.search(" ".join((found.text, *found.answers))):
            left_out["answers known to be wrong"] += 1
        elif (things := numbered(found.text)[1]) and order_of(found.answers[0], len(things)):
            left_out["orders: short answers are compared as words, whose order is of no account"] += 1
        else:
            yield found


def _untyped(asked: Asked, question_id: str, doc_id: str, whole: str) -> DocumentQuestion:
    repairs = Counter[str]()
    question, answer = mended(asked.question, whole, repairs, question=True), mended(asked.answer, whole, repairs)
    pieces = list(map(folded, asked.evidence))
    evidence = tuple(map(parted, pieces)) if all(piece in whole for piece in pieces) else ()
    make = partial(DocumentQuestion, question_id, doc_id, "test", evidence=evidence)
    options = tuple(found[1].strip() for found in _OPTIONS.finditer(question))
    if answer.isdecimal() and 0 < int(answer) <= len(options):
        return make("choice", _OPTIONS.sub("", question), answers=(options[int(answer) - 1],), choices=options)
    line = one_line(answer, repairs)
    aside = _ASIDE.fullmatch(line)  # "21 days(from 3 March to 24 March)." also accepts "21 days"
    return make("qa", question, answers=answers([line, *([aside[1]] if aside else [])], asked.where))
