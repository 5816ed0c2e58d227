"""Seven-digit numbers, encoded and counted once per release; what a group's list takes of them (spec/synthetic.md D, math_find).

A list is balanced around one number, its median: three planted numbers on either side are its extremes, and all others come in
couples, one below the median and one above, between the extremes. So the seven numbers that can be asked for are the same at
every length, and every number stands once. Where between the extremes the median lies is drawn, so that neither the middle of
the range nor the mean of the list tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.pieces import Pieces, Strip
from generators.synthetic.parts import own
from generators.synthetic.ranked import distinct
from haymaker.rng import Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

POOL = 262_144
_LOW, _HIGH = 1_000_000, 9_999_999
NEXT = ","
ASKED = ("largest", "second largest", "third largest", "smallest", "second smallest", "third smallest", "median")
PLANTED = len(ASKED)
_CUT = POOL // 20  # numbers left out at either end of the pool: so that the range is the group's own
_GAP = 200  # numbers of the pool between neighbouring planted ones, at most
_NEAREST = 35  # the median stands at least so many percent of the range away from either end
COUPLES = (POOL - 2 * _CUT) * _NEAREST // 100 - 3 * _GAP  # there are more numbers between median and third extreme


@lru_cache(maxsize=4)
def stock(seed: int, part: Part, negative: bool, tokenizers: tuple[Tokenizer, ...]) -> tuple[list[int], Pieces]:
    """(values, texts) of the numbers of a part of a release, smallest first; where asked for, half of them negative."""
    drawn = [int(text) for text in own(lambda count: _numbers(count, seed), POOL, part)]
    if negative:
        signs = Stream("synthetic", "math_find", seed, "signs").bulk(POOL) & np.uint64(1)
        drawn = [-value if sign else value for value, sign in zip(drawn, signs.tolist(), strict=True)]
    drawn.sort()
    return drawn, Pieces([f" {value}{NEXT}" for value in drawn], tokenizers)


def _numbers(count: int, seed: int) -> list[str]:
    draws = Stream("synthetic", "math_find", seed, "numbers")
    return [str(_LOW + each) for each in distinct(draws, count, _HIGH - _LOW + 1).tolist()]


@dataclass(frozen=True, slots=True)
class Material:
    """A group's numbers as positions in the sorted pool.

    Attributes:
        values: of the pool.
        pieces: of the pool.
        planted: positions of the numbers that can be asked for, in the order of ASKED.
        draws: (below, above): of the couples.
    """

    values: list[int]
    pieces: Pieces
    planted: list[int]
    draws: tuple[Stream, Stream]

    def couples(self, count: int) -> Ints:
        """Positions of the first couples: below, above, below, above ..."""
        below = self.planted[5] + 1 + distinct(self.draws[0], count, self.planted[6] - self.planted[5] - 1)
        above = self.planted[6] + 1 + distinct(self.draws[1], count, self.planted[2] - self.planted[6] - 1)
        return np.stack((below, above), axis=1).reshape(-1)

    def sizes(self, count: int) -> Ints:
        """Release tokens of the first couples."""
        both: Ints = self.pieces.tokens(self.couples(count)).reshape(-1, 2).sum(axis=1)
        return both

    def positions(self, couples: int) -> Ints:
        """By rank: the planted numbers, then two a couple."""
        return np.concatenate((self.planted, self.couples(couples)))

    def strip(self, positions: Ints) -> Strip:
        """Numbers in this order."""
        return self.pieces.strip(positions)


def material(have: tuple[list[int], Pieces], planting: Stream, draws: tuple[Stream, Stream]) -> Material:
    """A group's numbers: its range, its median and its extremes drawn from the pool."""
    low, high = planting.below(_CUT), POOL - 1 - planting.below(_CUT)
    smallest, largest = [low], [high]
    for _ in range(2):
        smallest.append(smallest[-1] + 1 + planting.below(_GAP))
        largest.append(largest[-1] - 1 - planting.below(_GAP))
    span = high - low
    median = low + span * _NEAREST // 100 + planting.below(span * (100 - 2 * _NEAREST) // 100 + 1)
    return Material(*have, [*largest, *smallest, median], draws)
