"""Print the table of `haymaker score`: tasks by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table as Grid

from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import length_order
from haymaker.core.progress import out
from haymaker.evaluation.score.figures import Figure


def print_table(figures: Sequence[Figure], by: str | None) -> None:
    """Print the means per task and metric, one column per length; with `by`, one line per value of that column.

    With several suites, each task name includes its suite, in the form that `haymaker show` accepts.

    Raises:
        ReleaseError: there is no figure.
    """
    if not figures:
        fix = "a judge's replies go in with --replies, or choose another --metric"
        raise ReleaseError("no row has a score", fix=fix)
    lengths = sorted({figure.length for figure in figures}, key=length_order)
    lines: dict[tuple[str, ...], dict[str, Figure]] = defaultdict(dict)
    for figure in figures:
        lines[figure[:4]][figure.length] = figure
    has_several = len({suite for suite, *_ in lines}) > 1
    shown = []
    for (suite, task, metric, value), at in lines.items():
        names = [f"{suite}/{task}" if has_several else task, metric, *([value or "-"] if by else [])]
        cells = [_cell(at[length]) if length in at else "" for length in lengths]
        shown.append((names, [*cells, str(sum(figure.rows for figure in at.values()))]))
    print_grid(["task", "metric", *([by] if by else [])], [*lengths, "rows"], shown)


def _cell(figure: Figure) -> str:
    """Format a mean with its 95 % interval, if it has one."""
    bounds = "" if figure.low is None else f" [{figure.low:.0f}-{figure.high:.0f}]"
    return f"{figure.mean:.1f}{bounds}"


def print_averages(found: Iterable[Mapping[str, Any]]) -> None:
    """Print one line per published table: the overall mean at each length, with the figure count if incomplete."""
    lines: dict[str, list[str]] = defaultdict(list)
    for each in found:
        if each["of"] == "overall" and each["edition"] == "strict":
            incomplete = "" if each["have"] == each["should"] else f" ({each['have']}/{each['should']})"
            lines[each["title"]].append(f"{each['length']} {100 * each['mean']:.1f}{incomplete}")
    for title, cells in lines.items():
        out.print(f"average of {title} @strict: {', '.join(cells)}", markup=False)


def print_lengths(found: Sequence[Mapping[str, Any]]) -> None:
    """Print the effective length of each task with several lengths."""
    lines = [
        ([each["task"], each["metric"]], [each["base_length"], each["length"] or "none", ", ".join(each["below"])])
        for each in found
        if each["primary"]
    ]
    if lines:
        out.print(
            f"effective length: the longest with {100 * found[0]['share']:g} % of the score at the shortest",
            markup=False,
        )
        lines = lines if any(cells[2] for _, cells in lines) else [(name, cells[:2]) for name, cells in lines]
        print_grid(["task", "metric"], ["shortest", "effective", "yet below it at"][: len(lines[0][1])], lines)


def print_grid(heads: list[str], columns: list[str], lines: list[tuple[list[str], list[str]]]) -> None:
    """Print a table without wrapping words: columns that do not fit continue below, with the names repeated.

    Args:
        heads: headers of the columns that name a line.
        columns: headers of the other columns.
        lines: cells of both, per line.
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
    """Return the width of each column in characters, including the gap after it."""
    return [max(map(len, column)) + 2 for column in zip(heads, *lines, strict=True)]
