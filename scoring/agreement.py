"""How well scores agree with what people say of the same outputs: shares, Cohen's kappa and rank correlations, each with its interval."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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
    if is_yes_or_no([pair.label for pair in pairs]):
        verdicts = {"agreement": _equal, "kappa": _kappa}
        return {name: _sure(*_verdicts(pairs, figure), (*key, name)) for name, figure in verdicts.items()}
    ranks = {"spearman": _spearman, "kendall": _kendall}
    return {name: _sure(*_ranks(pairs, figure), (*key, name)) for name, figure in ranks.items()}


def _sure(figure: Callable[..., Any], groups: int, key: Sequence[str]) -> Sure:
    """The figure of all groups with its interval.

    Args:
        figure: of groups by number, repeats counted; an array of resamples gives one figure each.
        groups: how many there are.
        key: names the resamples.
    """
    import numpy as np
    from scipy.stats import bootstrap

    every = np.arange(groups)
    with warnings.catch_warnings():  # of a resample whose labels are all alike there is no figure
        warnings.simplefilter("ignore")
        value = _known(figure(every))
        if value is None or groups < 2:
            return Sure(value, None, None)
        seed = int.from_bytes(digest("agreement", *key, size=8), "little")
        drawn = bootstrap(
            (every,), figure, n_resamples=RESAMPLES, method="percentile", vectorized=True, rng=seed
        ).bootstrap_distribution
        low, high = map(float, np.nanquantile(drawn, (0.025, 0.975)))
    return Sure(value, low, high)


def _rows_of(pairs: Sequence[Pair]) -> tuple[Numbers, Numbers, list[NDArray[np.int64]]]:
    """Scores, labels, and which of them each group has."""
    import numpy as np

    places: dict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        places[pair.group].append(number)
    scores, labels = (np.array([pair[place] for pair in pairs], dtype=float) for place in (1, 2))
    return scores, labels, [np.array(those) for those in places.values()]


def _verdicts(pairs: Sequence[Pair], figure: Callable[..., Numbers]) -> tuple[Callable[..., Any], int]:
    """A figure of verdicts, which is one of four counts (rows, equal verdicts, yes by score, yes by label), and how many groups there are."""
    import numpy as np

    scores, labels, groups = _rows_of(pairs)
    say_yes, are_yes = scores >= RIGHT, labels >= RIGHT
    told = np.ones_like(say_yes), say_yes == are_yes, say_yes, are_yes
    counts = [np.array([np.count_nonzero(each[rows]) for rows in groups]) for each in told]
    return lambda chosen, axis=-1: figure(*(each[chosen].sum(axis=axis) for each in counts)), len(groups)


def _ranks(pairs: Sequence[Pair], figure: Callable[[Numbers, Numbers], float]) -> tuple[Callable[..., Any], int]:
    """A figure of ranks, resample by resample, and how many groups there are."""
    import numpy as np

    scores, labels, groups = _rows_of(pairs)

    def of_one(chosen: NDArray[np.int64]) -> float:
        rows = np.concatenate([groups[number] for number in chosen])
        return figure(scores[rows], labels[rows])

    return lambda chosen, axis=-1: np.apply_along_axis(of_one, axis, chosen), len(groups)


def _known(value: Any) -> float | None:
    return float(value) if value == value else None  # noqa: PLR0124 (what is no number is not itself)


def _equal(rows: Numbers, equal: Numbers, say_yes: Numbers, are_yes: Numbers) -> Numbers:
    return equal / rows


def _kappa(rows: Numbers, equal: Numbers, say_yes: Numbers, are_yes: Numbers) -> Numbers:
    """Cohen 1960; no number where chance alone would agree always."""
    import numpy as np

    say, are = say_yes / rows, are_yes / rows
    by_chance = say * are + (1 - say) * (1 - are)
    return np.where(by_chance < 1, (equal / rows - by_chance) / (1 - by_chance), np.nan)


def _spearman(scores: Numbers, labels: Numbers) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(scores, labels).statistic)


def _kendall(scores: Numbers, labels: Numbers) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(scores, labels).statistic)
