"""LooGLE's questions as Marathon asks them: repaired, of one type each, numbers resolved (docs/spec/marathon.md 2, 3.1).

A timeline question asks for the order of numbered events, from the first to the last: "3, 1, 2" says that event 3 came first. That is
how its authors' own list of such questions reads; the sample cannot tell, since its three orders are their own inverses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from corpora.sources.loogle_faults import fault
from corpora.sources.loogle_records import Asked, Line, folded, parted
from corpora.sources.loogle_repair import mended, on_one_line
from corpora.sources.loogle_timeline import listed, numbered, order_of, place_of
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion

TIMELINE, SHORT = "timeline_reorder", "shortdep_qa"
SORTS = ("comprehension_and_reasoning", "multiple_information_retrieval", TIMELINE, "computation")
NO_ORDER = "timeline answer is no order of its events"
PINNED = "b280201c5ab12cab9fd0d3a4de0c45830db8cd00"
_AMOUNT = re.compile(r"\bhow (?:many|much|long|old|far|often)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b",
    re.IGNORECASE,
)
_LOOSE_END = re.compile(r"[\s;,]+(\.?)$")


def questions(found: Iterable[Line], sort: str = "") -> tuple[list[DocumentQuestion], Counter[str]]:
    """What is asked, repaired, and what was repaired, noted or left out: name -> how often.

    Args:
        found: lines of a file.
        sort: of all its questions; empty where each says its own.

    Raises:
        SourceError: a question without a type where one is needed, or with an unknown one; names file, line and pair.
    """
    out: list[DocumentQuestion] = []
    counts, asked_of = Counter[str](), Counter[str]()
    for line in found:
        for asked in line.asked:
            asked_of[line.doc_id] += 1
            question_id = f"{line.doc_id}-{asked_of[line.doc_id]:02d}"
            one = _question(asked, line, question_id, sort or sort_of(asked), counts)
            out += [one] if one else []
    return out, +counts


def sort_of(asked: Asked) -> str:
    """The type that a question names.

    Raises:
        SourceError: none, or one that LooGLE does not have.
    """
    if asked.sort is None:
        raise SourceError(
            f"its question has no type: later revisions of LooGLE have none, {PINNED} is the last that has", where=asked.where,
            fix=f"set revision: {PINNED} in the source's block, or url: to a folder with files of that revision",
        )  # fmt: skip
    if asked.sort not in SORTS:
        raise SourceError(
            f"type {asked.sort!r:.40} is none of {', '.join(SORTS)}", where=asked.where, fix="mend that record"
        )
    return asked.sort


def missing_sorts(found: Iterable[Line]) -> list[str]:
    """Types that no question has."""
    there = {sort_of(asked) for line in found for asked in line.asked}
    return [sort for sort in SORTS if sort not in there]


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
        answer = things[place - 1] if place else on_one_line(answer, counts)
        if sort in SORTS[:2] and _AMOUNT.search(text) and _NUMBER.search(answer):
            counts[f"amount_under_{sort}"] += 1
    if sort == TIMELINE and not order:
        return None
    return DocumentQuestion(
        question_id, line.doc_id, "test", "choice" if place else "qa", text, answers=(answer,),
        choices=tuple(things) if place else (), evidence=evidence, sort=sort,
    )  # fmt: skip
