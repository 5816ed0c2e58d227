"""haymaker score: model outputs against the release, one table of tasks by bucket."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from haymaker.buckets import bucket_order
from haymaker.errors import ReleaseError
from pipelines.parquet import read_row_groups
from pipelines.progress import out, say
from pipelines.project import Project
from scoring.metrics import get

_COLUMNS = ["id", "task", "bucket", "part", "question", "answers", "choices", "metrics"]


def show(project: Project, predictions: Path, metric: str | None) -> None:
    """Print mean scores (0 to 100) per task and bucket.

    Raises:
        ReleaseError: a line without id and output, an id twice, or none of the ids in the release.
    """
    outputs = _read(predictions)
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    silent: Counter[tuple[str, str]] = Counter()  # rows without an output, per table
    for row in _rows(project):
        table = row["task"], row["bucket"]
        if row["id"] in outputs:
            chosen = get(metric or row["metrics"][0])
            scores[table].append(chosen.function(outputs.pop(row["id"]), row))
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
    for column in ("task", *buckets, "rows"):
        grid.add_column(column, justify="left" if column == "task" else "right")
    for task in dict.fromkeys(task for task, _ in scores):
        cells = [scores.get((task, bucket), []) for bucket in buckets]
        shown = [f"{100 * sum(values) / len(values):.1f}" if values else "" for values in cells]
        grid.add_row(task, *shown, str(sum(map(len, cells))))
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


def _rows(project: Project) -> Any:
    for path in sorted((project.release / "data").rglob("*.parquet")):
        for table in read_row_groups(path, _COLUMNS):
            yield from table.to_pylist()
