"""Scores of single rows: the input of all tables, files and comparisons (docs/reference/scores.md)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.files.disk import sha256_file
from haymaker.core.lengths import length_order
from haymaker.releases.folder import manifest
from haymaker.scoring.metrics import Metric

NO_OUTPUT = "no output"
PLACES = ("depth", "depth_index", "order_index")
"""Columns copied from the row to its scores."""


class Cell(NamedTuple):
    """The rows of one mean: one task, length and metric, and one value of the column that splits the table."""

    suite: str
    task: str
    metric: str
    by: str
    length: str


class RowScore(NamedTuple):
    """The score of one row under one metric.

    Attributes:
        id, group, suite, task, length, split, variant: columns of the row; variant is "" for the plain form.
        depth, depth_index, order_index: columns of the row, or None.
        by: value of the column that splits the table; "" without one.
        metric, metric_version: metric id, and the version of its rule.
        primary: whether the metric is the first one of the row.
        score: 0 to 1; None if the row has no score.
        why: why the row has no score; "" if it has one.
        judge: name of the model that judged; "" for a rule.
    """

    id: str
    group: str
    suite: str
    task: str
    length: str
    split: str
    variant: str
    depth: float | None
    depth_index: int | None
    order_index: int | None
    by: str
    metric: str
    metric_version: int
    primary: bool
    score: float | None
    why: str
    judge: str = ""

    @property
    def cell(self) -> Cell:
        """The mean that this score belongs to."""
        return Cell(self.suite, self.task, self.metric, self.by, self.length)

    @property
    def table(self) -> tuple[str, str, str]:
        """Suite, task and length."""
        return self.suite, self.task, self.length


def row_score(row: Mapping[str, Any], metric: Metric, score: float | None, why: str, by: str) -> RowScore:
    """Return a score with the columns copied from its row."""
    return RowScore(
        row["id"], row["group_id"], row["suite"], row["task"], row["length"], row["split"], row["variant"] or "",
        row.get("depth"), row.get("depth_index"), row.get("order_index"), by,
        metric.id, metric.version, row["metrics"][0] == metric.id, score, why, metric.judged_by,
    )  # fmt: skip


def apply_missing_policy(rows: Iterable[RowScore], missing: str) -> list[RowScore]:
    """Drop tasks without any output, then exclude or zero the other rows without an output.

    Args:
        rows: scores of all tasks.
        missing: one of haymaker.core.choices.MISSING.
    """
    every = list(rows)
    answered = {(row.suite, row.task) for row in every if row.why != NO_OUTPUT}
    here = (row for row in every if (row.suite, row.task) in answered)
    if missing == "exclude":
        return list(here)
    return [row._replace(score=0.0) if row.why == NO_OUTPUT else row for row in here]


def release_of(folder: Path) -> dict[str, str]:
    """Return name, version, edition and manifest SHA-256 of a release; empty strings without a manifest."""
    found = manifest(folder)
    digest = sha256_file(folder / "manifest.json") if found else ""
    return {name: str(found.get(name, "")) for name in ("name", "version", "edition")} | {"digest": digest}


def release_identity(folder: Path) -> dict[str, str]:
    """Return name, version and digest of a release: the identity stored in score files."""
    return {name: value for name, value in release_of(folder).items() if name != "edition"}


def group_by_cell(rows: Iterable[RowScore]) -> dict[Cell, list[RowScore]]:
    """Return the scores of each cell; cells are sorted by suite, task (qa2 before qa10), metric and length."""
    found: dict[Cell, list[RowScore]] = defaultdict(list)
    for row in rows:
        found[row.cell].append(row)
    return {cell: found[cell] for cell in sorted(found, key=cell_order)}


def cell_order(cell: Cell) -> tuple[Any, ...]:
    """Return the sort key of a cell."""
    return cell.suite, natural_order(cell.task), cell.metric, natural_order(cell.by), length_order(cell.length)


def table_order(table: tuple[str, str, str]) -> tuple[Any, ...]:
    """Return the sort key of suite, task (qa2 before qa10) and length."""
    suite, task, length = table
    return suite, natural_order(task), length_order(length)


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return the sort key of a name whose digits are compared as numbers."""
    return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in re.split(r"(\d+)", name)]
