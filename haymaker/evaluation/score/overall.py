"""Overall score of row scores, with the means of its suites, lengths and tasks (docs/reference/scores.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

from haymaker.core.lengths import length_order
from haymaker.evaluation.score.row_scores import RowScore, table_order
from haymaker.scoring.statistics.overall import Average, Cells, Place, average

Key = TypeVar("Key", bound=Hashable)


class Summary(NamedTuple):
    """Means of one model, all by the formula of the overall score.

    Attributes:
        overall: overall score.
        suites: mean of each suite.
        grid: mean of each suite at each length.
        tasks: mean of each task, by suite and task.
        lengths: mean over all suites at each length, the shortest first.
    """

    overall: Average
    suites: dict[str, Average]
    grid: dict[tuple[str, str], Average]
    tasks: dict[tuple[str, str], Average]
    lengths: dict[str, Average]

    def as_json(self) -> dict[str, Any]:
        """Return `overall`, `suites` and `tasks` as JSON values; the first two with their means by length."""
        grid = defaultdict[str, dict[str, Any]](dict)
        for (suite, length), at in self.grid.items():
            grid[suite][length] = _json(at)
        return {
            "overall": _json(self.overall) | {"lengths": {length: _json(at) for length, at in self.lengths.items()}},
            "suites": [{"suite": suite} | _json(of) | {"lengths": grid[suite]} for suite, of in self.suites.items()],
            "tasks": [{"suite": suite, "task": task} | _json(of) for (suite, task), of in self.tasks.items()],
        }


def cells(rows: Iterable[RowScore]) -> Cells:
    """Return question and score of each test row with a score, by suite, task (qa2 before qa10) and length.

    Args:
        rows: row scores of one metric per row.
    """
    found: dict[Place, list[tuple[str, float]]] = defaultdict(list)
    for row in rows:
        if row.split == "test" and row.score is not None:
            found[Place(*row.table)].append((row.group, row.score))
    return {place: found[place] for place in sorted(found, key=table_order)}


def summary(rows: Iterable[RowScore], *, scale: float = 1) -> Summary | None:
    """Return the overall score and its parts; None if no test row has a score.

    Args:
        rows: row scores of one metric per row.
        scale: 1 for means from 0 to 1, 100 for percent.
    """
    if not (every := cells(rows)):
        return None
    lengths = _averages(every, lambda place: place.length, scale)
    return Summary(
        _scaled(average(every), scale),
        _averages(every, lambda place: place.suite, scale),
        _averages(every, lambda place: (place.suite, place.length), scale),
        _averages(every, lambda place: (place.suite, place.task), scale),
        {length: lengths[length] for length in sorted(lengths, key=length_order)},
    )


def _averages(every: Cells, key: Callable[[Place], Key], scale: float) -> dict[Key, Average]:
    parts: dict[Key, dict[Place, Any]] = defaultdict(dict)
    for place, scores in every.items():
        parts[key(place)][place] = scores
    return {name: _scaled(average(part), scale) for name, part in parts.items()}


def _scaled(of: Average, scale: float) -> Average:
    error, low, high = (None if value is None else scale * value for value in (of.error, of.low, of.high))
    return of._replace(mean=scale * of.mean, error=error, low=low, high=high)


def _json(of: Average) -> dict[str, Any]:
    return {"standard_error" if name == "error" else name: value for name, value in of._asdict().items()}
