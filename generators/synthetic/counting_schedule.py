"""Which word comes next, so that every beginning of the list follows a zeta law (RULER's fwe, docs/spec/synthetic.md A3).

The word of rank r is due for the j-th time at j * r ** alpha. Items come in the order in which they are due, so a list up to time T
holds the word of rank r floor(T * r ** -alpha) times, as RULER's does, and a longer list is this one continued.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import count as count_from
from itertools import product, takewhile

import numpy as np

from generators.context.pieces import Ints
from generators.synthetic.parts import part_of
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

_LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels, so no coded word is a word
_HALVES = ["".join(letters) for letters in product(_LETTERS, repeat=3)]
_UNIT = 1 << 20  # times are whole numbers: the same order on every machine, ties by rank


class Schedule:
    """Ranks in the order in which their items are due, computed as far as they are asked for.

    Args:
        alpha: exponent of the law.
    """

    def __init__(self, alpha: float) -> None:
        self._alpha = alpha
        self._ranks = np.empty(0, dtype=np.int64)

    def first(self, count: int) -> Ints:
        """Ranks of the first `count` items, from 0 for the most frequent word."""
        if len(self._ranks) < count:
            self._ranks = self._due(max(count, 2 * len(self._ranks)))
        return self._ranks[:count]

    def _due(self, count: int) -> Ints:
        """At least `count` items: all that are due by the time at which so many are."""
        steps = (round(rank**self._alpha * _UNIT) for rank in count_from(1))  # time between two items of each rank
        every = np.array(list(takewhile(lambda step: step <= count * _UNIT, steps)), dtype=np.int64)
        last = bisect_left(range(count * _UNIT), count, key=lambda time: int((time // every).sum()))
        due = last // every
        ranks = np.repeat(np.arange(len(every)), due)
        times = np.concatenate([np.arange(1, n + 1) * step for n, step in zip(due.tolist(), every, strict=True)])
        return ranks[np.argsort(times, kind="stable")]


def coded_words(draws: Stream, part: Split) -> Iterator[str]:
    """Distinct coded words of a part, six letters each, in random order."""
    for number in draws.walk(len(_HALVES) ** 2):
        word = _HALVES[number // len(_HALVES)] + _HALVES[number % len(_HALVES)]
        if part_of(word) == part:
            yield word
