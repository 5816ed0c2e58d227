"""haymaker score: model outputs against the release, one table of tasks by bucket."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from haymaker.buckets import bucket_order
from haymaker.errors import ReleaseError
from pipelines.parquet import read_row_groups
from pipelines.progress import out, say
from pipelines.project import Project
from scoring.aggregate import mean_over_groups
from scoring.entailment import judged_by, open_entailment
from scoring.metrics import get

_COLUMNS = ("id", "group_id", "task", "bucket", "part", "metrics")


def show(project: Project, predictions: Path, metric: str | None, entailment: str | None) -> None:
    """Print mean scores (0 to 100) per task and bucket; six depths of a question count as one question.

    Args:
        project: with a finished release.
        predictions: JSON lines with `id` and `output`.
        metric: id; None: each task's first.
        entailment: what decides whether a passage entails a claim (scoring/entailment.py); None: the offline stand-in.

    Raises:
        ReleaseError: a line without id and output, an id twice, or none of the ids in the release.
    """
    outputs = _read(predictions)
    scores: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    silent: Counter[tuple[str, str]] = Counter()  # rows without an output, per table
    used: dict[str, str] = {}
    with judged_by(open_entailment(entailment)) if entailment else nullcontext():
        for name, row in _rows(project, metric):
            table = row["task"], row["bucket"]
            if row["id"] in outputs:
                score = get(name).function(outputs.pop(row["id"]), row)
                scores[table].append((row["group_id"], score))
                used[row["task"]] = get(name).title
            else:
                silent[table] += row["part"] == "test"
    if not scores:
        raise ReleaseError(
            "no id of this file is in the release", where=str(predictions), fix="use the ids of data/release"
        )
    if outputs:
        say(f"{len(outputs)} outputs are for rows that are not in this release, e.g. {next(iter(outputs))}")
    if missing := sum(silent[table] for table in scores):
        say(f"{missing} test rows of these tables have no output and are not counted")
    buckets = sorted({bucket for _, bucket in scores}, key=bucket_order)
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for column in ("task", "metric", *buckets, "rows"):
        grid.add_column(column, justify="left" if column in ("task", "metric") else "right")
    for task in dict.fromkeys(task for task, _ in scores):
        cells = [scores.get((task, bucket), []) for bucket in buckets]
        shown = [f"{100 * mean_over_groups(values).mean:.1f}" if values else "" for values in cells]
        grid.add_row(task, used[task], *shown, str(sum(map(len, cells))))
    out.print(grid)


def _read(path: Path) -> dict[str, str]:
    outputs: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # JSON may hold other line breaks
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ReleaseError(f"cannot be read ({why})", where=str(path), fix="give a file of JSON lines") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            row_id, output = record["id"], record["output"]
            if not isinstance(row_id, str):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            raise ReleaseError('needs {"id": ..., "output": ...}', where=f"{path}:{number}") from None
        if row_id in outputs:
            raise ReleaseError(f"id {row_id!r} comes twice", where=f"{path}:{number}")
        outputs[row_id] = output if isinstance(output, str) else ""
    return outputs


def _rows(project: Project, metric: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Metric and row, with no more columns than the metric reads: prompts may be long."""
    for path in sorted((project.release / "data").rglob("*.parquet")):
        first = next((rows for rows in read_row_groups(path, ["metrics"]) if len(rows)), None)
        name = metric or (first["metrics"][0].as_py()[0] if first is not None else "")
        if name:
            for rows in read_row_groups(path, list(dict.fromkeys((*_COLUMNS, *get(name).columns)))):
                yield from ((name, row) for row in rows.to_pylist())
