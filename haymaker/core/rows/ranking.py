"""Gains of rankings, for rows and scores alike (docs/spec/helmet.md 11.4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

CUT = 10  # ranks that NDCG@10 counts


def gain(grades: Sequence[float]) -> float:
    """Return the discounted gain of grades in the order of a ranking; gain is linear."""
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def ideal_gain(grades: Collection[float]) -> float:
    """Return the gain of the best ranking of CUT items with these grades."""
    return gain(sorted(grades, reverse=True)[:CUT])


def random_ndcg(grades: Collection[float]) -> float:
    """Return the exact mean NDCG@10 of all orders of items with these grades; 0 if no grade is above 0.

    In a random order, each rank has the mean grade.
    """
    ideal = ideal_gain(grades)
    return sum(grades) / len(grades) * gain([1] * min(CUT, len(grades))) / ideal if ideal else 0.0
