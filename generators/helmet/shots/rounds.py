"""Rounds: the order of a row's shots (spec/helmet.md 9, step 3), drawn as a few arrays however many shots there are.

A round holds one shot of every block (a label), or so many as the block weighs, shuffled. Which text of a block comes in which
round, and where in the round it stands, is decided by one draw per text; so an order cut off anywhere is the beginning of the
longer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from haymaker.errors import BuildError
from haymaker.rng import Key, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]

_GROUPS, _ITEMS = 20, 22  # bits of a group's and an item's number in a sorting key; the rest is random
_MOST_CYCLES = 256  # of all blocks drawn at once
MOST_LABELS = (1 << _GROUPS) // _MOST_CYCLES
MOST_TEXTS = 1 << 18
ENDLESS = 1 << _GROUPS  # rounds; more than any row has


@dataclass(frozen=True, slots=True)
class Blocks:
    """Texts by block, small blocks first (so that those that are started over stand in front).

    Attributes:
        texts: numbers of the texts, block after block.
        block: of each of them, its block's place in this order.
        sizes, weights: of the blocks in this order: texts, and shots of a round.
        ends: one past the last text of each block.
    """

    texts: Ints
    block: Ints
    sizes: Ints
    weights: Ints
    ends: Ints

    @staticmethod
    def of(labels: Ints, weights: Ints | None = None) -> Blocks:
        """Blocks of texts with the same label.

        Args:
            labels: of each text, from 0; every label has a text.
            weights: per label, shots of a round; one each when not given.

        Raises:
            BuildError: more labels or texts than an order can be drawn of.
        """
        sizes = np.bincount(labels)
        if len(sizes) > MOST_LABELS or len(labels) > MOST_TEXTS:
            raise BuildError(f"{len(sizes):,} labels and {len(labels):,} texts are too many",
                             fix=f"use at most {MOST_LABELS:,} labels and {MOST_TEXTS:,} texts")  # fmt: skip
        order = np.argsort(sizes, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        texts = np.argsort(place[labels], kind="stable")
        shares = np.ones_like(sizes) if weights is None else weights
        return Blocks(texts, place[labels][texts], sizes[order], shares[order], np.cumsum(sizes[order]))

    def without(self, text: int) -> Blocks:
        """The same without one text."""
        at = int(np.flatnonzero(self.texts == text)[0])
        sizes = self.sizes.copy()
        sizes[self.block[at]] -= 1
        return Blocks(np.delete(self.texts, at), np.delete(self.block, at), sizes, self.weights, np.cumsum(sizes))

    @property
    def whole_rounds(self) -> int:
        """Rounds until the first block has not enough texts left."""
        return int((self.sizes // self.weights).min())


def draw(blocks: Blocks, *key: Key, upto: int = ENDLESS, repeats: bool = False) -> tuple[Ints, Ints]:
    """The first rounds, as (number, round) of every shot in order.

    Args:
        blocks: what is drawn from.
        key: first parts of every stream's name.
        upto: rounds wanted; another number gives the same rounds, more or fewer of them.
        repeats: start a block over, in another order, when all its texts were taken; else it drops out. Weights must be 1.
    """
    texts: list[Ints] = []
    rounds: list[Ints] = []
    places: list[Words] = []
    cycle, many = 0, 1  # cycles are drawn by ones, twos, fours: a small block may need hundreds
    while len(active := np.flatnonzero(cycle * blocks.sizes < upto)) and (repeats or not cycle):
        count = int(blocks.ends[active[-1]])
        words = Stream(*key, cycle).bulk(2 * count * many).reshape(count, many, 2).transpose(1, 0, 2).reshape(-1, 2)
        turn_of = np.repeat(np.arange(many), count)
        block = np.tile(blocks.block[:count], many)
        live = np.flatnonzero((cycle + turn_of) * blocks.sizes[block] < upto)  # whole cycles of blocks
        turn_of, block = turn_of[live], block[live]
        at = live[_sorted(turn_of * len(blocks.sizes) + block, words[live, 0])]
        rank = live % count - (blocks.ends - blocks.sizes)[block]
        turn = rank // blocks.weights[block] + (cycle + turn_of) * blocks.sizes[block]
        kept = np.flatnonzero(turn < upto)
        texts.append(blocks.texts[at[kept] % count])
        rounds.append(turn[kept].astype(np.int64))
        places.append(words[at[kept], 1])
        cycle, many = cycle + many, min(2 * many, _MOST_CYCLES)
    all_texts, all_rounds = np.concatenate(texts), np.concatenate(rounds)
    order = _sorted(all_rounds, np.concatenate(places))
    return all_texts[order], all_rounds[order]


def _sorted(group: Ints, words: Words) -> Ints:
    """Numbers of the items by group, in random order within each.

    One sort of 64-bit keys (group, random bits, number): no two are the same, so every sorting algorithm gives this order.
    """
    free = 64 - _GROUPS - _ITEMS
    keys = group.astype(np.uint64) << np.uint64(64 - _GROUPS)
    keys |= (words >> np.uint64(64 - free)) << np.uint64(_ITEMS)
    keys |= np.arange(len(group), dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64((1 << _ITEMS) - 1)).astype(np.int64)
