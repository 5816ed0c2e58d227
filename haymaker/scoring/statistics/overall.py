"""The overall score: the mean over the lengths of a task, then over the tasks of a suite, then over suites.

`haymaker score`, `haymaker compare`, `haymaker report` and the exports share this formula. Applied to the cells of one
suite it gives the score of the suite, to the cells of one suite and length the mean over tasks, and to the cells of one
task the mean over its lengths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from haymaker.scoring.statistics.intervals import ROUNDING, of_mean
from haymaker.scoring.statistics.means import mean_by


class Place(NamedTuple):
    """The suite, task and length of a cell."""

    suite: str
    task: str
    length: str


Cells = Mapping[Place, Sequence[tuple[str, float]]]
"""Question (group_id) and score, 0 to 1, of every row with a score, by cell; no cell is empty."""


class Average(NamedTuple):
    """A mean over cells.

    Attributes:
        mean: 0 to 1.
        error: standard error; None with fewer than two questions.
        low, high: bounds of the 95 % interval; None without an error, or if a score exceeds 1.
        suites, tasks, questions, rows: numbers of each.
    """

    mean: float
    error: float | None
    low: float | None
    high: float | None
    suites: int
    tasks: int
    questions: int
    rows: int


def weights(places: Collection[Place]) -> dict[Place, float]:
    """Return the weight of each cell in the overall score; the weights sum to 1."""
    tasks = {(place.suite, place.task) for place in places}
    lengths, of_suite = defaultdict[tuple[str, str], int](int), defaultdict[str, int](int)
    for place in places:
        lengths[place.suite, place.task] += 1
    for suite, _ in tasks:
        of_suite[suite] += 1
    return {
        place: 1 / len(of_suite) / of_suite[place.suite] / lengths[place.suite, place.task] for place in places
    }  # fmt: skip


def average(cells: Cells) -> Average:
    """Return the overall score of cells.

    The error sums the deviations of each question from the means of its cells, so a question asked at several lengths or
    in several tasks is one observation. Cells with a single question have no spread of their own: they deviate from the
    mean of all such cells of the suite, or from the overall score if there is only one.

    Raises:
        ValueError: no cells.
    """
    if not cells:
        raise ValueError("an average of no cells")
    by_question = {place: mean_by(rows) for place, rows in cells.items()}
    weight = weights(cells)
    means = {place: _mean(scores.values()) for place, scores in by_question.items()}
    bounded = max(score for rows in cells.values() for _, score in rows) <= 1
    mean = fsum(weight[place] * means[place] for place in cells)
    mean = min(1.0, mean) if bounded else mean  # the weights sum to 1 only up to rounding
    questions = len({question for scores in by_question.values() for question in scores})
    error = _error(by_question, weight, mean) if questions > 1 else None
    low, high = (bounded and of_mean(mean, error, questions)) or (None, None)
    tasks = {(place.suite, place.task) for place in cells}
    return Average(
        mean, error, low, high, len({suite for suite, _ in tasks}), len(tasks), questions, sum(map(len, cells.values()))
    )


def _error(by_question: Mapping[Place, Mapping[str, float]], weight: Mapping[Place, float], mean: float) -> float:
    """Return the standard error of the weighted mean, with questions as clusters and cells as strata."""
    singles: dict[str, list[float]] = defaultdict(list)
    for place, scores in by_question.items():
        if len(scores) == 1:
            singles[place.suite] += scores.values()
    parts: dict[str, float] = defaultdict(float)
    for place, scores in by_question.items():
        pool = list(scores.values()) if len(scores) > 1 else singles[place.suite]
        centre, factor = (_mean(pool), sqrt(len(pool) / (len(pool) - 1))) if len(pool) > 1 else (mean, 1.0)
        for question, score in scores.items():
            parts[question] += weight[place] * factor * (score - centre) / len(scores)
    error = sqrt(fsum(part**2 for part in parts.values()))
    return error if error > ROUNDING else 0.0


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return fsum(every) / len(every)
