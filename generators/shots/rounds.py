"""Rounds: the order in which shots are taken (docs/spec/helmet.md 9), drawn as a few arrays however many shots there are.

A round holds one shot of every block (a label), shuffled. Which text of a block comes in which round is decided by one draw per
text, and where a round shows each block by draws of its own; so an order cut off anywhere is the beginning of the longer one.
Only texts whose draw may be small enough to come in time are sorted: a set may hold a hundred times what a row shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from generators.context.pieces import Ints
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[np.uint32]

_GROUPS, _ITEMS = 20, 22  # bits of a group's and an item's number in a sorting key; the rest is random
_FREE = 64 - _GROUPS - _ITEMS
_BITS = 32  # of a draw
_SIGMAS, _SPARE = 4, 4  # more texts of a block are sorted than are wanted; where that is too few, all of them
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
        sizes: of the blocks in this order.
    """

    texts: Ints
    block: Ints
    sizes: Ints

    @staticmethod
    def of(labels: Ints) -> Blocks:
        """Blocks of texts with the same label.

        Args:
            labels: of each text, from 0; every label has a text.

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
        return Blocks(texts, place[labels][texts], sizes[order])

    def without(self, text: int) -> Blocks:
        """The same without one text."""
        at = int(np.flatnonzero(self.texts == text)[0])
        sizes = self.sizes.copy()
        sizes[self.block[at]] -= 1
        return replace(self, texts=np.delete(self.texts, at), block=np.delete(self.block, at), sizes=sizes)

    @property
    def whole_rounds(self) -> int:
        """Rounds until the first block has no text left."""
        return int(self.sizes.min())


def first(blocks: Blocks, *key: Key, count: int, repeats: bool = False) -> tuple[Ints, Ints]:
    """As many whole rounds as hold so many shots, or all there are; see draw."""
    upto = count // len(blocks.sizes) + 2
    while True:
        texts, rounds = draw(blocks, *key, upto=upto, repeats=repeats)
        if len(texts) >= count or not len(rounds) or rounds[-1] + 1 < upto:
            return texts, rounds
        upto *= 2


def draw(blocks: Blocks, *key: Key, upto: int = ENDLESS, repeats: bool = False) -> tuple[Ints, Ints]:
    """The first rounds, as (number, round) of every shot in order.

    Args:
        blocks: what is drawn from.
        key: first parts of every stream's name.
        upto: rounds wanted; another number gives the same rounds, more or fewer of them.
        repeats: start a block over, in another order, when all its texts were taken; else it drops out. No text of a block of n
            comes again before n // 2 rounds of others.
    """
    cycles: list[tuple[Ints, Ints, Ints]] = []
    cycle, many = 0, 1  # cycles are drawn by ones, twos, fours: a small block may need hundreds
    while np.any(cycle * blocks.sizes < upto) and (repeats or not cycle):
        cycles.append(_cycles(blocks, key, range(cycle, cycle + many), upto))
        cycle, many = cycle + many, min(2 * many, _MOST_CYCLES)
    texts, rounds, slots = (np.concatenate(columns) for columns in zip(*cycles, strict=True))
    size = len(blocks.sizes)
    places = _draws(Stream(*key, "places"), size * (int(rounds.max(initial=-1)) + 1))
    order = _sorted(rounds, places[rounds * size + slots])
    return texts[order], rounds[order]


def _cycles(blocks: Blocks, key: tuple[Key, ...], cycles: range, upto: int) -> tuple[Ints, Ints, Ints]:
    """Which texts of all blocks come in which round while they are gone through for the so-manieth time.

    Returns:
        Text, round, and which of the round's shots it is (not yet where it stands), of every shot before round `upto`.
    """
    many, labels, sizes = len(cycles), len(blocks.sizes), np.tile(blocks.sizes, len(cycles))
    count = int(blocks.sizes[: np.flatnonzero(cycles[0] * blocks.sizes < upto)[-1] + 1].sum())
    words = _draws(Stream(*key, cycles[0]), count * many).reshape(count, many).T.ravel()
    if cycles[0]:
        words = words >> np.uint32(1) | np.tile(_late(blocks, key, count) << np.uint32(_BITS - 1), many)
    group = (np.arange(many)[:, None] * labels + blocks.block[:count]).ravel()  # a block in a cycle
    start = np.repeat(np.array(cycles), labels) * sizes  # round of each group
    wanted = np.clip(upto - start, 0, sizes)
    at = _early(words, group, wanted, sizes)
    at = at[_sorted(group[at], words[at])]
    rank = ranks(group[at], len(sizes))
    kept = rank < wanted[group[at]]
    at, rank = at[kept], rank[kept]
    return blocks.texts[at % count], rank + start[group[at]], group[at] % labels


def _late(blocks: Blocks, key: tuple[Key, ...], count: int) -> Words:
    """Whether (0 or 1) each of the first texts came in the second half of its block's first time; it stays there in all later ones.

    So no text comes last and then first, and each half is in another order every time.
    """
    group = blocks.block[:count]
    order = _sorted(group, _draws(Stream(*key, 0), len(blocks.texts))[:count])
    late = np.empty(count, dtype=np.uint32)
    late[order] = ranks(group[order], len(blocks.sizes)) >= (blocks.sizes // 2)[group[order]]
    return late


def ranks(group: Ints, groups: int) -> Ints:
    """Which of its group each item is, from 0; the items of a group stand together, groups in ascending order."""
    held = np.bincount(group, minlength=groups)
    ranked: Ints = np.arange(len(group)) - np.repeat(np.cumsum(held) - held, held)
    return ranked


def _early(words: Words, group: Ints, wanted: Ints, sizes: Ints) -> Ints:
    """Numbers of the items that may be among the first `wanted` of their group of `sizes`, by the bits that _sorted looks at."""
    share = np.where(wanted > 0, (wanted + _SIGMAS * np.sqrt(wanted) + _SPARE) / sizes, 0.0)
    limits = (np.minimum(share, 1.0) * (1 << _FREE)).astype(np.uint32)
    early = np.flatnonzero(words >> np.uint32(_BITS - _FREE) < limits[group])
    if np.all(np.bincount(group[early], minlength=len(wanted)) >= wanted):
        return early
    return np.flatnonzero(wanted[group] > 0)


def _draws(stream: Stream, n: int) -> Words:
    """n numbers of 32 random bits; fewer of them are the first of more."""
    return stream.bulk((n + 1) // 2).view("<u4")[:n]


def _sorted(group: Ints, words: Words) -> Ints:
    """Numbers of the items by group, in random order within each.

    One sort of 64-bit keys (group, random bits, number): no two are the same, so every sorting algorithm gives this order.
    """
    keys = group.astype(np.uint64) << np.uint64(64 - _GROUPS)
    keys |= (words >> np.uint32(_BITS - _FREE)).astype(np.uint64) << np.uint64(_ITEMS)
    keys |= np.arange(len(group), dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64((1 << _ITEMS) - 1)).astype(np.int64)
