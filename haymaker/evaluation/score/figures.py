"""Means of scores: the only module that computes the figures of tables and files from row scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from haymaker.core.lengths import is_natural, length_order
from haymaker.evaluation.score.row_scores import NO_OUTPUT, RowScore, group_by_cell
from haymaker.releases.shortcut_limits import FLOORS, RANDOM, SHORTCUTS
from haymaker.scoring.metrics import with_judge
from haymaker.scoring.published_tables import AggregateTable, Value, tables
from haymaker.scoring.published_tables import table as published_table
from haymaker.scoring.statistics.means import effective_length, failing_before, mean_over_groups, summarise
from haymaker.scoring.statistics.overall import Place, average


class Figure(NamedTuple):
    """One mean of a table of scores.

    Attributes:
        suite, task: suite and task of the rows.
        metric: metric id, with the judge if a model judges.
        by: value of the column that splits the table; "" without one.
        length: length.
        mean: 0 to 100, over groups.
        error: standard error of the mean over groups; None with fewer than two groups.
        groups, rows: number of groups and rows.
        low, high: 95 % interval, 0 to 100; None with fewer than two groups, or for scores above 1.
    """

    suite: str
    task: str
    metric: str
    by: str
    length: str
    mean: float
    error: float | None
    groups: int
    rows: int
    low: float | None = None
    high: float | None = None


def cell_figures(rows: Iterable[RowScore]) -> Iterator[dict[str, Any]]:
    """Yield the figures of every cell, from 0 to 1 (fields: docs/reference/scores.md)."""
    for cell, scores in group_by_cell(rows).items():
        first, pairs = scores[0], [(row.group, row.score) for row in scores if row.score is not None]
        yield {
            **cell._asdict(),
            "metric_version": first.metric_version,
            "judge": first.judge,
            "primary": first.primary,
            "rows": len(pairs),
            "missing": sum(row.why == NO_OUTPUT for row in scores),
            "no_score": sum(row.score is None and row.why != NO_OUTPUT for row in scores),
            **_mean(pairs),
        }


def _mean(pairs: list[tuple[str, float]]) -> dict[str, Any]:
    if not pairs:
        return {"groups": 0, "mean": None, "standard_error": None, "low": None, "high": None}
    of = average({Place("", "", ""): pairs})
    return {"groups": of.questions, "mean": of.mean, "standard_error": of.error, "low": of.low, "high": of.high}


def above_floor(facts: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, float]:
    """Return `floor`, the mean of random guesses in a manifest, and `above_floor`: (mean - floor) / (1 - floor).

    Empty if the cell has no mean, or the release has no such figure for its task, length and metric.
    """
    measured = facts.get("suites", {}).get(cell["suite"], {}).get(SHORTCUTS, {})
    found = measured.get(cell["task"], {}).get(cell["length"], {})
    percent = found.get(FLOORS, {}).get(RANDOM)
    if percent is None or cell["mean"] is None or cell["metric"] != found["metric"] or percent == 100:
        return {}
    return {"floor": percent / 100, "above_floor": (cell["mean"] - percent / 100) / (1 - percent / 100)}


def figures(rows: Iterable[RowScore]) -> tuple[Figure, ...]:
    """Return the figure of every cell with a score."""
    return tuple(_figure(cell) for cell in cell_figures(rows) if cell["mean"] is not None)


def _figure(cell: Mapping[str, Any]) -> Figure:
    mean, error, low, high = (
        None if value is None else 100 * value
        for value in (cell["mean"], cell["standard_error"], cell["low"], cell["high"])
    )
    assert mean is not None
    metric = with_judge(cell["metric"], cell["judge"])
    place = cell["suite"], cell["task"], metric, cell["by"], cell["length"]
    return Figure(*place, mean, error, cell["groups"], cell["rows"], low, high)


def primary_rows(rows: Iterable[RowScore], metric: str | None) -> list[RowScore]:
    """Return the scores under one metric; None: under each row's primary metric."""
    return [row for row in rows if (row.metric == metric if metric else row.primary)]


def effective_lengths(found: Iterable[Mapping[str, Any]], share: float) -> Iterator[dict[str, Any]]:
    """Yield effective lengths per task and metric: the longest with at least `share` of the score at the shortest."""
    tasks: dict[tuple[str, str, str, bool], list[Mapping[str, Any]]] = defaultdict(list)
    for cell in found:
        if not cell["by"] and cell["mean"] is not None and not is_natural(cell["length"]):
            tasks[cell["suite"], cell["task"], cell["metric"], cell["primary"]].append(cell)
    for cells in tasks.values():
        means = {cell["length"]: cell["mean"] for cell in cells}
        base = min(means, key=length_order)
        if len(means) > 1:
            least = share * means[base]
            yield {key: cells[0][key] for key in ("suite", "task", "metric", "primary")} | {
                "share": share,
                "base_length": base,
                "base_mean": means[base],
                "length": effective_length(means, least) if means[base] else None,
                "below": failing_before(means, least),
                "longest": max(means, key=length_order),
                "min_groups": min(cell["groups"] for cell in cells),
            }


def table_pairs(
    rows: Iterable[RowScore], table: AggregateTable, edition: str
) -> dict[str, dict[Value, list[tuple[str, float]]]]:
    """Return group and score of each row in a published table, by length (shortest first) and figure."""
    wanted = {value for values in table.categories.values() for value in values}
    found: dict[str, dict[Value, list[tuple[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        metric, _, of = row.metric.partition("@")
        value = Value(row.suite, row.task, metric)
        is_counted = row.split == "test" and row.variant in ("", *table.variants) and row.score is not None
        if is_counted and of == edition and value in wanted:
            found[row.length][value].append((row.group, row.score or 0.0))
    return {length: found[length] for length in sorted(found, key=length_order)}


def table_means(
    pairs: Mapping[str, Mapping[Value, list[tuple[str, float]]]],
) -> dict[str, dict[Value, float]]:
    """Return the mean of each figure of a published table, by length, from the result of `table_pairs`."""
    return {length: {value: mean_over_groups(scores) for value, scores in of.items()} for length, of in pairs.items()}


def averages(rows: Sequence[RowScore]) -> Iterator[dict[str, Any]]:
    """Yield the overall and category means of every published table with available figures, in both editions."""
    for name in tables():
        table = published_table(name)
        for edition in ("strict", "official"):
            for length, at in table_means(table_pairs(rows, table, edition)).items():
                summary = summarise(table, at)
                for of, each in (("overall", summary.overall), *summary.languages.items(), *summary.categories.items()):
                    if each.have:
                        place = {"table": name, "title": table.title, "edition": edition, "length": length}
                        yield place | {"of": of, "mean": each.mean, "have": each.have, "should": each.of}
