"""How sure a mean is: a 95 % interval of a share of marks, from its error over groups."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

LEVEL = 0.95


class Interval(NamedTuple):
    """Where a mean may lie, 0 .. 1 (of a difference -1 .. 1)."""

    low: float
    high: float


def of_mean(mean: float, error: float | None, groups: int) -> Interval | None:
    """Wilson's interval with as many questions as the error is worth (p (1 - p) / error^2), and Student's t of the groups for z.

    It never leaves 0 .. 1, and is no point where all groups are alike: then each group is one question. Wilson 1927; the number
    of questions that an error is worth as in Korn and Graubard 1998, who put it into another interval.

    Args:
        mean: over groups, 0 .. 1.
        error: its standard error over groups; None of fewer than two.
        groups: questions.

    Returns:
        None where fewer than two groups say nothing.
    """
    if error is None or groups < 2:
        return None
    spread = mean * (1 - mean)
    worth = spread / error**2 if error > 0 and spread > 0 else float(groups)
    t2 = _quantile(groups - 1) ** 2
    middle = (mean + t2 / (2 * worth)) / (1 + t2 / worth)
    half = sqrt(t2 * (max(spread, 0.0) / worth + t2 / (4 * worth**2))) / (1 + t2 / worth)
    return Interval(min(mean, max(0.0, middle - half)), max(mean, min(1.0, middle + half)))


def of_difference(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """The first less the second of two means of different rows, from the interval of each (Newcombe 1998, his method 10)."""
    down = sqrt((first - of_first.low) ** 2 + (of_second.high - second) ** 2)
    up = sqrt((of_first.high - first) ** 2 + (second - of_second.low) ** 2)
    return Interval(first - second - down, first - second + up)


def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
