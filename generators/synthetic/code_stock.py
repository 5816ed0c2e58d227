"""One-line functions that call each other in layers, encoded and counted once per release (code_run, docs/spec/synthetic.md D).

    def brisk_lamp(x): return calm_otter(x) + 7

A line is three pieces: what it defines, what it calls, what it adds, the last one with the `def` of the next line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.context.ranked import AHEAD, distinct
from generators.synthetic.listed import Column, Units
from generators.synthetic.parts import texts_of
from generators.synthetic.vocabulary import compounds
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

POOL = 131_072  # names: a context of 1M tokens has less than half as many lines
NEXT = "\ndef"
LOW, HIGH = -12, 17  # what a function may add
CHAINS = 4  # whole chains that every context has, the asked one first


class Stock(NamedTuple):
    """What all groups of a part draw from: how each function is defined, how it is called (last: the plain argument), LOW .. HIGH."""

    defines: Pieces
    calls: Pieces
    adds: Pieces


@lru_cache(maxsize=4)
def stock(stream_key: Key, part: Split, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """The names of a part of a release."""
    names = [
        each.replace("-", "_") for each in texts_of(lambda count: compounds(count, "code", stream_key), POOL, part)
    ]
    adds = [f" {'+' if more >= 0 else '-'} {abs(more)}{NEXT}" for more in range(LOW, HIGH + 1)]
    return Stock(
        Pieces([f" {name}(x): return" for name in names], tokenizers),
        Pieces([*(f" {name}(x)" for name in names), " x"], tokenizers),
        Pieces(adds, tokenizers),
    )


class Functions(Units):
    """The functions of a group by rank: layer by layer in turn, the first `layers` being the asked chain.

    Args:
        stock: of the part.
        layers: functions of a chain.
        draws: purpose to draws of the group.
    """

    ending = NEXT

    def __init__(self, stock: Stock, layers: int, draws: Callable[[str], Stream]) -> None:
        fixed = CHAINS * layers
        super().__init__(fixed, POOL - fixed, {rank: ("gold", f"call:{rank}") for rank in range(layers)})
        self._stock, self.layers = stock, layers
        self._names, self._callees, self._adding = map(draws, ("names", "calls", "adds"))

    def chain(self) -> list[str]:
        """Names of the asked chain, first to last."""
        return [self._stock.calls.texts[i][1:-3] for i in distinct(self._names, self.layers, POOL)]

    def added(self, count: int) -> Ints:
        """What the first functions add."""
        return (self._adding.bulk(count) % np.uint64(HIGH - LOW + 1)).astype(np.int64) + LOW

    def called(self, count: int) -> Ints:
        """Ranks that the first functions call; -1 for the plain argument.

        A function calls one of the next layer that stands in every context in which it stands itself: of its own chain while
        the chains are whole, then of any round of lines that no choice at the end of a context can leave out.
        """
        ranks = np.arange(count)
        rounds = np.maximum(CHAINS, (ranks - AHEAD) // self.layers)
        chosen = (self._callees.bulk(count) % rounds.astype(np.uint64)).astype(np.int64)
        chosen = np.where(ranks < self.fixed, ranks // self.layers, chosen)
        layer = ranks % self.layers
        return np.where(layer == self.layers - 1, -1, chosen * self.layers + layer + 1)

    def columns(self, count: int) -> list[Column]:
        """See Units."""
        count += self.fixed
        called, names, have = self.called(count), distinct(self._names, count, POOL), self._stock
        callees = np.where(called < 0, POOL, names[called])
        return [[(have.defines, names)], [(have.calls, callees)], [(have.adds, self.added(count) - LOW)]]
