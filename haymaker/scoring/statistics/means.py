"""Means of row scores over groups, and figures of published tables (docs/spec/helmet.md 5, 6).

Rows of one group are variants of one question, such as six depths, so means are over groups.
A mean of figures records both available and expected counts; the reference averages the available figures
(docs/defects/helmet.md D20).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from haymaker.core.lengths import length_order
from haymaker.scoring.published_tables import AggregateTable, Value

Key = TypeVar("Key", bound=Hashable)


def mean_over_groups(scores: Iterable[tuple[str, float]]) -> float:
    """Return the mean over groups of their means, from group_id and score of each row.

    Raises:
        ValueError: no scores.
    """
    means = mean_by(scores).values()
    if not means:
        raise ValueError("a mean of no scores")
    return sum(means) / len(means)


def all_right(scores: Iterable[tuple[str, float]]) -> float | None:
    """Return the share of groups whose rows all score 1; None if no group has several rows.

    Groups with fewer rows (missing outputs) do not count, because fewer rows are easier to get all right.
    """
    groups = _by_key(scores)
    rows = max(map(len, groups.values()), default=0)
    whole = [values for values in groups.values() if len(values) == rows]
    return sum(min(values) == 1.0 for values in whole) / len(whole) if rows > 1 else None


def mean_by(scores: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """Return the mean of each key (a depth, an order_index, a group), in order of first appearance."""
    return {key: sum(values) / len(values) for key, values in _by_key(scores).items()}


def _by_key(scores: Iterable[tuple[Key, float]]) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = defaultdict(list)
    for key, score in scores:
        found[key].append(score)
    return found


class Share(NamedTuple):
    """Mean (None without figures), number of available and of expected figures."""

    mean: float | None
    have: int
    of: int

    @property
    def complete(self) -> bool:
        """Return whether all figures are available."""
        return self.have == self.of


class Summary(NamedTuple):
    """Published table at one length: means of categories, overall and of languages, and the missing figures."""

    categories: dict[str, Share]
    overall: Share
    missing: list[Value]
    languages: dict[str, Share]


def summarise(table: AggregateTable, figures: Mapping[Value, float]) -> Summary:
    """Return the category, language and overall means of a table; figures of other tables are ignored."""
    categories = {name: _share(values, figures) for name, values in table.categories.items()}
    missing = [value for values in table.categories.values() for value in values if value not in figures]
    languages = {name: _overall(table, of, figures) for name, of in table.languages.items()}
    return Summary(categories, _overall(table, table.categories, figures), missing, languages)


def _overall(table: AggregateTable, categories: Mapping[str, Sequence[Value]], figures: Mapping[Value, float]) -> Share:
    """Return the mean of all figures, or of the categories that have a figure."""
    every = _share([value for values in categories.values() for value in values], figures)
    if table.mean_of == "datasets":
        return every
    means = [share.mean for values in categories.values() if (share := _share(values, figures)).mean is not None]
    return Share(sum(means) / len(means) if means else None, every.have, every.of)


def _share(values: Sequence[Value], figures: Mapping[Value, float]) -> Share:
    known = [figures[value] for value in values if value in figures]
    return Share(sum(known) / len(known) if known else None, len(known), len(values))


def effective_length(means: Mapping[str, float], least: float) -> str | None:
    """Return the longest length with at least this mean, for any shorter ones (docs/spec/synthetic.md A1), or None."""
    return max((length for length, mean in means.items() if mean >= least), key=length_order, default=None)


def failing_before(means: Mapping[str, float], least: float) -> list[str]:
    """Return the lengths below the effective length whose mean is smaller than `least`, the shortest first."""
    if (longest := effective_length(means, least)) is None:
        return []
    shorter = (
        length for length, mean in means.items() if mean < least and length_order(length) < length_order(longest)
    )
    return sorted(shorter, key=length_order)


def weighted_means(means: Sequence[float]) -> tuple[float, float]:
    """Return the means with weights 1, 2, 3 ... in order, and with the weights reversed (RULER's wAvg inc and dec)."""
    weights = range(1, len(means) + 1)
    rising = sum(weight * mean for weight, mean in zip(weights, means, strict=True)) / sum(weights)
    falling = sum(weight * mean for weight, mean in zip(reversed(weights), means, strict=True)) / sum(weights)
    return rising, falling
