"""Scores of outputs, row by row, and their means by task and length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.errors import HaymakerError
from haymaker.evaluation.models.requests import is_base, metric_input, reads_cue
from haymaker.evaluation.score import split_by
from haymaker.evaluation.score.config import ScoringOptions
from haymaker.evaluation.score.rows import NO_OUTPUT, PLACES, Cell, RowScore, group_by_cell, row_score
from haymaker.releases.folder import rows
from haymaker.scoring.metrics import Metric, get, with_judge
from haymaker.scoring.published_tables import AggregateTable
from haymaker.scoring.statistics.means import mean_over_groups


@dataclass(slots=True)
class Tally:
    """Scores of rows, and why others have none.

    Attributes:
        scores: group and score of each row.
        silent: test rows without an output, by suite, task and bucket.
        lacking: rows that can have no score, by metric and reason.
        refused: metrics that cannot be computed here, and why.
        aside: outputs of rows that are in no mean, by what these rows are.
        sources: names of what a task of a published table was made of.
        variants: of test rows that a published table does not hold, by suite, task and bucket.
        rows: every score of every row, where these are wanted (haymaker/evaluation/score/rows.py).
        judges: who judges a metric, by its id; "" where a rule alone decides.
    """

    scores: dict[Cell, list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    silent: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lacking: dict[Cell, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    refused: dict[str, str] = field(default_factory=dict)
    aside: Counter[str] = field(default_factory=Counter)
    sources: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    variants: dict[tuple[str, str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    rows: list[Any] = field(default_factory=list)
    judges: dict[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> set[tuple[str, str]]:
        """(suite, task) of the rows that have a score."""
        return {(cell.suite, cell.task) for cell in self.scores}

    def add(self, metric: Metric, row: Mapping[str, Any], output: str, by: str) -> tuple[float | None, str]:
        """Score a row by a metric: the score, or None and why there is none.

        Raises:
            HaymakerError: the metric cannot be computed here.
        """
        cell = Cell(row["suite"], row["task"], metric.id, by, row["bucket"])
        score, reason = metric.scored(output, row)  # it may refuse: a cell without scores is none
        self.judges.setdefault(metric.id, metric.judged_by)
        if score is None:
            self.lacking[cell][reason] += 1
        else:
            self.scores[cell].append((row["group_id"], score))
        return score, reason


class Figure(NamedTuple):
    """One mean of a table of scores.

    Attributes:
        suite, task: whose rows.
        metric: its id, with who judges where a model decides.
        by: value of the column that the table is split by; "" where it is not.
        bucket: length.
        mean: 0 .. 100, over groups.
        error: standard error of the mean, over groups; None of fewer than two.
        groups, rows: how many.
    """

    suite: str
    task: str
    metric: str
    by: str
    bucket: str
    mean: float
    error: float | None
    groups: int
    rows: int


def figures(tally: Tally) -> tuple[Figure, ...]:
    """The mean of every cell."""
    judges = tally.judges
    return tuple(_figure(cell, with_judge(cell.metric, judges[cell.metric]), of) for cell, of in tally.scores.items())


def _figure(cell: Cell, title: str, scores: list[tuple[str, float]]) -> Figure:
    mean, error, groups, rows = mean_over_groups(scores)
    spread = None if error is None else 100 * error
    return Figure(cell.suite, cell.task, title, cell.by, cell.bucket, 100 * mean, spread, groups, rows)


def primary_figures(rows: list[RowScore], wish: ScoringOptions) -> tuple[Figure, ...]:
    """Means of each row's first metric, or of the one that is wanted."""
    tally = Tally()
    for cell, those in group_by_cell(
        row for row in rows if row.metric == wish.metric or (row.primary and not wish.metric)
    ).items():
        if pairs := [(row.group, row.score) for row in those if row.score is not None]:
            tally.scores[cell] = pairs
            tally.judges[cell.metric] = those[0].judge
    return figures(tally)


