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
    """Distinct texts, created as needed.

    Args:
        make: function from a count to so many texts; longer lists begin with the shorter ones.
        most: number of texts, at least; the attribute is rounded down to whole blocks.
        tokenizers: release tokenizer first.
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
    """A group's order of a stock, drawn block by block.

    Args:
        stock: texts.
        draws: function from the number of a block to its random stream.
        keep: filter of places in the stock; by default all texts are taken.
    """

    def __init__(self, stock: Stock, draws: Callable[[int], Stream], keep: Callable[[Ints], Ints] = np.copy) -> None:
        self._stock, self._draws, self._keep = stock, draws, keep
        self._known, self._blocks = np.empty(0, dtype=np.int64), 0

    def first(self, count: int) -> Ints:
        """Return the places in the stock of the first `count` texts.

        Raises:
            BuildError: the stock has fewer.
        """
        if len(self._known) < count:
            self._stock.pieces(min(self._stock.most, -(-count // BLOCK) * BLOCK))  # all at once
        while len(self._known) < count:
            if self._blocks * BLOCK >= self._stock.most:
                raise BuildError(f"{count:,} texts are needed, there are {len(self._known):,}")
            block = self._blocks * BLOCK + self._draws(self._blocks).permutation(BLOCK)
            self._blocks += 1
            self._known = np.concatenate((self._known, self._keep(block)))
        return self._known[:count]

    def _pieces(self) -> Pieces:
        return self._stock.pieces(self._blocks * BLOCK)

    def strip(self, places: Ints) -> UnitColumns:
        """Return the texts at some places of the order."""
        at = self.first(int(places.max(initial=-1)) + 1)[places]
        return self._pieces().strip(at)

    def texts(self, count: int) -> list[str]:
        """Return the first `count` texts."""
        at = self.first(count).tolist()
        return [self._pieces().texts[i][1:] for i in at]

    def tokens(self, count: int) -> Ints:
        """Return the release tokens of the first `count` texts."""
        at = self.first(count)
        return self._pieces().tokens(at)


def words32(draws: Stream, count: int) -> Words32:
    """Return `count` random 32-bit numbers; more begin with the same ones."""
    return draws.bulk(count // 2 + 1).view("<u4")[:count]


def scattered(items: Ints, places: Stream, starts: Words32 | None = None) -> Ints:
    """Return ascending items in the order of their places, each drawn by the item's number: more items keep the order of these.

    `starts`: per item, the start of its quarter of the order as a share of 2**32; a quarter that runs past the end continues at the
    beginning. None: anywhere. Of two items at one place the smaller comes first.
    """
    if len(items) == 0:
        return items
    keys = words32(places, int(items[-1]) + 1)[items]
    if starts is not None:
        keys = starts + keys // np.uint32(4)  # 32 bits wrap around by themselves
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")  # 16 bits are sorted by radix, in linear time
    return items[order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable")]]
