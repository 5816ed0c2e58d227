"""Rounds: the order in which shots are taken (docs/spec/helmet.md 9), drawn as a few arrays, however many shots there are.

A round has one shot of every block (a label), shuffled. One draw per text decides its round, further draws decide the place of each
block in a round; so a shorter order is the beginning of a longer one. Only texts whose draw may be small enough are sorted: a set may
have a hundred times as many texts as a row.
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

_GROUPS, _ITEMS = 20, 22  # bits of the numbers of a group and an item in a sorting key; the rest is random
_FREE = 64 - _GROUPS - _ITEMS
_BITS = 32  # bits of a draw
_SIGMAS, _SPARE = 4, 4  # more texts of a block are sorted than wanted; all texts, if these are too few
_MOST_CYCLES = 256  # cycles of all blocks drawn at once
MOST_LABELS = (1 << _GROUPS) // _MOST_CYCLES
MOST_TEXTS = 1 << 18
ENDLESS = 1 << _GROUPS  # rounds; more than any row has


@dataclass(frozen=True, slots=True)
class Blocks:
    """Texts by block, small blocks first, so that blocks that start over are at the front."""

    texts: Ints  # numbers of the texts, block after block
    block: Ints  # place of the block of each text in this order
    sizes: Ints  # sizes of the blocks in this order

    @staticmethod
    def of(labels: Ints) -> Blocks:
        """Return the texts by label; labels are numbers from 0, and every label has a text.

        Raises:
            BuildError: too many labels or texts.
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
        """Return the blocks without one text."""
        at = int(np.flatnonzero(self.texts == text)[0])
        sizes = self.sizes.copy()
        sizes[self.block[at]] -= 1
        return replace(self, texts=np.delete(self.texts, at), block=np.delete(self.block, at), sizes=sizes)


def first(blocks: Blocks, *key: Key, count: int, repeats: bool = False) -> tuple[Ints, Ints]:
    """Return whole rounds with at least `count` shots, or all rounds; see draw."""
    upto = count // len(blocks.sizes) + 2
    while True:
        texts, rounds = draw(blocks, *key, upto=upto, repeats=repeats)
        if len(texts) >= count or not len(rounds) or rounds[-1] + 1 < upto:
            return texts, rounds
        upto *= 2


def draw(blocks: Blocks, *key: Key, upto: int = ENDLESS, repeats: bool = False) -> tuple[Ints, Ints]:
    """Return the text and the round of every shot of the first rounds, in order.

    Args:
        blocks: texts.
        key: first parts of the key of every stream.
        upto: rounds wanted; another number gives the same rounds, more or fewer of them.
        repeats: whether a block starts over, in another order, when all its texts were taken; else it drops out. A text of a block
            of n texts comes again after n // 2 rounds or more.
    """
    cycles: list[tuple[Ints, Ints, Ints]] = []
    cycle, many = 0, 1  # 1, 2, 4 ... cycles are drawn at once: a small block may need hundreds
    while np.any(cycle * blocks.sizes < upto) and (repeats or not cycle):
        cycles.append(_cycles(blocks, key, range(cycle, cycle + many), upto))
        cycle, many = cycle + many, min(2 * many, _MOST_CYCLES)
    texts, rounds, slots = (np.concatenate(columns) for columns in zip(*cycles, strict=True))
    size = len(blocks.sizes)
    places = _draws(Stream(*key, "places"), size * (int(rounds.max(initial=-1)) + 1))
    order = _sorted(rounds, places[rounds * size + slots])
    return texts[order], rounds[order]


def _cycles(blocks: Blocks, key: tuple[Key, ...], cycles: range, upto: int) -> tuple[Ints, Ints, Ints]:
    """Return text, round and block of every shot before round `upto` in some cycles; a cycle takes each text of a block once."""
    many, labels, sizes = len(cycles), len(blocks.sizes), np.tile(blocks.sizes, len(cycles))
    count = int(blocks.sizes[: np.flatnonzero(cycles[0] * blocks.sizes < upto)[-1] + 1].sum())
    words = _draws(Stream(*key, cycles[0]), count * many).reshape(count, many).T.ravel()
    if cycles[0]:
        words = words >> np.uint32(1) | np.tile(_late(blocks, key, count) << np.uint32(_BITS - 1), many)
    group = (np.arange(many)[:, None] * labels + blocks.block[:count]).ravel()  # a block in a cycle
    start = np.repeat(np.array(cycles), labels) * sizes  # first round of each group
    wanted = np.clip(upto - start, 0, sizes)
    at = _early(words, group, wanted, sizes)
    at = at[_sorted(group[at], words[at])]
    rank = _ranks(group[at], len(sizes))
    kept = rank < wanted[group[at]]
    at, rank = at[kept], rank[kept]
    return blocks.texts[at % count], rank + start[group[at]], group[at] % labels


def _late(blocks: Blocks, key: tuple[Key, ...], count: int) -> Words:
    """Return 1 for texts in the second half of their block in the first cycle, and so in every cycle; 0 for others.

    So no text is last in a cycle and first in the next one; each half has another order in every cycle.
    """
    group = blocks.block[:count]
    order = _sorted(group, _draws(Stream(*key, 0), len(blocks.texts))[:count])
    late = np.empty(count, dtype=np.uint32)
    late[order] = _ranks(group[order], len(blocks.sizes)) >= (blocks.sizes // 2)[group[order]]
    return late


def _ranks(group: Ints, groups: int) -> Ints:
    """Return the rank of each item in its group, from 0; items are sorted by group."""
    held = np.bincount(group, minlength=groups)
    ranked: Ints = np.arange(len(group)) - np.repeat(np.cumsum(held) - held, held)
    return ranked


def _early(words: Words, group: Ints, wanted: Ints, sizes: Ints) -> Ints:
    """Return the items that may be among the first `wanted` of their group of `sizes`, by the bits that _sorted compares."""
    share = np.where(wanted > 0, (wanted + _SIGMAS * np.sqrt(wanted) + _SPARE) / sizes, 0.0)
    limits = (np.minimum(share, 1.0) * (1 << _FREE)).astype(np.uint32)
    early = np.flatnonzero(words >> np.uint32(_BITS - _FREE) < limits[group])
    enough = np.all(np.bincount(group[early], minlength=len(wanted)) >= wanted)
    return early if enough else np.flatnonzero(wanted[group] > 0)


def _draws(stream: Stream, n: int) -> Words:
    """Return n numbers of 32 random bits; a smaller n gives the first of them."""
    return stream.bulk((n + 1) // 2).view("<u4")[:n]


def _sorted(group: Ints, words: Words) -> Ints:
    """Return the items by group, in random order within each: one sort of keys (group, random bits, number), which all differ."""
    keys = group.astype(np.uint64) << np.uint64(64 - _GROUPS)
    keys |= (words >> np.uint32(_BITS - _FREE)).astype(np.uint64) << np.uint64(_ITEMS)
    keys |= np.arange(len(group), dtype=np.uint64)
    keys.sort()
    return (keys & np.uint64((1 << _ITEMS) - 1)).astype(np.int64)
