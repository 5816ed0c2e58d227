"""haymaker show: one finished row as a person should see it: spans coloured, the long middle folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from generators.babilong.retrieval import retrieved_prompt
from haymaker.errors import ReleaseError
from haymaker.params import nearest
from pipelines.parquet import read_row_groups
from pipelines.progress import out
from pipelines.project import Project

_STYLES = {
    "instruction": "cyan",
    "demo": "blue",
    "fact": "yellow",
    "support": "bold black on yellow",
    "gold": "bold black on green",
    "distractor": "red",
}
_FILLERS = (
    "distractor",
    "passage",
    "shot",
)  # thousands of them: styled where they show, but they show nothing by themselves
_ITEMS = 12  # of a list that are shown
_EDGE = 700  # characters kept at both ends
_AROUND = 160  # characters kept around a span
_HIDDEN = ("prompt", "spans", "extra")


def show(project: Project, task: str, bucket: str | None, index: int, part: str) -> None:
    """Print row `index` of a task.

    Raises:
        ReleaseError: no such task, bucket, part or row in data/release.
    """
    row = find(project, task, bucket, index, part)
    grid = Grid(show_header=False, box=None, padding=(0, 2, 0, 0))
    for key, value in row.items():
        if value not in (None, [], "") and key not in _HIDDEN:
            grid.add_row(Text(key, style="dim"), Text(_brief(value)))
    out.print(grid)
    out.rule()
    out.print(folded(row["prompt"], row["spans"]))
    out.rule()
    answer = ", ".join(row["answers"])
    shown = answer if len(answer) <= _EDGE else f"{answer[:_EDGE]} ... ({len(answer):,} characters)"
    out.print(Text.assemble(("answer  ", "dim"), (shown, "bold green")))


def show_retrieved(
    project: Project, task: str, bucket: str | None, index: int, part: str, k: int, unit: str, order: str
) -> None:
    """Print the prompt that a row becomes when only the best `k` pieces of its context are kept.

    Raises:
        ReleaseError: no such row, or it was built without retrieval; no such k, unit or order.
    """
    row = find(project, task, bucket, index, part)
    out.print(Text(retrieved_prompt(row, unit, k, order)))


def find(project: Project, task: str, bucket: str | None, index: int, part: str) -> dict[str, Any]:
    """A row of the built release by task, bucket, part and number."""
    root = project.release / "data"
    tasks = {path.name: path for path in sorted(root.glob("*/*"))}
    if not tasks:
        raise ReleaseError("nothing is built yet", where="data/release", fix="haymaker run")
    if task not in tasks:
        raise ReleaseError(f"no task {task!r} in this release", where="data/release", fix=nearest(task, tasks))
    buckets = {path.name: path for path in sorted(tasks[task].iterdir())}
    bucket = bucket or next(iter(buckets))
    if bucket not in buckets:
        raise ReleaseError(f"no bucket {bucket!r} of {task}", where="data/release", fix=nearest(bucket, buckets))
    files = sorted(buckets[bucket].glob(f"{part}-*.parquet"))
    seen = 0
    for file in files:
        for table in read_row_groups(file):
            if seen <= index < seen + len(table):
                row: dict[str, Any] = table.slice(index - seen, 1).to_pylist()[0]
                return row
            seen += len(table)
    raise ReleaseError(
        f"{task} {bucket} has {seen} {part} rows, numbered from 0", where=f"--index {index}", fix="choose another"
    )


def folded(prompt: str, spans: list[dict[str, Any]]) -> Text:
    """The prompt with its spans styled; far from the ends and from spans it is cut out and the cut is counted."""
    text = Text(prompt)
    for span in spans:
        text.stylize(_STYLES.get(span["kind"], "magenta"), span["start"], span["end"])
    keep = sorted([(0, _EDGE), (len(prompt) - _EDGE, len(prompt)), *_kept(spans)])
    pieces, at = [], 0
    for wanted, until in keep:
        start, end = max(wanted, at), min(until, len(prompt))
        if start >= end:
            continue
        if start > at:
            pieces.append(Text(f"\n  ... {start - at:,} characters ...\n", style="dim italic"))
        pieces.append(text[start:end])
        at = end
    return Text().join(pieces)


def _kept(spans: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """Stretches of the prompt that must show."""
    for span in spans:
        if span["kind"] not in _FILLERS:
            yield span["start"] - _AROUND, span["end"] + _AROUND


def _brief(value: Any) -> str:
    if isinstance(value, list) and len(value) > _ITEMS:
        return f"{_brief(value[:_ITEMS])} ... ({len(value):,} in all)"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return ", ".join(" ".join(str(v) for v in item.values()) for item in value)
    if isinstance(value, list):
        return ", ".join(item if item.isprintable() else repr(item) for item in map(str, value))
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) and value > 9999 else str(value)
