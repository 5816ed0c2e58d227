"""First screen of a page: per model the overall score, maps of where it fails, and its worst and best tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from haymaker.core.lengths import length_order
from haymaker.evaluation.report.model_scores import Model
from haymaker.evaluation.score.overall import Summary, summary
from haymaker.evaluation.score.row_scores import RowScore
from haymaker.evaluation.score.split_by import fifth
from haymaker.scoring.statistics.overall import Average, Place, average

_LISTED = 3  # worst and best tasks
Task = tuple[str, str]
"""Suite and task."""


class DepthMap(NamedTuple):
    """Scores by depth of the gold and length, over all tasks with a depth.

    Attributes:
        bands, lengths: rows and columns of the map.
        cells: mean over tasks, by band and length; each task has the same weight.
        tasks, rows: numbers of each in the map.
    """

    bands: list[str]
    lengths: list[str]
    cells: dict[tuple[str, str], Average]
    tasks: int
    rows: int


class Overview(NamedTuple):
    """First screen of one model.

    Attributes:
        name: name of the model.
        summary: overall score, and means by suite, length and task; None without any score.
        depth: map of depth by length; None without rows that have a depth.
        worst, best: tasks with the lowest and the highest scores.
    """

    name: str
    summary: Summary | None
    depth: DepthMap | None
    worst: list[tuple[Task, Average]]
    best: list[tuple[Task, Average]]


def overview(model: Model) -> Overview:
    """Return the figures of the first screen."""
    found = summary(model.first)
    worst, best = _extremes(found) if found else ([], [])
    return Overview(model.name, found, depth_map(model.first), worst, best)


def depth_map(rows: Iterable[RowScore]) -> DepthMap | None:
    """Return the means by fifth of depth and by length; None if no scored row has a depth."""
    found: dict[tuple[str, str], dict[Place, list[tuple[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.depth is not None and row.score is not None:
            place = Place("", f"{row.suite}/{row.task}", row.length)  # a single suite, so that all tasks weigh the same
            found[fifth(row.depth), row.length][place].append((row.group, row.score))
    if not found:
        return None
    cells = {key: average(of) for key, of in found.items()}
    return DepthMap(
        sorted({band for band, _ in cells}),
        sorted({length for _, length in cells}, key=length_order),
        cells,
        len({place.task for of in found.values() for place in of}),
        sum(cell.rows for cell in cells.values()),
    )


def _extremes(found: Summary) -> tuple[list[tuple[Task, Average]], list[tuple[Task, Average]]]:
    """Return the worst and the best tasks, without overlap; of equal tasks those with more questions come first."""
    count = min(_LISTED, len(found.tasks) // 2)
    worst = sorted(found.tasks.items(), key=lambda item: (item[1].mean, -item[1].questions))[:count]
    others = [item for item in found.tasks.items() if item not in worst]
    return worst, sorted(others, key=lambda item: (-item[1].mean, -item[1].questions))[:count]
