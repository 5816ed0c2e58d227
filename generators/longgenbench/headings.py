"""Headings of the entries: dates that run on from year to year, or places in a grid.

Weeks have seven days and are counted from 1 January of the first year; a number never starts again, so there is no week 53 and no turn of a
year that wraps (docs/spec/longgenbench.md 6). Blocks are numbered row by row, from left to right.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from math import isqrt

from haymaker.core.text.english_grammar import MONTHS

_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class Headings:
    """The headings of a document.

    Attributes:
        unit: first words of every heading.
        year: the first one, of dates.
        columns: of a grid; 0: no grid.
    """

    unit: str
    year: int
    columns: int = 0

    def name(self, index: int) -> str:
        """Unit and number."""
        return f"{self.unit} {index}"

    def of(self, index: int) -> str:
        """The heading of an entry, e.g. "Week 5 (29 January to 4 February 2031)".

        Args:
            index: from 1.
        """
        if self.columns:
            return self.placed(index)
        said = self._dates(index)
        return f"{self.name(index)} ({said})" if said else self.name(index)

    def placed(self, index: int) -> str:
        """Unit and number, in a grid with row and column."""
        row, column = self.cell(index)
        return f"{self.name(index)} (row {row}, column {column})" if self.columns else self.name(index)

    def cell(self, index: int) -> tuple[int, int]:
        """Row and column in the grid, from 1."""
        row, column = divmod(index - 1, self.columns or 1)
        return row + 1, column + 1

    def span(self, first: int, last: int) -> str:
        """Neighbouring entries, in a grid with the row in which they all stand."""
        said = f"{self.name(first)} to {self.name(last)}"
        (row, left), (_, right) = self.cell(first), self.cell(last)
        return f"{said} (row {row}, columns {left} to {right})" if self.columns else said

    def first_day(self) -> str:
        """The day on which entry 1 begins: of weeks without its weekday."""
        start = date(self.year, 1, 1)
        return _day(start) if self.unit.endswith("Day") else _plain(start)

    def turns(self, entries: int) -> bool:
        """Whether the dates of so many entries go past the end of the first year."""
        days = entries * (7 if self.unit.endswith("Week") else 1 if self.unit.endswith("Day") else 0)
        return days > 0 and (date(self.year, 1, 1) + timedelta(days=days - 1)).year > self.year

    def _dates(self, index: int) -> str:
        start = date(self.year, 1, 1)
        if self.unit.endswith("Day"):
            return _day(start + timedelta(days=index - 1))
        if not self.unit.endswith("Week"):
            return ""
        first = start + timedelta(weeks=index - 1)
        last = first + timedelta(days=6)
        if first.year != last.year:
            return f"{_plain(first)} to {_plain(last)}"
        month = f" {MONTHS[first.month - 1]}" if first.month != last.month else ""
        return f"{first.day}{month} to {_plain(last)}"


def _plain(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _day(day: date) -> str:
    return f"{_WEEKDAYS[day.weekday()]}, {_plain(day)}"


def squarest(entries: int) -> tuple[int, int]:
    """Rows and columns of the grid that is as near to a square as fits into so many entries; never more rows than columns."""
    rows = isqrt(entries)
    return rows, entries // rows
