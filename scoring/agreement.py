"""How well scores agree with what people say of the same outputs: shares, Cohen's kappa and rank correlations, each with its interval."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from haymaker.rng import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

RESAMPLES = 1999
RIGHT = 0.5
"""From here on a score says yes, as for rows that flip (pipelines/reports/compare.py)."""


class Pair(NamedTuple):
    """A score beside a label.

    Attributes:
        group: of the row; rows of one group are one observation.
        score: 0 .. 1.
        label: of a person, on any scale.
    """

    group: str
    score: float
    label: float


class Sure(NamedTuple):
    """A figure with its 95 % interval (percentile bootstrap of groups, seeded); bounds are None of fewer than two groups, the figure where
    it does not exist: where all scores or all labels are alike.
    """

    value: float | None
    low: float | None
    high: float | None


def is_yes_or_no(labels: Sequence[float]) -> bool:
    """Whether labels are 0 and 1 alone."""
    return set(labels) <= {0.0, 1.0}


def agreement(pairs: Sequence[Pair], *key: str) -> dict[str, Sure]:
    """Of labels that are 0 and 1 the share of equal verdicts (`agreement`, 0 .. 1) and `kappa`; of any other numbers, whose scale does
    not matter, `spearman` and `kendall` (tau-b).

    Args:
        pairs: one or more.
        key: names what is compared: the same names draw the same resamples.
    """
    yes_or_no = is_yes_or_no([pair.label for pair in pairs])
    found = {"agreement": _equal, "kappa": _kappa} if yes_or_no else {"spearman": _spearman, "kendall": _kendall}
    return {name: _sure(pairs, of, (*key, name)) for name, of in found.items()}


def _sure(pairs: Sequence[Pair], figure: Callable[[Numbers, Numbers], float], key: Sequence[str]) -> Sure:
    import numpy as np
    from scipy.stats import bootstrap

    scores, labels = (np.array([pair[place] for pair in pairs], dtype=float) for place in (1, 2))
    places: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        places[pair.group].append(number)
    groups = [np.array(those) for those in places.values()]

    def of_groups(chosen: NDArray[np.int64]) -> float:
        rows = np.concatenate([groups[int(number)] for number in chosen])
        return figure(scores[rows], labels[rows])

    with warnings.catch_warnings():  # of a resample whose labels are all alike there is no figure
        warnings.simplefilter("ignore")
        value = _known(figure(scores, labels))
        if value is None or len(groups) < 2:
            return Sure(value, None, None)
        seed = int.from_bytes(digest("agreement", *key, size=8), "little")
        drawn = bootstrap(
            (np.arange(len(groups)),), of_groups, n_resamples=RESAMPLES, method="percentile", vectorized=False, rng=seed
        ).bootstrap_distribution
        low, high = map(float, np.nanquantile(drawn, (0.025, 0.975)))
    return Sure(value, low, high)


def _known(value: float) -> float | None:
    return float(value) if value == value else None  # noqa: PLR0124 (what is no number is not itself)


def _equal(scores: Numbers, labels: Numbers) -> float:
    return float(((scores >= RIGHT) == (labels >= RIGHT)).mean())


def _kappa(scores: Numbers, labels: Numbers) -> float:
    """Cohen 1960; no number where chance alone would agree always."""
    say_yes, are_yes = float((scores >= RIGHT).mean()), float((labels >= RIGHT).mean())
    by_chance = say_yes * are_yes + (1 - say_yes) * (1 - are_yes)
    return (_equal(scores, labels) - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def _spearman(scores: Numbers, labels: Numbers) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(scores, labels).statistic)


def _kendall(scores: Numbers, labels: Numbers) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(scores, labels).statistic)
