"""Records: sentences with a number that can be asked for, of which the long middle of reports and lawsuits is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from corpora.records import KeyPoint
from haymaker.rng import Stream

from .model import Inquiry, Outline
from .wording import capital, fill

_COIN = "crowns"


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
    return Inquiry(fill(s, ask["ask"], record.slots), aliases(str(record.slots[ask["answer"]])), evidence, ask["sort"])


def money(s: Stream, low: int, high: int) -> str:
    """A sum, in steps of ten."""
    return f"{s.between(low, high) * 10:,} {_COIN}"


def aliases(value: str) -> tuple[str, ...]:
    """Accepted forms of a number, a sum or a name."""
    forms = [value]
    if value[0].isdigit():
        forms.append(value.replace(",", ""))
        forms += [form.removesuffix(f" {_COIN}") for form in forms[:2]]
    elif value.startswith(("a ", "an ", "the ")):
        forms.append(value.split(" ", 1)[1])
    return tuple(dict.fromkeys(forms))


def headline(s: Stream, part: dict[str, Any], slots: dict[str, Any], outline: Outline) -> str:
    """A paragraph that the summary speaks of, with its summary sentence and key point noted in the outline."""
    outline.summary.append(fill(s, part["sum"], slots))
    terms = tuple((term.format_map(slots),) for term in part["terms"])
    outline.points.append(KeyPoint(capital(fill(s, part["point"], slots)), terms, "world"))
    return " ".join(fill(s, sentence, slots) for sentence in part["told"])


def evenly(s: Stream, records: Sequence[Record], count: int) -> list[Record]:
    """As many records, one from each of so many equal stretches."""
    count = min(count, len(records))
    edges = [i * len(records) // count for i in range(count + 1)]
    return [records[first + s.below(last - first)] for first, last in pairwise(edges)]
