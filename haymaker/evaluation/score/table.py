"""Print the tables of `haymaker score`: suites by length, tasks by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from rich.table import Table as Grid

from haymaker.core.lengths import length_order
from haymaker.core.progress import out
from haymaker.evaluation.score.figures import Figure
from haymaker.evaluation.score.overall import Summary
from haymaker.scoring.statistics.overall import Average

MIN_QUESTIONS = 10
"""Questions at each length from which on an effective length is printed."""
_FORMULA = (
    "overall: mean over the lengths of a task, then over the tasks of a suite, then over suites, with its 95 % interval;"
    " {rows:,} rows, {questions:,} questions (docs/reference/scores.md)"
)


class Table(NamedTuple):
    """A table as text.

    Attributes:
        heads: headers of the columns that name a line.
        columns: headers of the other columns.
        lines: cells of both, per line.
    """

    heads: list[str]
    columns: list[str]
    lines: list[tuple[list[str], list[str]]]


def summary_table(found: Summary) -> Table:
    """Return suites by length, with the mean over each line in the last column and the overall score in the last line.

    Args:
        found: means, 0 to 100.
    """
    lengths = list(found.lengths) if len(found.lengths) > 1 else []
    lines = []
    for suite, of in found.suites.items() if len(found.suites) > 1 else ():
        cells = [found.grid.get((suite, length)) for length in lengths]
        lines.append(([suite], [*(f"{cell.mean:.1f}" if cell else "" for cell in cells), f"{of.mean:.1f}"]))
    means = [f"{found.lengths[length].mean:.1f}" for length in lengths]
    lines.append((["overall"], [*means, with_interval(found.overall)]))
    return Table(["suite"], [*lengths, "all"] if lengths else list(found.lengths), lines)


def formula(found: Summary) -> str:
    """Return how the overall score is computed, in one line."""
    return _FORMULA.format_map(found.overall._asdict())


def with_interval(of: Figure | Average, digits: int = 1) -> str:
    """Format a mean with its 95 % interval, if it has one; `digits` is the number of decimals of the bounds."""
    bounds = "" if of.low is None else f" [{of.low:.{digits}f}-{of.high:.{digits}f}]"
    return f"{of.mean:.1f}{bounds}"


def tasks_table(figures: Sequence[Figure], by: str | None) -> Table:
    """Return the means per task and metric, one column per length; with `by`, one line per value of that column.

    With several suites, each task name includes its suite, in the form that `haymaker show` accepts.
    """
    lengths = sorted({figure.length for figure in figures}, key=length_order)
    lines: dict[tuple[str, ...], dict[str, Figure]] = defaultdict(dict)
    for figure in figures:
        lines[figure[:4]][figure.length] = figure
    has_several = len({suite for suite, *_ in lines}) > 1
    shown = []
    for (suite, task, metric, value), at in lines.items():
        names = [f"{suite}/{task}" if has_several else task, metric, *([value or "-"] if by else [])]
        cells = [with_interval(at[length], 0) if length in at else "" for length in lengths]
        shown.append((names, [*cells, str(sum(figure.rows for figure in at.values()))]))
    return Table(["task", "metric", *([by] if by else [])], [*lengths, "rows"], shown)


def html_table(table: Table) -> str:
    """Return a table as HTML."""

    def line(tag: str, names: Sequence[str], cells: Sequence[str]) -> str:
        left = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in names)
        return f"<tr>{left}{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(line("td", *cells) for cells in table.lines)
    return f"<table><thead>{line('th', table.heads, table.columns)}</thead><tbody>{body}</tbody></table>"


def print_averages(found: Iterable[Mapping[str, Any]]) -> None:
    """Print one line per complete published table: the overall mean at each length."""
    lines: dict[str, list[str]] = defaultdict(list)
    for each in found:
        if each["of"] == "overall" and each["edition"] == "strict" and each["have"] == each["should"]:
            lines[each["title"]].append(f"{each['length']} {100 * each['mean']:.1f}")
    for title, cells in lines.items():
        out.print(f"average of {title} @strict: {', '.join(cells)}", markup=False)


def print_lengths(found: Sequence[Mapping[str, Any]]) -> None:
    """Print the effective length of each task with enough questions at several lengths."""
    lines = [
        ([each["task"], each["metric"]], [each["base_length"], each["length"], ", ".join(each["below"])])
        for each in found
        if each["primary"] and each["length"] and each["min_groups"] >= MIN_QUESTIONS
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
