"""Two models on the same rows: how much they differ, between which bounds, and whether chance alone can do that.

Rows of one group (depths of a question, orders of its options) are one observation: the mean of their differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from haymaker.rng import digest
from scoring.aggregate import mean_by

RESAMPLES = 9999
METHOD = "bh"
"""How p-values are corrected: Benjamini and Hochberg 1995."""


class Paired(NamedTuple):
    """What a second model has more than a first.

    Attributes:
        difference: mean over groups, -1 .. 1.
        low, high: 95 % interval (BCa bootstrap of groups, seeded); None of fewer than two groups.
        p: two-sided, of a permutation test that exchanges the models group by group, exact where RESAMPLES are enough; None likewise.
        groups: questions.
    """

    difference: float
    low: float | None
    high: float | None
    p: float | None
    groups: int


def paired(differences: Iterable[tuple[str, float]], *key: str) -> Paired:
    """What the second of two models has more, -1 .. 1.

    Args:
        differences: group and second score less first, of each row that both have; at least one.
        key: names what is compared: the same names draw the same resamples.
    """
    means = list(mean_by(differences).values())
    mean = sum(means) / len(means)
    if len(means) < 2:
        return Paired(mean, None, None, None, len(means))
    seed = int.from_bytes(digest("compare", *key, size=8), "little")
    low, high = _bounds(means, seed)
    return Paired(mean, low, high, _chance(means, seed), len(means))


def _bounds(means: Sequence[float], seed: int) -> tuple[float, float]:
    if len(set(means)) == 1:
        return means[0], means[0]
    import numpy as np
    from scipy.stats import bootstrap

    with warnings.catch_warnings():  # of very few groups the corrected bounds may not exist
        warnings.simplefilter("ignore")
        for method in ("BCa", "percentile"):
            found = bootstrap((means,), np.mean, n_resamples=RESAMPLES, method=method, rng=seed, batch=500)
            low, high = map(float, found.confidence_interval)
            if not (np.isnan(low) or np.isnan(high)):
                break
    return low, high


def _chance(means: Sequence[float], seed: int) -> float:
    told = [mean for mean in means if mean]  # a group that is equal changes nothing when models are exchanged
    if len(told) < 2:  # either sign of one difference is as likely
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    found = permutation_test(
        (told,), np.sum, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True, rng=seed, batch=500
    )
    return float(found.pvalue)


def corrected(values: Sequence[float | None]) -> list[float | None]:
    """P-values corrected for their number, in order; None stays None and is not counted."""
    told = [value for value in values if value is not None]
    if not told:
        return list(values)
    from scipy.stats import false_discovery_control

    found = iter(map(float, false_discovery_control(told, method=METHOD)))
    return [None if value is None else next(found) for value in values]
