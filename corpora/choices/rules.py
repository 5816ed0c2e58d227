"""Writer `rules`: other orders, values, dates and names in the place of those of the right answer, in sets that do not point at it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from corpora.choices.designs import Slot, corners, ladder, orders
from corpora.choices.form import form_of, order_of
from corpora.choices.names import alternatives, names_in
from corpora.choices.options import Asked, Candidate, Offer
from corpora.choices.quantities import Date, Quantity, dates, quantities
from haymaker.core.rng import Stream
from haymaker.core.text.strings import padded

_AMOUNT = re.compile(r"\b(?:how (?:many|much|long|old|far|often|large|big|tall|high)|when|number|amount|total|difference|percentage|what (?:year|date|time)|which year|in what year)\b", re.I)  # fmt: skip
_MOST_VALUES = 2  # in an answer: more of them follow from each other, and a change of one would show
_FLIPS = (
    ("before", "after"), ("prior to", "subsequent to"), ("increased", "decreased"), ("increase", "decrease"),
    ("highest", "lowest"), ("largest", "smallest"), ("supported", "opposed"), ("rejected", "accepted"), ("northern", "southern"), ("eastern", "western"),
    ("successful", "unsuccessful"), ("necessary", "unnecessary"), ("internal", "external"), ("legal", "illegal"),
)  # fmt: skip
_DIRECTIONS = re.compile(r"\b(?P<first>north|south)[- ]?(?P<second>east|west)(?P<rest>(?:ern)?)\b", re.I)
_SURE_DAYS = 28  # every month has them
_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


class RulesWriter:
    """Needs nothing but the question and its document."""

    name = "rules"

    def offers(self, asked: Asked, n: int, stream: Stream) -> Iterator[Offer]:
        """One whole set, made by the first rule that fits the right answer."""
        if order_of(asked.right):
            found = _orders(asked, n, stream)
        else:
            values = _values(asked)
            if len(values) == 1 and form_of(asked.right) in ("number", "date"):
                found = _ladder(asked, values[0], n, stream)
            else:
                changes = [*map(partial(_value_slot, asked), values), *_opposites(asked), *_names(asked)]
                found = corners(asked.right, changes, n + 1, stream) or []
                if not found and len(values) == 1:
                    found = _ladder(asked, values[0], n, stream)
        if found:
            yield Offer(tuple(Candidate(text, self.name) for text in found), whole=True, designed=True)
        elif others := _with_other_names(asked):
            yield Offer(tuple(Candidate(text, self.name) for text in others), designed=True)


def _orders(asked: Asked, n: int, stream: Stream) -> list[str]:
    right = order_of(asked.right)
    found = orders(right, n + 1, stream)
    places = [(match.start(), match.end()) for match in re.finditer(r"\d{1,2}|[IVXivx]{1,5}|[A-Za-z]", asked.right)]
    return [_placed(asked.right, places, order) for order in found or ()]


def _placed(text: str, places: list[tuple[int, int]], items: list[str]) -> str:
    """The same text with other marks in the places of its marks."""
    for (start, end), item in reversed(list(zip(places, items, strict=True))):
        text = text[:start] + item + text[end:]
    return text


def _values(asked: Asked) -> list[Quantity]:
    """Values of the right answer that the question does not say; none where the question is not about values, or they are too many."""
    form = form_of(asked.right)
    if form == "text" and not _AMOUNT.search(asked.question) and asked.sort != "computation":
        return []
    days = dates(asked.right)
    known = padded(asked.question)
    parts = [part for day in days for part in day.parts if padded(asked.right[day.start : day.end]) not in known]
    numbers = [each for each in quantities(asked.right) if padded(asked.right[each.start : each.end]) not in known]
    if len(numbers) > _MOST_VALUES or len(days) > _MOST_VALUES or (days and numbers):
        return []
    return numbers or parts


def _ladder(asked: Asked, value: Quantity, n: int, stream: Stream) -> list[str]:
    near: list[int] = []
    if asked.sort == "computation":
        met = [each for text in asked.evidence_texts for each in quantities(text)]
        near = [each.value for each in met if (each.kind, each.decimals) == (value.kind, value.decimals)]
    values = ladder(value, n + 1, stream, near) or []
    right = asked.right
    return [right[: value.start] + value.written(other) + right[value.end :] for other in values]


def _value_slot(asked: Asked, value: Quantity) -> Slot:
    days = dates(asked.right)

    def others(n: int, stream: Stream) -> list[str] | None:
        if value.kind == "month" and (own := _day_of(value, days)) > _SURE_DAYS:
            longer = [i for i, days_of in enumerate(_MONTHS, 1) if days_of >= own and 0 < abs(i - value.value) <= 4]
            return [value.written(stream.choice(longer))] if n == 1 else None
        values = ladder(value, n + 1, stream)
        return [value.written(other) for other in values] if values else None

    return Slot(value.start, value.end, others)


def _day_of(month: Quantity, days: list[Date]) -> int:
    return next(part.value for day in days if month in day.parts for part in day.parts if part.kind == "day")


def _opposites(asked: Asked) -> list[Slot]:
    """Words that have an opposite, if only one of the two stands in the answer, once."""
    out = []
    for pair in _FLIPS:
        if any(f" {word} " in padded(asked.question) for word in pair):
            continue
        met = [
            (match, other)
            for word, other in (pair, pair[::-1])
            for match in re.finditer(rf"\b{word}\b", asked.right, re.I)
        ]
        if len(met) == 1 and len(re.findall(r"\w+", asked.right)) > 1:
            match, other = met[0]
            if re.search(r"\ban? $", asked.right[: match.start()], re.I):
                continue  # "an increased", "a decreased"
            out.append(Slot(*match.span(), partial(_one, _cased(other, match.group()))))
    for match in _DIRECTIONS.finditer(asked.right):
        for part in ("first", "second"):
            out.append(Slot(*match.span(part), partial(_one, _cased(_OPPOSITE[match[part].lower()], match[part]))))
    return out


def _one(other: str, n: int, _stream: Stream) -> list[str] | None:
    return [other] if n == 1 else None


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[0].isupper() else word


def _names(asked: Asked) -> list[Slot]:
    """Names within the answer that the question does not say; a name that is the whole answer is for the writer `mined`."""
    known = padded(asked.question)
    return [
        Slot(start, start + len(name.text), partial(_other_names, asked, name.text))
        for start, name in names_in(asked)
        if padded(name.text) not in known and asked.right.count(name.text) == 1 and len(name.text) < len(asked.right)
    ]


def _with_other_names(asked: Asked) -> list[str]:
    """The right answer with another name in the place of its only one."""
    slots = _names(asked)
    if len(slots) != 1:
        return []
    start, end = slots[0].start, slots[0].end
    names = alternatives(asked, asked.reading.names[asked.right[start:end]])
    return [asked.right[:start] + name + asked.right[end:] for name in names]


def _other_names(asked: Asked, name: str, n: int, stream: Stream) -> list[str] | None:
    """Names of the same sort, longer or shorter by the flip of a coin."""
    found = alternatives(asked, asked.reading.names[name])
    longer = stream.chance(0.5)
    liked = sorted(found, key=lambda each: (len(each) > len(name)) != longer)
    return liked[:n] if len(liked) >= n else None
