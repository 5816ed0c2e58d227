"""One-line functions that call each other in layers, encoded and counted once per release (spec/synthetic.md D, code_run).

    def brisk_lamp(x): return calm_otter(x) + 7

A line is three pieces: what it defines, what it calls, what it adds, the last one with the `def` of the next line.
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
from generators.synthetic.ranked import AHEAD, distinct
from generators.synthetic.vocabulary import compounds
from haymaker.rng import Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

POOL = 131_072  # names: a context of 1M tokens has less than half as many lines
NEXT = "\ndef"
LOW, HIGH = -12, 17  # what a function may add
CHAINS = 4  # whole chains that every context has, the asked one first


@dataclass(frozen=True, slots=True)
class Stock:
    """What all groups of a part draw from.

    Attributes:
        names: of functions.
        defines: how each is defined.
        calls: how each is called; the last text is the plain argument.
        adds: LOW .. HIGH.
    """

    names: list[str]
    defines: Pieces
    calls: Pieces
    adds: Pieces


@lru_cache(maxsize=4)
def stock(seed: int, part: Part, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """The names of a part of a release."""
    names = [each.replace("-", "_") for each in own(lambda count: compounds(count, "code", seed), POOL, part)]
    adds = [f" {'+' if more >= 0 else '-'} {abs(more)}{NEXT}" for more in range(LOW, HIGH + 1)]
    return Stock(
        names,
        Pieces([f" {name}(x): return" for name in names], tokenizers),
        Pieces([*(f" {name}(x)" for name in names), " x"], tokenizers),
        Pieces(adds, tokenizers),
    )


@dataclass(frozen=True, slots=True)
class Material:
    """The functions of a group by rank: layer by layer in turn, the first `layers` being the asked chain.

    Attributes:
        stock: of the part.
        layers: functions of a chain.
        names: draws of the stock's names.
        callees: what each function but those of the last layer calls.
        adding: what each adds.
    """

    stock: Stock
    layers: int
    names: Stream
    callees: Stream
    adding: Stream

    @property
    def fixed(self) -> int:
        """Functions that stand in every context."""
        return CHAINS * self.layers

    @property
    def most(self) -> int:
        """Other functions that there are."""
        return POOL - self.fixed

    def chain(self) -> list[str]:
        """Names of the asked chain, first to last."""
        return [self.stock.names[i] for i in distinct(self.names, self.layers, POOL)]

    def added(self, count: int) -> Ints:
        """What the first functions add."""
        return (self.adding.bulk(count) % np.uint64(HIGH - LOW + 1)).astype(np.int64) + LOW

    def called(self, count: int) -> Ints:
        """Ranks that the first functions call; -1 for the plain argument.

        A function calls one of the next layer that stands in every context in which it stands itself: of its own chain while
        the chains are whole, then of any round of lines that no choice at the end of a context can leave out.
        """
        ranks = np.arange(count)
        rounds = np.maximum(CHAINS, (ranks - AHEAD) // self.layers)
        chosen = (self.callees.bulk(count) % rounds.astype(np.uint64)).astype(np.int64)
        chosen = np.where(ranks < self.fixed, ranks // self.layers, chosen)
        layer = ranks % self.layers
        return np.where(layer == self.layers - 1, -1, chosen * self.layers + layer + 1)

    def _columns(self, ranks: slice) -> tuple[Ints, Ints, Ints]:
        called, names = self.called(ranks.stop)[ranks], distinct(self.names, ranks.stop, POOL)
        callees = np.where(called < 0, POOL, names[called])
        return names[ranks], callees, self.added(ranks.stop)[ranks] - LOW

    def sizes(self, count: int) -> Ints:
        """Release tokens of the first `count` functions beyond the fixed ones."""
        defines, calls, adds = self._columns(slice(self.fixed, self.fixed + count))
        have = self.stock
        return have.defines.tokens(defines) + have.calls.tokens(calls) + have.adds.tokens(adds)

    def strip(self, count: int) -> Strip:
        """All fixed functions and the first `count` others, by rank."""
        defines, calls, adds = self._columns(slice(0, self.fixed + count))
        have = self.stock
        return have.defines.strip(defines).beside(have.calls.strip(calls)).beside(have.adds.strip(adds))
