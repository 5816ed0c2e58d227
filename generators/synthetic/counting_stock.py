"""Stocks of texts that grow with the context, and orders of them, one for each group.

A stock is cut into blocks. A group goes through the blocks one after the other and takes each in an order of its own, so a short
row costs one block and a long one as many as it needs; what a group takes first does not depend on how much it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces, Strip
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream

if TYPE_CHECKING:
    import numpy.typing as npt

Words32: TypeAlias = "npt.NDArray[np.uint32]"
BLOCK = 8192


class Stock:
    """Distinct texts, made as they are asked for.

    Args:
        make: count to so many texts; longer lists begin with the shorter ones.
        most: texts that there are at least.
        tokenizers: release tokenizer first.

    Attributes:
        most: texts that there are, in whole blocks.
    """

    def __init__(self, make: Callable[[int], Sequence[str]], most: int, tokenizers: Sequence[Tokenizer]) -> None:
        self.most = most // BLOCK * BLOCK
        self._make, self._tokenizers = make, tokenizers
        self._pieces = Pieces([], tokenizers)

    def pieces(self, count: int) -> Pieces:
        """The first `count` texts or more, each with a space before it; made anew in doubled numbers."""
        if len(self._pieces) < count:
            size = min(self.most, max(count, 2 * len(self._pieces)))
            self._pieces = Pieces([f" {text}" for text in self._make(size)], self._tokenizers)
        return self._pieces


class Order:
    """A group's order of a stock, drawn block by block.

    Args:
        stock: what is ordered.
        draws: number of a block to its stream.
        keep: of some texts, by their place in the stock, those that may be taken; None: all may.
    """

    def __init__(
        self, stock: Stock, draws: Callable[[int], Stream], keep: Callable[[Ints], Ints] | None = None
    ) -> None:
        self._stock, self._draws, self._keep = stock, draws, keep
        self._known, self._blocks = np.empty(0, dtype=np.int64), 0

    def first(self, count: int) -> Ints:
        """The first `count` texts, by their place in the stock.

        Raises:
            BuildError: the stock has not so many.
        """
        if len(self._known) < count:
            self._stock.pieces(min(self._stock.most, -(-count // BLOCK) * BLOCK))  # made at once, not block by block
        while len(self._known) < count:
            if self._blocks * BLOCK >= self._stock.most:
                raise BuildError(f"{count:,} texts are needed, there are {len(self._known):,}")
            block = self._blocks * BLOCK + self._draws(self._blocks).permutation(BLOCK)
            self._blocks += 1
            self._known = np.concatenate((self._known, self._keep(block) if self._keep else block))
        return self._known[:count]

    def _pieces(self) -> Pieces:
        """The stock as far as this order was drawn."""
        return self._stock.pieces(self._blocks * BLOCK)

    def strip(self, places: Ints) -> Strip:
        """Texts by their places in the order."""
        at = self.first(int(places.max(initial=-1)) + 1)[places]
        return self._pieces().strip(at)

    def texts(self, count: int) -> list[str]:
        """The first `count` texts."""
        at = self.first(count).tolist()
        return [self._pieces().texts[i][1:] for i in at]

    def tokens(self, count: int) -> Ints:
        """Release tokens of the first `count` texts."""
        at = self.first(count)
        return self._pieces().tokens(at)


class Numerals(Stock):
    """The pieces " 1.", " 2." ... that number items by their place."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__(lambda count: [f"{n}." for n in range(1, count + 1)], 1 << 30, tokenizers)
        self._sums = np.zeros(1, dtype=np.int64)

    def sums(self, count: int) -> Ints:
        """Value i = release tokens of the first i, up to `count`."""
        if len(self._sums) <= count:
            pieces = self.pieces(count)
            self._sums = np.concatenate(([0], np.cumsum(pieces.tokens(np.arange(len(pieces))))))
        return self._sums[: count + 1]


def scattered(items: Ints, places: Stream, starts: Words32 | None = None) -> Ints:
    """The items in the order of their places, each drawn by the item's number: more items leave the order of these as it is.

    Args:
        items: numbers from 0, ascending; of two at one place the smaller stands first.
        places: of the group.
        starts: of each item, 32 bits of the way through all of them: it stands in the quarter that begins there, which goes on at
            the beginning where the end cuts it; None: anywhere.
    """
    if len(items) == 0:
        return items
    keys = places.bulk(int(items[-1]) // 2 + 1).view("<u4")[items]
    if starts is not None:
        keys = starts + keys // np.uint32(4)  # 32 bits go round by themselves
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")  # 16 bits are sorted by radix, in linear time
    return items[order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable")]]