def score_outputs(release: Path, outputs: dict[str, str], wish: ScoringOptions, table: AggregateTable | None) -> Tally:
    """Scores of all rows with an output; these are taken out of `outputs`."""
    tally = Tally()
    chosen: list[Metric] = []

    def columns(first: Mapping[str, Any]) -> tuple[str, ...]:
        chosen[:] = map(get, _wanted(first, wish, table))
        split = (split_by.column(wish.by),) if wish.by else ()
        cue = (
            ("prompt", "cue_start")
            if any(reads_cue(metric.id, first["suite"], base=is_base(wish.prompting)) for metric in chosen)
            else ()
        )
        return (
            *split,
            *PLACES * wish.every,
            *("sources",) * bool(table),
            *cue,
            *(column for metric in chosen for column in metric.columns),
        )

    for row in rows(release, columns):
        if why := _aside(row, wish, bool(chosen), table):
            tally.aside[why] += outputs.pop(row["id"], None) is not None
            if chosen and row["part"] == "test":
                tally.variants[row["suite"], row["task"], row["bucket"]].add(row["variant"] or "")
            continue
        if row["id"] not in outputs:
            tally.silent[row["suite"], row["task"], row["bucket"]] += row["part"] == "test"
            if wish.every and row["part"] == "test":
                by = split_by.value(row, wish.by)
                tally.rows += (row_score(row, m, None, NO_OUTPUT, by) for m in chosen if m.id in row["metrics"])
            continue
        output = outputs.pop(row["id"])
        if table:
            tally.sources[row["suite"], row["task"]].update(row["sources"] or ())
        for metric in chosen:
            if not wish.every or metric.id in row["metrics"]:
                _score(tally, metric, row, output, wish, bool(table))
    return tally


def _score(
    tally: Tally, metric: Metric, row: Mapping[str, Any], output: str, wish: ScoringOptions, of_table: bool
) -> None:
    """Score a row by a metric, one that cannot be computed here once."""
    score, why, by = None, "", split_by.value(row, wish.by)
    try:
        if metric.id not in tally.refused:
            said = metric_input(metric.id, row, output, base=is_base(wish.prompting))
            score, why = tally.add(metric, row, said, by)
    except HaymakerError as error:
        if not (of_table or wish.every):
            raise
        tally.refused[metric.id] = error.what
    if wish.every:
        tally.rows.append(row_score(row, metric, score, why or tally.refused.get(metric.id, ""), by))


def _aside(row: Mapping[str, Any], wish: ScoringOptions, wanted: bool, table: AggregateTable | None) -> str:
    """What rows are that are in no mean, this one among them; "" of a row that is."""
    if table:
        plain = wanted and row["part"] == "test" and (row["variant"] or "") in ("", *table.variants)
        return "" if plain else "other tasks, parts or variants than this table holds"
    if row["part"] != "test" and wish.by != "part":
        return "rows of other parts than test, which --by part shows,"
    if wish.metric and wish.metric not in row["metrics"]:
        return f"rows that {wish.metric} is no metric of"
    return ""


def _wanted(first: Mapping[str, Any], wish: ScoringOptions, table: AggregateTable | None) -> list[str]:
    """Metric ids that are wanted of a file's rows."""
    if table:
        return _aggregated(first, table, wish.edition)
    if wish.metric:
        return [wish.metric] if wish.metric in first["metrics"] else []
    if wish.every:
        return list(first["metrics"])
    return [first["metrics"][0]]


def _aggregated(row: Mapping[str, Any], table: AggregateTable, edition: str) -> list[str]:
    """Metric ids that a table wants of a row's task."""
    wanted = [d.metrics for d in table.datasets if (d.suite, d.task) == (row["suite"], row["task"])]
    classes = [f"{metric}@strict" for metric in table.classes if wanted]
    return [*(f"{metric}@{edition}" for metrics in wanted for metric in metrics), *classes]
