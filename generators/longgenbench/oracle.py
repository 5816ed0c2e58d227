"""Exact solver: the required phrases of each entry, read from the finished prompt only."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\*\*\* started \*\*\*\n#\*# (?P<unit>[A-Z][A-Za-z ]*) 1(?P<form>(?: \([^()\n]+\))?)\Z")
_ENTRIES = re.compile(r"^Write all (\d+) \w+, in order\.", re.MULTILINE)
_GRID = re.compile(r"form a grid of (\d+) rows and (\d+) columns")
_LINE = re.compile(r"^- .*$", re.MULTILINE)
_CELL = r"(?: \(row (?P<row>\d+), columns? (?P<left>\d+)(?: to (?P<right>\d+))?\))?"
_HOLDS = r' [a-z ]+ "(?P<text>[^"]+)"\.'
_ONCE, _RANGE, _PERIODIC = "once", "range", "periodic"


def solve(prompt: str) -> list[str]:
    """Return the required phrases as "unit number: phrase".

    Raises:
        ValueError: the prompt has another form, or contradicts itself.
    """
    header, entries = _HEADER.search(prompt), _ENTRIES.search(prompt)
    if not (header and entries):
        raise ValueError("the prompt has no first header, or no number of entries")
    unit, count, grid, answers = header["unit"], int(entries[1]), _GRID.search(prompt), list[str]()
    if grid and int(grid[1]) * int(grid[2]) != count:
        raise ValueError("rows and columns do not match the number of blocks")
    for line in _LINE.findall(prompt):
        indices, text = _read(line, unit, count, int(grid[2]) if grid else 0)
        if indices[0] < 1 or indices[-1] > count:
            raise ValueError(f"{line!r} refers to an entry that does not exist")
        answers += [f"{unit} {index}: {text}" for index in indices]
    if not answers:
        raise ValueError("no entry has a required phrase")
    return answers


def _read(line: str, unit: str, entries: int, columns: int) -> tuple[range, str]:
    """The entries of a line, and its phrase."""
    name = rf"{unit} (?P<first>\d+)"
    forms = {
        _ONCE: rf"- {name}{_CELL}{_HOLDS}",
        _RANGE: rf"- Each of the (?P<number>\d+) \w+ from {name} to {unit} (?P<last>\d+){_CELL}{_HOLDS}",
        _PERIODIC: rf"- Every (?P<step>\d+) \w+, starting with {name}{_CELL} and continuing to the end "
        rf"\((?P<shown>[^()]+) and so on\), the{_HOLDS}",
    }
    found = next(((kind, match) for kind, form in forms.items() if (match := re.fullmatch(form, line))), None)
    if found is None:
        raise ValueError(f"{line!r} cannot be read")
    kind, match = found
    first = int(match["first"])
    indices = range(first, first + 1)
    if kind == _RANGE:
        indices = range(first, int(match["last"]) + 1)
        if len(indices) != int(match["number"]):
            raise ValueError(f"{line!r} has a wrong count")
    elif kind == _PERIODIC:
        indices = range(first, entries + 1, int(match["step"]))
        if match["shown"] != ", ".join(f"{unit} {index}" for index in indices[:3]):
            raise ValueError(f"{line!r} lists entries that do not match its rule")
    _check_cells(line, match, indices[-1] if kind == _RANGE else first, columns)
    return indices, match["text"]


def _check_cells(line: str, match: re.Match[str], last: int, columns: int) -> None:
    """Refuse cells of a grid that do not agree with their numbers."""
    if bool(columns) != bool(match["row"]):
        raise ValueError(f"{line!r} has a cell without a grid, or no cell in a grid")
    if columns:
        cells = [((index - 1) // columns + 1, (index - 1) % columns + 1) for index in (int(match["first"]), last)]
        row, left, right = int(match["row"]), int(match["left"]), int(match["right"] or match["left"])
        if cells != [(row, left), (row, right)]:
            raise ValueError(f"{line!r} has a cell that does not match its number")
