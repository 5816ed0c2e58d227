"""Agreement of scores with human labels of the same outputs: shares, Cohen's kappa, rank correlations, intervals."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from haymaker.core.rng import digest

Figure = Callable[
    ..., Any
]  # of an array of groups by number, repeats counted; an array of resamples gives one figure each

RESAMPLES = 1999
RIGHT = 0.5
"""Minimum score of a yes, as for rows that flip (haymaker/evaluation/compare/compare.py)."""


class Pair(NamedTuple):
    """A score (0 .. 1) and a human label, on any scale; rows of one group are one observation."""

    group: str
    score: float
    label: float


class LabelCount(NamedTuple):
    """A figure with its 95% interval (percentile bootstrap of groups, seeded).

    Bounds are None for fewer than two groups. The figure is None if all scores or all labels are equal.
    """

    value: float | None
    low: float | None
    high: float | None


def agreement(pairs: Sequence[Pair], *key: str) -> dict[str, LabelCount]:
    """Return `agreement` (equal verdicts) and `kappa` if all labels are 0 or 1, else `spearman` and `kendall` (tau-b).

    Args:
        pairs: one or more.
        key: name of the comparison; equal names draw equal resamples.
    """
    import numpy as np

    places: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        places[pair.group].append(number)
    scores, labels = (np.array([pair[column] for pair in pairs], dtype=float) for column in (1, 2))
    groups = [np.array(rows) for rows in places.values()]
    figures = (_of_verdicts if set(labels.tolist()) <= {0.0, 1.0} else _of_ranks)(scores, labels, groups)
    return {name: _sure(figure, len(groups), (*key, name)) for name, figure in figures.items()}


def _of_verdicts(scores: Any, labels: Any, groups: Sequence[Any]) -> dict[str, Figure]:
    import numpy as np

    yes, is_yes = scores >= RIGHT, labels >= RIGHT
    of_rows = (np.ones_like(yes), yes == is_yes, yes, is_yes)
    counts = [np.array([each[rows].sum() for rows in groups]) for each in of_rows]

    def counted(figure: Figure) -> Figure:
        return lambda chosen, axis=-1: figure(*(each[chosen].sum(axis=axis) for each in counts))

    return {"agreement": counted(lambda rows, equal, *_: equal / rows), "kappa": counted(_kappa)}


def _of_ranks(scores: Any, labels: Any, groups: Sequence[Any]) -> dict[str, Figure]:
    import numpy as np
    from scipy.stats import kendalltau, spearmanr

    def ranked(figure: Any) -> Figure:
        def of_one(numbers: Any) -> float:
            rows = np.concatenate([groups[number] for number in numbers])
            return float(figure(scores[rows], labels[rows]).statistic)

        return lambda chosen, axis=-1: np.apply_along_axis(of_one, axis, chosen)

    return {"spearman": ranked(spearmanr), "kendall": ranked(kendalltau)}


def _sure(figure: Figure, groups: int, key: Sequence[str]) -> LabelCount:
    """Return the figure of all groups with its interval; `key` names the resamples."""
    import numpy as np
    from scipy.stats import bootstrap

    every = np.arange(groups)
    with warnings.catch_warnings():  # a resample with equal labels only has no figure
        warnings.simplefilter("ignore")
        value = float(figure(every))
        if np.isnan(value) or groups < 2:
            return LabelCount(None if np.isnan(value) else value, None, None)
        seed = int.from_bytes(digest("agreement", *key, size=8), "little")
        drawn = bootstrap((every,), figure, n_resamples=RESAMPLES, method="percentile", vectorized=True, rng=seed)
        low, high = map(float, np.nanquantile(drawn.bootstrap_distribution, (0.025, 0.975)))
    return LabelCount(value, low, high)


def _kappa(rows: Any, equal: Any, yes: Any, is_yes: Any) -> Any:
    """Return Cohen's kappa (1960); NaN if agreement by chance is certain."""
    import numpy as np

    said, are = yes / rows, is_yes / rows
    by_chance = said * are + (1 - said) * (1 - are)
    return np.where(by_chance < 1, (equal / rows - by_chance) / (1 - by_chance), np.nan)
