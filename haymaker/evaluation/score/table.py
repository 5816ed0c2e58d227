"""What `haymaker score` prints: a table of tasks by bucket, or a published table's means and what is missing in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table as Grid

from haymaker.core.buckets import bucket_order
from haymaker.core.errors import ReleaseError
from haymaker.core.progress import out
from haymaker.evaluation.score.means import Figure, Tally
from haymaker.evaluation.score.rows import Cell, natural_order
from haymaker.releases.display.simulated_tasks import simulated_note
from haymaker.scoring.published_tables import AggregateTable, Value, tables
from haymaker.scoring.published_tables import table as aggregate_table
from haymaker.scoring.statistics.intervals import of_mean
from haymaker.scoring.statistics.means import (
    Share,
    Summary,
    effective_length,
    failing_before,
    mean_over_groups,
    summarise,
    weighted_means,
)


def print_table(figures: Sequence[Figure], by: str | None) -> None:
    """Means per task and metric, one column per bucket; with `by` one line per value of that column.

    Tasks stand by suite, qa2 before qa10; where there are several suites each name says its own, as `show` takes it.
    """
    if not figures:
        raise ReleaseError(
            "no row has a score", fix="a judge's replies go in with --replies, or choose another --metric"
        )
    buckets = sorted({figure.bucket for figure in figures}, key=bucket_order)
    lines: list[tuple[list[str], list[str]]] = []
    tasks = sorted({figure[:3]: None for figure in figures}, key=lambda found: (found[0], natural_order(found[1])))
    has_several = len({suite for suite, *_ in tasks}) > 1
    for suite, task, metric in tasks:
        cells = {(f.by, f.bucket): f for f in figures if f[:3] == (suite, task, metric)}
        for value in sorted({value for value, _ in cells}, key=lambda v: (len(v), v) if v.isdigit() else (0, v)):
            line = [cells.get((value, bucket)) for bucket in buckets]
            shown = [_sure(figure) if figure else "" for figure in line]
            label = [value or "-"] if by else []
            name = f"{suite}/{task}" if has_several else task
            lines.append(([name, metric, *label], [*shown, str(sum(figure.rows for figure in line if figure))]))
    print_grid(["task", "metric", *([by] if by else [])], [*buckets, "rows"], lines)


def _sure(figure: Figure) -> str:
    """A mean with its 95 % interval; alone where there is none, of one question or of points beyond 100."""
    error = None if figure.error is None else figure.error / 100
    bounds = of_mean(figure.mean / 100, error, figure.groups) if figure.mean <= 100 else None
    return f"{figure.mean:.1f}" + (f" [{100 * bounds.low:.0f}-{100 * bounds.high:.0f}]" if bounds else "")


def print_aggregate(table: AggregateTable, tally: Tally, edition: str, manifest: Mapping[str, Any]) -> None:
    """The table's means per bucket; what is missing is named, and a mean without it says of how many figures it is.

    Under it stand the release and every source that is not the one the table was published with.
    """
    figures: dict[str, dict[Value, float]] = defaultdict(dict)
    for cell, scores in tally.scores.items():
        value = Value(cell.suite, cell.task, cell.metric.partition("@")[0])
        figures[cell.bucket][value] = mean_over_groups(scores).mean
    if not figures:
        raise ReleaseError(f"no row is of a task of {table.title}", fix=_other_tables(manifest))
    buckets = [*table.buckets, *sorted(set(figures) - set(table.buckets), key=bucket_order)]
    summaries = {bucket: summarise(table, figures.get(bucket, {})) for bucket in buckets}
    lines = category_lines(table, summaries)
    for name, share in summaries[buckets[0]].languages.items():
        lines.append(([f"overall {name}", str(share.of)], [_shown(summaries[b].languages[name]) for b in buckets]))
    print_grid([f"{table.title} @{edition}", "of"], buckets, lines)
    _print_lengths(table, summaries)
    left_out = manifest.get("unavailable", {})
    for line in (
        *_provenance(table, tally, manifest),
        *simulated_note(manifest, tally.tasks),
        *_missing(tally, summaries, edition, left_out),
    ):
        out.print(line, markup=False)


def _other_tables(manifest: Mapping[str, Any]) -> str:
    """Which tables hold tasks of a release: a simulated twin has a table of its own."""
    here = {(suite, task["name"]) for suite, facts in manifest.get("suites", {}).items() for task in facts["tasks"]}
    names = [name for name in tables() if here & {(each.suite, each.task) for each in aggregate_table(name).datasets}]
    return f"--aggregate {' or '.join(names)}, whose tasks are in this release" if names else "score rows of its tasks"


def category_lines(table: AggregateTable, summaries: Mapping[str, Summary]) -> list[tuple[list[str], list[str]]]:
    """A line per category and one of them all: name and number of figures, a mean per bucket."""
    every = summaries.values()
    lines = [
        ([name, str(len(values))], [_shown(summary.categories[name]) for summary in every])
        for name, values in table.categories.items()
    ]
    total = next(iter(every)).overall.of
    return [*lines, (["overall", str(total)], [_shown(summary.overall) for summary in every])]


def _print_lengths(table: AggregateTable, summaries: Mapping[str, Summary]) -> None:
    """RULER's effective length and weighted means, of complete lengths alone."""
    means = {b: 100 * s.overall.mean for b, s in summaries.items() if s.overall.complete and s.overall.mean is not None}
    if table.effective is not None:
        length = effective_length(means, table.effective) or "none"
        below = failing_before(means, table.effective)
        yet = f", though less at {', '.join(below)}" if below else ""
        out.print(
            f"effective length (at least {table.effective}): {length}{yet}, of complete lengths: {', '.join(means)}"
        )
    if not table.weighted:
        return
    if all(bucket in means for bucket in table.weighted):
        rising, falling = weighted_means([means[bucket] for bucket in table.weighted])
        out.print(f"weighted means of {', '.join(table.weighted)}: rising {rising:.1f}, falling {falling:.1f}")
    else:
        lacking = ", ".join(bucket for bucket in table.weighted if bucket not in means)
        out.print(f"no weighted means: not complete at {lacking}")


