"""Numbers in digits that a story can hold: years, dates, pages, prices, sums, counts, and long ones of tickets and notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from haymaker.core.text.english_grammar import short_ordinal

from .cards import Entropy, pick
from .grammar import Specials
from .texts import lexicon

_LONG = (5, 6, 7, 7)  # digits of things that are numbered in a series
_DAYS = 28
_LATE, _EARLY = 30, 160  # years before the story: within a life, and beyond all memory
_STEPS = ((100, 1), (1_000, 5), (10_000, 50))  # sums are rounder, the larger they are


class Dated(Entropy, Protocol):
    """State of the teller that a number needs: the year in which the story began, the days since, and the month of the scene."""

    year: int
    day: int
    month: int


def number_slots() -> Specials:
    """Slots of the grammar that write a number in digits, each as large as what it counts or names can be."""
    return {
        "year": lambda t: str(_now(t)),
        "pastyear": lambda t: str(_before(t, _EARLY)),
        "lateyear": lambda t: str(_before(t, _LATE)),
        "years": _years,
        "date": lambda t: _date(t, t.month),
        "pastdate": lambda t: _date(t, pick(t, 12)),
        "age": _between(58, 94),
        "page": _between(3, 640),
        "sheet": _between(2, 8),
        "psalm": _between(3, 150),
        "house": _between(3, 148),
        "regiment": lambda t: short_ordinal(5 + pick(t, 94)),
        "small": _between(4, 19),
        "some": _between(21, 160),
        "mark": _between(11, 960),
        "miles": _between(6, 190),
        "price": _between(4, 95),
        "wealth": lambda t: _sum(t, 40, 9_900),
        "souls": _comma(60, 4_200),
        "number": _long,
    }


def _now(t: Dated) -> int:
    return t.year + t.day // 360


def _before(t: Dated, years: int) -> int:
    return _now(t) - 2 - pick(t, years)


def _years(t: Dated) -> str:
    last = _before(t, _EARLY // 2)
    return f"from {last - 12 - pick(t, 70)} to {last}"


def _date(t: Dated, month: int) -> str:
    return f"{1 + pick(t, _DAYS)} {lexicon()['month'][month]}"


def _between(low: int, high: int) -> Callable[[Dated], str]:
    return lambda t: str(low + pick(t, high - low + 1))


def _comma(low: int, high: int) -> Callable[[Dated], str]:
    return lambda t: f"{low + pick(t, high - low + 1):,}"


def _sum(t: Dated, low: int, high: int) -> str:
    """As often of two digits as of three and of four."""
    most, step = _STEPS[pick(t, len(_STEPS))]
    least = max(low, most // 10)
    return f"{least + pick(t, (min(most, high) - least) // step) * step:,}"


def _long(t: Dated) -> str:
    size = _LONG[pick(t, len(_LONG))]
    return str(10 ** (size - 1) + pick(t, 9 * 10 ** (size - 1)))
