"""Records: sentences with a number that can be asked for, of which the long middle of reports and lawsuits is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from haymaker.rng import Stream

from .answers import forms, key_point
from .model import CHOICE_OF, WRONG, Inquiry, Outline
from .wording import fill

_COIN = "crowns"
_NEAR = 6_000  # characters: how far from the evidence wrong options may stand; about a thousand words


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it is told.

    Attributes:
        text: the sentence.
        slots: its values.
        tail: the entry of `tails` it ends with.
        before: a sentence without which it is not understood: who says "I".
    """

    text: str
    slots: dict[str, Any]
    tail: dict[str, Any]
    before: str = ""


def tell(s: Stream, wording: str, tail: dict[str, Any], slots: dict[str, Any], before: str = "") -> Record:
    """A record in words."""
    return Record(fill(s, wording.replace("{tail}", tail["text"]), slots), slots, tail, before)


def inquire(s: Stream, record: Record, asks: Sequence[str]) -> Inquiry:
    """The question about a record: about its tail where that can be asked for, mostly, else about its number."""
    tail, number = record.tail, {"ask": s.choice(asks), "sort": "count", "answer": "n"}
    ask = tail if tail["ask"] and s.below(4) else number
    evidence = tuple(filter(None, (record.before, record.text)))
    return Inquiry(fill(s, ask["ask"], record.slots), forms(str(record.slots[ask["answer"]])), evidence, ask["sort"])


def money(s: Stream, low: int, high: int) -> str:
    """A sum, in steps of ten."""
    return f"{s.between(low, high) * 10:,} {_COIN}"


def headline(s: Stream, part: dict[str, Any], slots: dict[str, Any], outline: Outline) -> str:
    """A paragraph that the summary speaks of, with its summary sentence and key point noted in the outline."""
    outline.summary.append(fill(s, s.choice(part["sum"]), slots))
    outline.points.append(key_point(s, part["point"], part["terms"], slots))
    return " ".join(fill(s, sentence, slots) for sentence in part["told"])


def evenly(s: Stream, records: Sequence[Record], count: int) -> list[Record]:
    """As many records, one from each of so many equal stretches."""
    count = min(count, len(records))
    edges = [i * len(records) // count for i in range(count + 1)]
    return [records[first + s.below(last - first)] for first, last in pairwise(edges)]


def with_choices(s: Stream, inquiries: Sequence[Inquiry], records: Sequence[Record], text: str) -> list[Inquiry]:
    """One in three inquiries of a sort as a choice, if three other values of the sort are told near its evidence.

    A row shows a part of the document: a wrong option from elsewhere would give itself away by not standing there.

    Args:
        s: decides where counting begins, and on which side of the evidence the wrong options stand.
        inquiries: of the document, in any order; totals are told nowhere, so other totals are their wrong options.
        records: in the order of the text, all that it tells.
        text: the document.
    """
    told = _told(records, text)
    totals = [inquiry.answers[0] for inquiry in inquiries if inquiry.sort == "total"]
    turns: defaultdict[str, int] = defaultdict(lambda: s.below(CHOICE_OF))
    found = []
    for inquiry in inquiries:
        turns[inquiry.sort] += 1
        options = [*inquiry.decoys, *(s.shuffled(totals) if inquiry.sort == "total" else near(s, inquiry, told, text))]
        wrong = [each for each in dict.fromkeys(options) if each != inquiry.answers[0] and each not in inquiry.text]
        chosen = turns[inquiry.sort] % CHOICE_OF == 0 and len(wrong) >= WRONG
        found.append(replace(inquiry, decoys=tuple(wrong[:WRONG]) if chosen else ()))
    return found


def near(s: Stream, inquiry: Inquiry, told: dict[str, list[tuple[int, str]]], text: str) -> list[str]:
    """Values of the sort that are told near the evidence, none to three of them before it, so that its place tells nothing."""
    place = text.index(inquiry.evidence[-1])
    near = [(at - place, value) for at, value in told.get(inquiry.sort, ()) if abs(at - place) <= _NEAR]
    near = [(at, value) for at, value in near if value != inquiry.answers[0] and value not in inquiry.text]
    before = list(dict.fromkeys(value for at, value in reversed(near) if at < 0))
    behind = [value for value in dict.fromkeys(value for at, value in near if at > 0) if value not in before[:WRONG]]
    share = s.below(WRONG + 1)
    return [*before[:share], *behind[: WRONG - share], *before[share:], *behind[WRONG - share :]]


def _told(records: Sequence[Record], text: str) -> dict[str, list[tuple[int, str]]]:
    """Sort -> its values with where they are told."""
    told: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    at = 0
    for record in records:
        at = text.index(record.text, at)
        told["count"].append((at, str(record.slots["n"])))
        if record.tail["ask"]:
            told[record.tail["sort"]].append((at, str(record.slots[record.tail["answer"]])))
    return told
