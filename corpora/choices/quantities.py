"""Numbers, years, shares, times of the day and dates in a text: found, read, and written again with another value, in the same style."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from haymaker.core.text.english_grammar import BELOW_TWENTY, MONTHS, TENS, number_words

Kind = Literal["count", "year", "share", "time", "day", "month"]

_NAMED = {word: i for i, word in enumerate(BELOW_TWENTY)} | {word: 10 * i for i, word in enumerate(TENS, 2)}
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(BELOW_TWENTY[1:10])}))?|{'|'.join(sorted(BELOW_TWENTY, key=len, reverse=True))})"
_WORDED = re.compile(rf"(?<![\w-])(?:(?P<hundreds>{'|'.join(BELOW_TWENTY[1:10])}) hundred(?: and)?(?: (?P<rest>{_BELOW_HUNDRED}))?|(?P<plain>{_BELOW_HUNDRED}))(?![\w]|-\w)", re.I)  # fmt: skip
_DIGITS = re.compile(r"(?<![\w.,:/-])(?<![A-Za-z]’)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/]|[.,:]\d|-\w)")
_TIME = re.compile(r"(?<![\w:.])(\d{1,2})[:：](\d{2})(?![\w:])")
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})"
_DATE = re.compile(rf"(?<!\w)(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH.replace('month', 'month2')} (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)(?:,? (?P<year>\d{{4}}))?(?!\w)")  # fmt: skip
_BEFORE_A_YEAR = re.compile(rf"(?:\b(?:in|since|of|from|between|to|and|until|by|year|during|{'|'.join(MONTHS)}),?|^|[(–-]) ?$", re.I)  # fmt: skip
_ONE = frozenset({"one", "zero"})  # pronouns more often than numbers
YEARS = range(1000, 2101)
_PER_CENT = re.compile(r" ?%| per ?cent")
_WORDED_PER_CENT = re.compile(r" per ?cent")
_MOST_CHARACTERS = 24  # of a number; what is longer is a code
_BEFORE = 24  # characters before a year that tell that it is one


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value that stands in a text.

    Attributes:
        start: first character.
        end: one past the last.
        value: in units of the last decimal place; of a time, minutes of the day.
        kind: what it counts.
        decimals: digits behind the point.
        style: digits, grouped (1,000), words, time, or of a part of a date.
        capital: its first letter is one.
    """

    start: int
    end: int
    value: int
    kind: Kind
    decimals: int = 0
    style: str = "digits"
    capital: bool = False

    def written(self, value: int) -> str:
        """Another value in the same style."""
        if self.style == "time":
            return f"{value // 60}:{value % 60:02}"
        if self.style == "month":
            return MONTHS[value - 1]
        if self.style == "words":
            found = number_words(value)
            return found.capitalize() if self.capital else found
        digits = str(value).zfill(self.decimals + 1)
        whole, rest = (digits[: -self.decimals], digits[-self.decimals :]) if self.decimals else (digits, "")
        if self.style == "grouped":
            whole = f"{int(whole):,}"
        return f"{whole}.{rest}" if rest else whole

    @property
    def amount(self) -> float:
        """The value itself."""
        return float(self.value / 10**self.decimals)


@dataclass(frozen=True, slots=True)
class Date:
    """A day of a month that stands in a text, with or without its year.

    Attributes:
        start: first character.
        end: one past the last.
        parts: day, month and, where it is said, year.
    """

    start: int
    end: int
    parts: tuple[Quantity, ...]

    @property
    def value(self) -> tuple[int, int, int]:
        """(year or 0, month, day)."""
        by_kind = {part.kind: part.value for part in self.parts}
        return by_kind.get("year", 0), by_kind["month"], by_kind["day"]


def dates(text: str) -> list[Date]:
    """Days of months, in order; the month is written out."""
    found = []
    for match in _DATE.finditer(text):
        day, month = ("day", "month") if match["day"] else ("day2", "month2")
        parts = [
            Quantity(*match.span(day), int(match[day]), "day"),
            Quantity(*match.span(month), MONTHS.index(match[month]) + 1, "month", style="month"),
        ]
        if match["year"]:
            parts.append(Quantity(*match.span("year"), int(match["year"]), "year"))
        if 0 < int(match[day]) < 32:
            found.append(Date(match.start(), match.end(), tuple(parts)))
    return found


def quantities(text: str) -> list[Quantity]:
    """Numbers, years, shares and times that are no part of a date, in order."""
    taken, found = bytearray(len(text)), list[Quantity]()
    for date in dates(text):
        taken[date.start : date.end] = b"1" * (date.end - date.start)
    for reader in (_times, _digits, _worded):
        for quantity in reader(text):
            if not any(taken[quantity.start : quantity.end]):
                found.append(quantity)
                taken[quantity.start : quantity.end] = b"1" * (quantity.end - quantity.start)
    return sorted(found, key=lambda quantity: quantity.start)


def _times(text: str) -> Iterable[Quantity]:
    for match in _TIME.finditer(text):
        hours, minutes = int(match[1]), int(match[2])
        if hours < 24 and minutes < 60:
            yield Quantity(match.start(), match.end(), 60 * hours + minutes, "time", style="time")


def _digits(text: str) -> Iterable[Quantity]:
    for match in _DIGITS.finditer(text):
        written = match.group()
        if len(written) > _MOST_CHARACTERS:
            continue
        whole, _, rest = written.partition(".")
        value = int(whole.replace(",", "") + rest)
        if whole.startswith("0") and not rest:
            continue  # a code, not a number
        kind: Kind = "count"
        if _PER_CENT.match(text, match.end()):
            kind = "share"
        elif len(written) == 4 and value in YEARS and _BEFORE_A_YEAR.search(_before(text, match.start())):
            kind = "year"
        style = "grouped" if "," in whole else "digits"
        yield Quantity(match.start(), match.end(), value, kind, len(rest), style)


def _before(text: str, at: int) -> str:
    return text[max(0, at - _BEFORE) : at]


def _worded(text: str) -> Iterable[Quantity]:
    for match in _WORDED.finditer(text):
        written = match.group()
        if written.lower() in _ONE and len(text.split(maxsplit=3)) > 3:
            continue
        value = 100 * _NAMED[match["hundreds"].lower()] if match["hundreds"] else 0
        rest = match["rest"] or match["plain"] or ""
        value += sum(_NAMED[word] for word in re.split(r"[- ]", rest.lower()) if word)
        kind: Kind = "share" if _WORDED_PER_CENT.match(text, match.end()) else "count"
        yield Quantity(match.start(), match.end(), value, kind, style="words", capital=written[0].isupper())
