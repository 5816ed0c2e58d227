"""95% intervals of means, and paired comparisons of two models on the same rows.

Rows of one group (depths of a question, orders of its options) are one observation: their mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from haymaker.core.rng import digest
from haymaker.scoring.statistics.means import mean_by

LEVEL = 0.95
ROUNDING = 1e-12
"""Errors and variances up to this size are zero that was rounded."""
RESAMPLES = 9999
METHOD = "bh"
"""Correction of p-values: Benjamini and Hochberg 1995."""


class Interval(NamedTuple):
    """Bounds of a mean, 0 .. 1, or of a difference, -1 .. 1."""

    low: float
    high: float


def of_mean(mean: float, error: float | None, groups: int) -> Interval | None:
    """Return Wilson's interval (1927) with Student's t for the effective number of questions, p (1 - p) / error^2.

    The effective number is from Korn and Graubard 1998; if all groups are equal, each group is one question.

    Args:
        mean: mean over groups, 0 .. 1.
        error: standard error over groups; None for fewer than two groups (no interval).
        groups: number of groups.
    """
    if error is None or groups < 2:
        return None
    from scipy.special import stdtrit

    spread = mean * (1 - mean)
    worth = spread / error**2 if error > ROUNDING and spread > ROUNDING else float(groups)
    t2 = float(stdtrit(groups - 1, (1 + LEVEL) / 2)) ** 2
    middle = (mean + t2 / (2 * worth)) / (1 + t2 / worth)
    half = sqrt(t2 * (max(spread, 0.0) / worth + t2 / (4 * worth**2))) / (1 + t2 / worth)
    return Interval(min(mean, max(0.0, middle - half)), max(mean, min(1.0, middle + half)))


def of_difference(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """Return the interval of first - second, means of different rows, from their intervals (Newcombe 1998, no. 10)."""
    down = sqrt((first - of_first.low) ** 2 + (of_second.high - second) ** 2)
    up = sqrt((of_first.high - first) ** 2 + (second - of_second.low) ** 2)
    return Interval(first - second - down, first - second + up)


class Paired(NamedTuple):
    """Difference of two models on the same rows; interval and p-value are None for fewer than two groups."""

    difference: float  # mean over groups, -1 .. 1
    low: float | None  # bounds of the 95% interval
    high: float | None
    p: (
        float | None
    )  # two-sided, of a permutation test that exchanges the models group by group; exact if RESAMPLES suffice
    groups: int


def paired(differences: Iterable[tuple[str, float]], *key: str, weighted: bool = False) -> Paired:
    """Compare two models by group and score difference (second - first) per row.

    Args:
        differences: group and difference of each row.
        key: names of the comparison; equal names draw equal resamples.
        weighted: groups have different weights, as in an overall score. The interval is then Student's, because the
            bootstrap interval is too narrow; otherwise it is a BCa bootstrap of groups.
    """
    means = list(mean_by(differences).values())
    mean = sum(means) / len(means)
    if len(means) < 2:
        return Paired(mean, None, None, None, len(means))
    seed = int.from_bytes(digest("compare", *key, size=8), "little")
    bounds = _student(means) if weighted else _bounds(means, seed)
    return Paired(mean, *bounds, _p_value(means, seed), len(means))


def _student(means: Sequence[float]) -> tuple[float, float]:
    from scipy.special import stdtrit

    mean, many = sum(means) / len(means), len(means)
    error = sqrt(sum((value - mean) ** 2 for value in means) / many / (many - 1))
    half = float(stdtrit(many - 1, (1 + LEVEL) / 2)) * error
    return max(-1.0, mean - half), min(1.0, mean + half)


def _bounds(means: Sequence[float], seed: int) -> tuple[float, float]:
    if len(set(means)) == 1:
        return means[0], means[0]
    import numpy as np
    from scipy.stats import bootstrap

    with warnings.catch_warnings():  # for very few groups the BCa bounds may not exist
        warnings.simplefilter("ignore")
        for method in ("BCa", "percentile"):
            found = bootstrap((means,), np.mean, n_resamples=RESAMPLES, method=method, rng=seed, batch=500)
            low, high = map(float, found.confidence_interval)
            if not (np.isnan(low) or np.isnan(high)):
                break
    return low, high


def _p_value(means: Sequence[float], seed: int) -> float:
    unequal = [mean for mean in means if mean]  # exchanging equal scores has no effect
    if len(unequal) < 2:  # both signs of one difference are equally likely
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    found = permutation_test(
        (unequal,), np.sum, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True, rng=seed, batch=500
    )
    return float(found.pvalue)


def corrected(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for multiple tests, in order; None stays None and is not counted."""
    known = [value for value in values if value is not None]
    if not known:
        return list(values)
    from scipy.stats import false_discovery_control

    found = iter(map(float, false_discovery_control(known, method=METHOD)))
    return [None if value is None else next(found) for value in values]
