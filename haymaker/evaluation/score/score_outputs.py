"""Score the outputs of a model for every row of a release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.core.errors import HaymakerError
from haymaker.evaluation.models.row_requests import is_base, metric_input, reads_cue
from haymaker.evaluation.score import split_by
from haymaker.evaluation.score.options import ScoringOptions
from haymaker.evaluation.score.row_scores import NO_OUTPUT, PLACES, RowScore, row_score
from haymaker.releases.folder import rows
from haymaker.scoring.metrics import Metric, get
from haymaker.scoring.published_tables import AggregateTable

OTHER_VARIANTS = "tasks, splits or variants that are not in this table"


@dataclass(slots=True)
class ScoredOutputs:
    """The scores of all rows, and counts of excluded outputs.

    Attributes:
        rows: one score per row and metric; test rows without an output included.
        refused: metrics that cannot be computed here -> reason.
        excluded: number of outputs for excluded rows, by description of these rows.
        sources: (suite, task) -> names of the sources in the rows of a published table.
        variants: (suite, task, length) -> variants of test rows that a published table excludes.
    """

    rows: list[RowScore] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    excluded: Counter[str] = field(default_factory=Counter)
    sources: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    variants: dict[tuple[str, str, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def tables(self) -> set[tuple[str, str, str]]:
        """(suite, task, length) of the rows with an output."""
        return {row.table for row in self.rows if row.why != NO_OUTPUT}

    @property
    def answered(self) -> set[str]:
        """Ids of the rows with an output."""
        return {row.id for row in self.rows if row.why != NO_OUTPUT}

    @property
    def tasks(self) -> set[tuple[str, str]]:
        """(suite, task) of the rows with a score."""
        return {(row.suite, row.task) for row in self.rows if row.score is not None}

    @property
    def silent(self) -> Counter[tuple[str, str, str]]:
        """(suite, task, length) -> number of test rows without an output."""
        return Counter(table for _, table in {(row.id, row.table) for row in self.rows if row.why == NO_OUTPUT})


def score_outputs(
    release: Path, outputs: dict[str, str], options: ScoringOptions, table: AggregateTable | None = None
) -> ScoredOutputs:
    """Score all rows with an output.

    Args:
        release: release folder.
        outputs: output by row id; outputs of rows in the release are removed from this dict.
        options: metrics, and how the model was prompted.
        table: published table, to score only its metrics.

    Raises:
        HaymakerError: the only metric of a row cannot be computed here.
    """
    found, metrics, is_selected = ScoredOutputs(), list[Metric](), options.selection.row_filter(release)

    def columns(first: Mapping[str, Any]) -> tuple[str, ...]:
        metrics[:] = map(get, _metric_ids(first, options, table))
        return _columns(first, metrics, options, table)

    for row in rows(release, columns):
        if not is_selected(row["id"], (row["suite"], row["task"], row["length"])):
            outputs.pop(row["id"], None)
            continue
        if why := _excluded(row, options, bool(metrics), table):
            found.excluded[why] += outputs.pop(row["id"], None) is not None
            if metrics and row["split"] == "test":
                found.variants[row["suite"], row["task"], row["length"]].add(row["variant"] or "")
            continue
        if table:
            found.sources[row["suite"], row["task"]].update(row["sources"] or ())
        output = outputs.pop(row["id"], None)
        wanted = [metric for metric in metrics if not options.every or metric.id in row["metrics"]]
        if output is not None:
            found.rows += (_score(found, metric, row, output, options, bool(table)) for metric in wanted)
        elif row["split"] == "test":
            by = split_by.value(row, options.by)
            found.rows += (row_score(row, metric, None, NO_OUTPUT, by) for metric in wanted)
    return found


def _columns(
    first: Mapping[str, Any], metrics: list[Metric], options: ScoringOptions, table: AggregateTable | None
) -> tuple[str, ...]:
    """Return the columns that scoring needs from a file."""
    base = is_base(options.prompting)
    cue = any(reads_cue(metric.id, first["suite"], base=base) for metric in metrics)
    return (
        *((split_by.column(options.by),) if options.by else ()),
        *PLACES * options.every,
        *("sources",) * bool(table),
        *("prompt", "answer_prefix_start") * cue,
        *(column for metric in metrics for column in metric.columns),
    )


def _score(
    found: ScoredOutputs, metric: Metric, row: Mapping[str, Any], output: str, options: ScoringOptions, of_table: bool
) -> RowScore:
    """Score one row by one metric; a metric that cannot be computed here is tried once."""
    score, why = None, found.refused.get(metric.id, "")
    try:
        if not why:
            scored_text = metric_input(metric.id, row, output, base=is_base(options.prompting))
            score, why = metric.scored(scored_text, row)
    except HaymakerError as error:
        if not (of_table or options.every):
            raise
        why = found.refused[metric.id] = error.what
    return row_score(row, metric, score, why, split_by.value(row, options.by))


def _excluded(row: Mapping[str, Any], options: ScoringOptions, wanted: bool, table: AggregateTable | None) -> str:
    """Return a description of the excluded rows if this row is one of them, else an empty string."""
    if table:
        plain = wanted and row["split"] == "test" and (row["variant"] or "") in ("", *table.variants)
        return "" if plain else OTHER_VARIANTS
    if row["split"] != "test" and options.by != "split":
        return "rows of other splits than test (use --by split)"
    if options.metric and options.metric not in row["metrics"]:
        return f"rows without the metric {options.metric}"
    return ""


def _metric_ids(first: Mapping[str, Any], options: ScoringOptions, table: AggregateTable | None) -> list[str]:
    """Return the ids of the metrics to compute for the rows of a file."""
    if table:
        metrics = [d.metrics for d in table.datasets if (d.suite, d.task) == (first["suite"], first["task"])]
        classes = [f"{metric}@strict" for metric in table.classes if metrics]
        return [*(f"{metric}@{options.edition}" for names in metrics for metric in names), *classes]
    if options.metric:
        return [options.metric] if options.metric in first["metrics"] else []
    return list(first["metrics"]) if options.every else [first["metrics"][0]]
