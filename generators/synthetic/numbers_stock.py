"""Seven-digit numbers, encoded and counted once per release; what a group's list takes of them (math_find,
docs/spec/synthetic.md D).

A list is balanced around one number, its median: three planted numbers on either side are its extremes, and all others come in
couples, one below the median and one above, between the extremes. So the seven numbers that can be asked for are the same at
every length, and every number stands once. Where between the extremes the median lies is drawn, so that neither the middle of
the range nor the mean of the list tells it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.context.ranked import distinct
from generators.synthetic.listed import Column, Units
from generators.synthetic.parts import texts_of
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

POOL = 262_144
_LOW, _HIGH = 1_000_000, 9_999_999
NEXT = ","
TARGETS = ("largest", "second largest", "third largest", "smallest", "second smallest", "third smallest", "median")
TARGET_COUNT = len(TARGETS)
_CUT = POOL // 20  # numbers left out at either end of the pool: so that the range is the group's own
_GAP = 200  # numbers of the pool between neighbouring planted ones, at most
_NEAREST = 35  # the median stands at least so many percent of the range away from either end
COUPLES = (POOL - 2 * _CUT) * _NEAREST // 100 - 3 * _GAP  # there are more numbers between median and third extreme


@lru_cache(maxsize=4)
def stock(stream_key: Key, part: Split, negative: bool, tokenizers: tuple[Tokenizer, ...]) -> Pieces:
    """The numbers of a part of a release, smallest first; where asked for, half of them negative."""
    draws, every = Stream("synthetic", "math_find", stream_key, "numbers"), _HIGH - _LOW + 1
    texts = texts_of(lambda count: [str(_LOW + each) for each in distinct(draws, count, every).tolist()], POOL, part)
    numbers = [int(text) for text in texts]
    if negative:
        signs = Stream("synthetic", "math_find", stream_key, "signs").bulk(POOL) & np.uint64(1)
        numbers = [-value if sign else value for value, sign in zip(numbers, signs.tolist(), strict=True)]
    numbers.sort()
    return Pieces([f" {value}{NEXT}" for value in numbers], tokenizers)


class Numbers(Units):
    """A group's numbers by rank, as positions in the sorted pool: those that can be asked for, the others in couples.

    Args:
        pool: of the part.
        target: which of the planted ones is asked for.
        draws: purpose to draws of the group.

    Attributes:
        targets: positions of the numbers that can be asked for, in the order of TARGETS.
    """

    ending, each = NEXT, 2

    def __init__(self, pool: Pieces, target: int, draws: Callable[[str], Stream]) -> None:
        super().__init__(TARGET_COUNT, COUPLES, {target: ("gold", TARGETS[target])})
        self._pool, self.targets = pool, _targets(draws("planted"))
        self._below, self._above = draws("below"), draws("above")

    def number(self, rank: int) -> str:
        """One that can be asked for."""
        return self._pool.texts[self.targets[rank]][1 : -len(NEXT)]

    def columns(self, count: int) -> list[Column]:
        """See Units; of a couple the one below the median comes first."""
        lowest, median, highest = self.targets[5], self.targets[6], self.targets[2]
        below = lowest + 1 + distinct(self._below, count // 2, median - lowest - 1)
        above = median + 1 + distinct(self._above, count // 2, highest - median - 1)
        return [[(self._pool, np.concatenate((self.targets, np.stack((below, above), axis=1).ravel())))]]


def _targets(draws: Stream) -> list[int]:
    """A group's range, extremes and median drawn from the pool."""
    low, high = draws.below(_CUT), POOL - 1 - draws.below(_CUT)
    smallest, largest = [low], [high]
    for _ in range(2):
        smallest.append(smallest[-1] + 1 + draws.below(_GAP))
        largest.append(largest[-1] - 1 - draws.below(_GAP))
    span = high - low
    median = low + span * _NEAREST // 100 + draws.below(span * (100 - 2 * _NEAREST) // 100 + 1)
    return [*largest, *smallest, median]
