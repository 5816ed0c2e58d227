"""From scores of rows to figures of a table: rows of one group are variants of one question, not questions of their own.

A question comes at six depths or in three permutations (docs/spec/helmet.md 5, 6). Where every group has all its variants the
mean over groups is the mean over rows, which is what the reference reports; where some are missing it does not weigh the
others more. The error is over groups: six depths of one question are not six samples.

From figures of tasks to those of a published table (scoring/aggregation): a mean says of how many figures it is, and of how many it
should be. The reference averages in silence what is there (docs/defects/helmet.md D20).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple, TypeVar

from haymaker.buckets import bucket_order
from scoring.aggregation import AggregateTable, Value

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


def all_right(scores: Iterable[tuple[str, float]]) -> float | None:
    """The share of groups of which every row scores 1; None where no group has several rows.

    Groups with fewer rows than others have (some have no output) do not count: that all of fewer are right is easier.

    Args:
        scores: group_id and score of each row.
    """
    groups: dict[str, list[float]] = defaultdict(list)
    for group, score in scores:
        groups[group].append(score)
    rows = max(map(len, groups.values()), default=0)
    whole = [values for values in groups.values() if len(values) == rows]
    return sum(min(values) == 1.0 for values in whole) / len(whole) if rows > 1 else None


def mean_by(scores: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """The mean of each key (a depth, a permutation, a group), in order of first appearance."""
    found: dict[Key, list[float]] = defaultdict(list)
    for key, score in scores:
        found[key].append(score)
    return {key: sum(values) / len(values) for key, values in found.items()}


class Share(NamedTuple):
    """A mean, and of what.

    Attributes:
        mean: None of nothing.
        have: figures that it is the mean of.
        of: figures that there should be.
    """

    mean: float | None
    have: int
    of: int

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.have == self.of


class Summary(NamedTuple):
    """A published table at one length.

    Attributes:
        categories: by name, in order.
        overall: of all figures; where it is the mean of categories, of those that have a figure.
        missing: figures that are not there.
        languages: the overall figure of each language that the table tells apart.
    """

    categories: dict[str, Share]
    overall: Share
    missing: list[Value]
    languages: dict[str, Share]


def summarise(table: AggregateTable, figures: Mapping[Value, float]) -> Summary:
    """Means of categories, and their mean.

    Args:
        table: what is to be averaged.
        figures: those there are; others than the table's do not count.
    """
    categories = {name: _share(values, figures) for name, values in table.categories.items()}
    missing = [value for values in table.categories.values() for value in values if value not in figures]
    languages = {name: _overall(table, of, figures) for name, of in table.languages.items()}
    return Summary(categories, _overall(table, table.categories, figures), missing, languages)


def _overall(table: AggregateTable, categories: Mapping[str, Sequence[Value]], figures: Mapping[Value, float]) -> Share:
    """The mean of all figures, or of the categories that have one."""
    every = _share([value for values in categories.values() for value in values], figures)
    if table.mean_of == "datasets":
        return every
    means = [share.mean for values in categories.values() if (share := _share(values, figures)).mean is not None]
    return Share(sum(means) / len(means) if means else None, every.have, every.of)


def _share(values: Sequence[Value], figures: Mapping[Value, float]) -> Share:
    there = [figures[value] for value in values if value in figures]
    return Share(sum(there) / len(there) if there else None, len(there), len(values))


def effective_length(means: Mapping[str, float], least: float) -> str | None:
    """The longest length with at least that mean, whatever shorter ones have (docs/spec/synthetic.md A1); None where none has it."""
    return max((bucket for bucket, mean in means.items() if mean >= least), key=bucket_order, default=None)


def failing_before(means: Mapping[str, float], least: float) -> list[str]:
    """Lengths below the effective one whose mean is less than that, the shortest first."""
    if (length := effective_length(means, least)) is None:
        return []
    shorter = (bucket for bucket, mean in means.items() if mean < least and bucket_order(bucket) < bucket_order(length))
    return sorted(shorter, key=bucket_order)


def weighted_means(means: Sequence[float]) -> tuple[float, float]:
    """The means with weights 1, 2, 3 ... in order, and with the same weights falling (RULER's wAvg inc and dec)."""
    weights = range(1, len(means) + 1)
    rising = sum(weight * mean for weight, mean in zip(weights, means, strict=True)) / sum(weights)
    falling = sum(weight * mean for weight, mean in zip(reversed(weights), means, strict=True)) / sum(weights)
    return rising, falling
