"""Stocks of texts that grow with the context, and the order in which a group takes them.

A stock consists of blocks. A group goes through the blocks one by one and takes each in an order of its own, so a short row costs
one block and a long row as many as it needs; the first texts of a group do not depend on how many it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces, UnitColumns
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream

Words32: TypeAlias = "np.ndarray[Any, np.dtype[np.uint32]]"
BLOCK = 8192


class Stock:
    """Distinct texts, created as needed. `most` is their number, rounded down to whole blocks.

    `make` returns as many texts as requested; longer lists begin with the shorter ones.
    """

    def __init__(self, make: Callable[[int], Sequence[str]], most: int, tokenizers: Sequence[Tokenizer]) -> None:
        self.most = most // BLOCK * BLOCK
        self._make, self._tokenizers = make, tokenizers
        self._pieces = Pieces([], tokenizers)

    def pieces(self, count: int) -> Pieces:
        """Return the first `count` texts or more, each after a space. Their number doubles whenever more are needed."""
        if len(self._pieces) < count:
            size = min(self.most, max(count, 2 * len(self._pieces)))
            self._pieces = Pieces([f" {text}" for text in self._make(size)], self._tokenizers)
        return self._pieces


class Order:
    """A group's order of a stock: `draws` returns the random stream of a block, `keep` filters places in the stock."""

    def __init__(self, stock: Stock, draws: Callable[[int], Stream], keep: Callable[[Ints], Ints] = np.copy) -> None:
        self._stock, self._draws, self._keep = stock, draws, keep
        self._known, self._blocks = np.empty(0, dtype=np.int64), 0

    def first(self, count: int) -> Ints:
        """Return the places in the stock of the first `count` texts; raise BuildError if it has fewer."""
        if len(self._known) < count:
            self._stock.pieces(min(self._stock.most, -(-count // BLOCK) * BLOCK))  # all at once
        while len(self._known) < count:
            if self._blocks * BLOCK >= self._stock.most:
                raise BuildError(f"{count:,} texts are needed, but there are only {len(self._known):,}")
            block = self._blocks * BLOCK + self._draws(self._blocks).permutation(BLOCK)
            self._blocks += 1
            self._known = np.concatenate((self._known, self._keep(block)))
        return self._known[:count]

    def _taken(self, count: int) -> tuple[Pieces, Ints]:
        at = self.first(count)
        return self._stock.pieces(self._blocks * BLOCK), at

    def strip(self, places: Ints) -> UnitColumns:
        """Return the texts at some places of the order."""
        pieces, at = self._taken(int(places.max(initial=-1)) + 1)
        return pieces.strip(at[places])

    def texts(self, count: int) -> list[str]:
        """Return the first `count` texts."""
        pieces, at = self._taken(count)
        return [pieces.texts[i][1:] for i in at.tolist()]

    def tokens(self, count: int) -> Ints:
        """Return the release tokens of the first `count` texts."""
        pieces, at = self._taken(count)
        return pieces.tokens(at)


def words32(draws: Stream, count: int) -> Words32:
    """Return `count` random 32-bit numbers; more begin with the same ones."""
    return draws.bulk(count // 2 + 1).view("<u4")[:count]


def scattered(items: Ints, places: Stream, starts: Words32 | None = None) -> Ints:
    """Return ascending items in the order of their places, each drawn by the item's number: more items keep the order of these.

    `starts`: per item, the start of its quarter of the order as a share of 2**32; a quarter that runs past the end continues at the
    beginning. None: anywhere. Items at one place keep their order.
    """
    if len(items) == 0:
        return items
    keys = words32(places, int(items[-1]) + 1)[items]
    if starts is not None:
        keys = starts + keys // np.uint32(4)  # 32 bits wrap around by themselves
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")  # 16 bits are sorted by radix, in linear time
    return items[order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable")]]
