"""Headings of the entries: dates that continue into the next year, or cells of a grid, row by row from left to right.

Weeks have seven days and are counted from 1 January of the first year (docs/spec/longgenbench.md 6).
"""

from __future__ import annotations

from datetime import date, timedelta
from math import isqrt
from typing import NamedTuple

from haymaker.core.text.english_grammar import MONTHS

_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class Headings(NamedTuple):
    """The headings of a document: first words, first year (for dates), columns of the grid (0: no grid)."""

    unit: str
    year: int
    columns: int = 0

    def name(self, index: int) -> str:
        return f"{self.unit} {index}"

    def of(self, index: int) -> str:
        """Return the heading of an entry (from 1), e.g. "Week 5 (29 January to 4 February 2031)"."""
        dates = "" if self.columns else self._dates(index)
        return f"{self.name(index)} ({dates})" if dates else self.placed(index)

    def placed(self, index: int) -> str:
        """Return unit and number, in a grid with row and column."""
        row, column = self.cell(index)
        return f"{self.name(index)} (row {row}, column {column})" if self.columns else self.name(index)

    def cell(self, index: int) -> tuple[int, int]:
        """Return row and column in the grid, from 1."""
        row, column = divmod(index - 1, self.columns or 1)
        return row + 1, column + 1

    def span(self, first: int, last: int) -> str:
        """Return the name of neighbouring entries, in a grid with their row."""
        names = f"{self.name(first)} to {self.name(last)}"
        (row, left), (_, right) = self.cell(first), self.cell(last)
        return f"{names} (row {row}, columns {left} to {right})" if self.columns else names

    def first_day(self) -> str:
        """Return the first day of entry 1, with its weekday if entries are days."""
        return (_day if self._days == 1 else _plain)(self._after(0))

    def turns(self, entries: int) -> bool:
        """Return whether the dates of so many entries end in a later year."""
        return self._days > 0 and self._after(entries * self._days - 1).year > self.year

    @property
    def _days(self) -> int:
        """Days of an entry; 0: entries have no dates."""
        return 7 if self.unit.endswith("Week") else 1 if self.unit.endswith("Day") else 0

    def _after(self, days: int) -> date:
        return date(self.year, 1, 1) + timedelta(days=days)

    def _dates(self, index: int) -> str:
        first = self._after((index - 1) * self._days)
        if self._days < 2:
            return _day(first) if self._days else ""
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
    """Return rows and columns of the squarest grid within so many entries; never more rows than columns."""
    rows = isqrt(entries)
    return rows, entries // rows