def _provenance(table: AggregateTable, tally: Tally, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The release, and one line per source that is not the published one: what is made of it."""
    named = "release {name} {version}, {edition} edition" if manifest else "a release without a manifest"
    yield named.format_map(manifest)
    others: dict[str, list[str]] = defaultdict(list)
    for dataset in table.datasets:
        for name in sorted(tally.sources.get((dataset.suite, dataset.task), ())):
            if manifest.get("sources", {}).get(name, {}).get("source") not in dataset.published:
                others[name].append(dataset.task)
    for name, tasks in others.items():
        title = manifest.get("sources", {}).get(name, {}).get("title", "unknown")
        yield f"not {table.title}'s data but {name} ({title}): {', '.join(tasks)}"


def _missing(
    tally: Tally, summaries: Mapping[str, Summary], edition: str, left_out: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """One line per figure that is missing at some lengths: where, and why."""
    places: dict[tuple[Value, str], list[str]] = defaultdict(list)
    for bucket, summary in summaries.items():
        for value in summary.missing:
            cell = Cell(value.suite, value.task, f"{value.metric}@{edition}", "", bucket)
            why = tally.refused.get(cell.metric) or _lacking(tally, cell)
            why = why or left_out.get(value.suite, {}).get(value.task) or "not in this release"
            places[value, why].append(bucket)
    for (value, why), buckets in places.items():
        yield f"missing at {', '.join(buckets)}: {value.task} {value.metric}@{edition} ({why})"


def _lacking(tally: Tally, cell: Cell) -> str:
    """Why there is no figure, by the rows of the release; empty where it has none."""
    place = cell.suite, cell.task, cell.bucket
    if reasons := tally.lacking.get(cell):
        return ", ".join(reasons)
    if tally.silent[place]:
        return "no outputs"
    return f"only as variant {', '.join(sorted(tally.variants[place]))}" if place in tally.variants else ""


def print_grid(heads: list[str], columns: list[str], lines: list[tuple[list[str], list[str]]]) -> None:
    """A table whose words stand whole: what the terminal has no room for comes below, with the names again.

    Args:
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


def _shown(share: Share) -> str:
    """A mean, and of how many figures where some are missing."""
    if share.mean is None:
        return "-"
    return _percent(share.mean) if share.complete else f"{_percent(share.mean)} ({share.have}/{share.of})"


def _percent(mean: float) -> str:
    return f"{100 * mean:.1f}"
