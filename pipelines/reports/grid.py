"""Tables on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid


def print_grid(out: Console, heads: list[str], columns: list[str], lines: list[tuple[list[str], list[str]]]) -> None:
    """A table whose words stand whole: what the terminal has no room for comes below, with the names again.

    Args:
        out: where it is printed.
        heads: of the columns that name a line.
        columns: of the others.
        lines: the cells of both.
    """
    names = sum(_widths(heads, [line[0] for line in lines]))
    widths = _widths(columns, [line[1] for line in lines])
    first = 0
    while first < len(columns):
        last = first + 1
        while last < len(columns) and names + sum(widths[first : last + 1]) <= out.width:
            last += 1
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        for number, head in enumerate([*heads, *columns[first:last]]):
            grid.add_column(head, justify="left" if number < len(heads) else "right", no_wrap=True)
        for name, cells in lines:
            if any(cells[first:last]):
                grid.add_row(*name, *cells[first:last])
        out.print(grid)
        first = last


def _widths(heads: list[str], lines: list[list[str]]) -> list[int]:
    """Characters of each column, with the gap behind it."""
    return [max(map(len, column)) + 2 for column in zip(heads, *lines, strict=True)]
