"""From scores of rows to figures of a table: rows of one group are variants of one question, not questions of their own.

A question comes at six depths or in three permutations (spec/helmet.md 5, 6). Where every group has all its variants the
mean over groups is the mean over rows, which is what the reference reports; where some are missing it does not weigh the
others more. The error is over groups: six depths of one question are not six samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from math import sqrt
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Mean(NamedTuple):
    """A figure of a table.

    Attributes:
        mean: 0 .. 1, over groups.
        error: standard error of the mean, over groups; None of fewer than two.
        groups: questions.
        rows: rows scored.
    """

    mean: float
    error: float | None
    groups: int
    rows: int


def mean_over_groups(scores: Iterable[tuple[str, float]]) -> Mean:
    """The mean over groups of their means.

    Args:
        scores: group_id and score of each row; at least one.

    Raises:
        ValueError: no scores.
    """
    rows = list(scores)
    means = list(mean_by(rows).values())
    if not means:
        raise ValueError("a mean of no scores")
    mean = sum(means) / len(means)
    spread = sum((value - mean) ** 2 for value in means)
    error = sqrt(spread / (len(means) - 1) / len(means)) if len(means) > 1 else None
    return Mean(mean, error, len(means), len(rows))


def mean_by(scores: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """The mean of each key (a depth, a permutation, a group), in order of first appearance."""
    found: dict[Key, list[float]] = defaultdict(list)
    for key, score in scores:
        found[key].append(score)
    return {key: sum(values) / len(values) for key, values in found.items()}
