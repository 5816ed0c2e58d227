"""Agreement of scores with people's labels of the same outputs: shares, Cohen's kappa and rank correlations, with intervals."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from haymaker.rng import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

RESAMPLES = 1999
RIGHT = 0.5
"""Scores from here on are a yes, as for rows that flip (pipelines/reports/compare.py)."""


class Pair(NamedTuple):
    """A score (0 .. 1) and a person's label, on any scale; rows of one group are one observation."""

    group: str
    score: float
    label: float


class Sure(NamedTuple):
    """A figure with its 95% interval (percentile bootstrap of groups, seeded).

    The bounds are None for fewer than two groups. The figure is None if it does not exist: all scores or all labels are equal.
    """

    value: float | None
    low: float | None
    high: float | None


def agreement(pairs: Sequence[Pair], *key: str) -> dict[str, Sure]:
    """Return `agreement` (share of equal verdicts) and `kappa` if all labels are 0 or 1, else `spearman` and `kendall` (tau-b).

    Args:
        pairs: one or more.
        key: names of the comparison; equal names draw equal resamples.
    """
    import numpy as np
    from scipy.stats import kendalltau, spearmanr

    places: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        places[pair.group].append(number)
    scores, labels = (np.array([pair[column] for pair in pairs], dtype=float) for column in (1, 2))
    groups = [np.array(rows) for rows in places.values()]
    figures: dict[str, Callable[..., Any]]
    if set(labels.tolist()) <= {0.0, 1.0}:
        yes, is_yes = scores >= RIGHT, labels >= RIGHT
        counts = [
            np.array([each[rows].sum() for rows in groups]) for each in (np.ones_like(yes), yes == is_yes, yes, is_yes)
        ]
        figures = {
            name: partial(_verdicts, figure, counts) for name, figure in (("agreement", _equal), ("kappa", _kappa))
        }
    else:
        both = (("spearman", spearmanr), ("kendall", kendalltau))
        figures = {name: partial(_ranks, figure, scores, labels, groups) for name, figure in both}
    return {name: _sure(figure, len(groups), (*key, name)) for name, figure in figures.items()}


def _sure(figure: Callable[..., Any], groups: int, key: Sequence[str]) -> Sure:
    """Return the figure of all groups with its interval.

    Args:
        figure: of an array of groups by number, repeats counted; an array of resamples gives one figure each.
        groups: number of groups.
        key: names of the resamples.
    """
    import numpy as np
    from scipy.stats import bootstrap

    every = np.arange(groups)
    with warnings.catch_warnings():  # a resample with equal labels only has no figure
        warnings.simplefilter("ignore")
        value = float(figure(every))
        if np.isnan(value) or groups < 2:
            return Sure(None if np.isnan(value) else value, None, None)
        seed = int.from_bytes(digest("agreement", *key, size=8), "little")
        drawn = bootstrap((every,), figure, n_resamples=RESAMPLES, method="percentile", vectorized=True, rng=seed)
        low, high = map(float, np.nanquantile(drawn.bootstrap_distribution, (0.025, 0.975)))
    return Sure(value, low, high)


def _verdicts(figure: Callable[..., Numbers], counts: Sequence[Numbers], chosen: Any, axis: int = -1) -> Numbers:
    """A figure of four counts: rows, equal verdicts, yes by score, yes by label."""
    return figure(*(each[chosen].sum(axis=axis) for each in counts))


def _ranks(figure: Any, scores: Numbers, labels: Numbers, groups: Sequence[Any], chosen: Any, axis: int = -1) -> Any:
    """A figure of ranks, resample by resample."""
    import numpy as np

    def of_one(numbers: Any) -> float:
        rows = np.concatenate([groups[number] for number in numbers])
        return float(figure(scores[rows], labels[rows]).statistic)

    return np.apply_along_axis(of_one, axis, chosen)


def _equal(rows: Numbers, equal: Numbers, yes: Numbers, is_yes: Numbers) -> Numbers:
    return equal / rows


def _kappa(rows: Numbers, equal: Numbers, yes: Numbers, is_yes: Numbers) -> Numbers:
    """Cohen 1960; NaN if agreement by chance is certain."""
    import numpy as np

    said, are = yes / rows, is_yes / rows
    by_chance = said * are + (1 - said) * (1 - are)
    return np.where(by_chance < 1, (equal / rows - by_chance) / (1 - by_chance), np.nan)
