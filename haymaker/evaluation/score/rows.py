"""Every score of every row: what tables, files and comparisons are made of (docs/reference/scores.md)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.buckets import bucket_order
from haymaker.core.files.disk import sha256_file
from haymaker.releases.folder import manifest
from haymaker.scoring.metrics import Metric
from haymaker.scoring.statistics.intervals import of_mean
from haymaker.scoring.statistics.means import mean_over_groups

MISSING = ("exclude", "zero")
NO_OUTPUT = "no output"
PLACES = ("depth", "depth_index", "permutation")
"""Columns of the sample that a score carries along."""


class Cell(NamedTuple):
    """Rows that have one mean."""

    suite: str
    task: str
    metric: str
    by: str
    bucket: str


class RowScore(NamedTuple):
    """One metric of one test row.

    Attributes:
        id, group, suite, task, bucket, part, variant: of the row; variant is "" of the plain form.
        depth, depth_index, permutation: of the row; None where it has none.
        by: value of the column that the table is split by; "" where it is not.
        metric, metric_version: its id, and the version of its rule.
        primary: whether it is the row's first.
        score: 0 .. 1; None where there is none.
        why: there is no score; "" where there is one.
        judge: who decided; "" where a rule alone does.
    """

    id: str
    group: str
    suite: str
    task: str
    bucket: str
    part: str
    variant: str
    depth: float | None
    depth_index: int | None
    permutation: int | None
    by: str
    metric: str
    metric_version: int
    primary: bool
    score: float | None
    why: str
    judge: str = ""


def row_score(row: Mapping[str, Any], metric: Metric, score: float | None, why: str, by: str) -> RowScore:
    """What is kept of a row's score."""
    return RowScore(
        row["id"], row["group_id"], row["suite"], row["task"], row["bucket"], row["part"], row["variant"] or "",
        row["depth"], row["depth_index"], row["permutation"], by,
        metric.id, metric.version, row["metrics"][0] == metric.id, score, why, metric.judged_by,
    )  # fmt: skip


def apply_missing_policy(rows: Iterable[RowScore], missing: str) -> list[RowScore]:
    """Rows without an output as zeros, where these are wanted, and without those of tasks that have no output at all.

    Args:
        rows: of all tasks.
        missing: one of MISSING.
    """
    every = list(rows)
    told = {(row.suite, row.task) for row in every if row.why != NO_OUTPUT}
    here = (row for row in every if (row.suite, row.task) in told)
    if missing == "exclude":
        return list(here)
    return [row._replace(score=0.0) if row.why == NO_OUTPUT else row for row in here]


def release_of(folder: Path) -> dict[str, str]:
    """Name, version, edition of a release, and the SHA-256 of its manifest; empty texts where it has none."""
    found = manifest(folder)
    digest = sha256_file(folder / "manifest.json") if found else ""
    return {name: str(found.get(name, "")) for name in ("name", "version", "edition")} | {"digest": digest}


def release_identity(folder: Path) -> dict[str, str]:
    """Name, version and digest of a release: what a file of scores says that its rows are of."""
    return {name: value for name, value in release_of(folder).items() if name != "edition"}


def group_by_cell(rows: Iterable[RowScore]) -> dict[Cell, list[RowScore]]:
    """Rows of each cell: tasks by suite and name, qa2 before qa10, lengths the shortest first."""
    found: dict[Cell, list[RowScore]] = defaultdict(list)
    for row in rows:
        found[Cell(row.suite, row.task, row.metric, row.by, row.bucket)].append(row)
    return {cell: found[cell] for cell in sorted(found, key=cell_order)}


def cell_order(cell: Cell) -> tuple[Any, ...]:
    """Sort key of cells."""
    return cell.suite, natural_order(cell.task), cell.metric, natural_order(cell.by), bucket_order(cell.bucket)


def cell_figures(rows: Iterable[RowScore]) -> Iterator[dict[str, Any]]:
    """The figures of every cell, as docs/reference/scores.md has them: shares from 0 to 1."""
    for cell, those in group_by_cell(rows).items():
        first, pairs = those[0], [(row.group, row.score) for row in those if row.score is not None]
        yield {
            **cell._asdict(),
            "metric_version": first.metric_version,
            "judge": first.judge,
            "primary": first.primary,
            "rows": len(pairs),
            "missing": sum(row.why == NO_OUTPUT for row in those),
            "no_score": sum(row.score is None and row.why != NO_OUTPUT for row in those),
            **_mean(pairs),
        }


def _mean(pairs: list[tuple[str, float]]) -> dict[str, Any]:
    if not pairs:
        return {"groups": 0, "mean": None, "standard_error": None, "low": None, "high": None}
    mean = mean_over_groups(pairs)
    bounded = max(score for _, score in pairs) <= 1  # a judge's official rule may give more
    low, high = (bounded and of_mean(min(1.0, mean.mean), mean.error, mean.groups)) or (None, None)
    return {"groups": mean.groups, "mean": mean.mean, "standard_error": mean.error, "low": low, "high": high}


def natural_order(name: str) -> list[tuple[int, str]]:
    """Sort key of a name whose numbers count as numbers."""
    return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in re.split(r"(\d+)", name)]
