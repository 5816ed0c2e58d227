"""The shots of one question: the order in which rows take them, the order in which rows show them, and their text.

Both orders are the same at every length: a row takes the first shots of one order, as many as fit, and shows them in the other
order, by place. So a longer row contains the shorter one in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from generators.context.pieces import Ints, Pieces, UnitColumns
from generators.context.writer import Frame
from haymaker.core.rows.schema import Spans

_AHEAD = 80  # shots beyond the budget that fitting may look at


@dataclass(frozen=True, slots=True)
class Shots:
    """Some shots of a question, in the order in which rows take them."""

    texts: Ints  # number of each shot
    rounds: Ints  # round of each shot
    places: Ints  # sorting keys of the shots within a row
    complete: int = 0  # number of whole rounds

    def __len__(self) -> int:
        return len(self.texts)

    def chosen(self, which: Sequence[int]) -> Shots:
        """Return some of the shots, in the same order."""
        at = np.asarray(which, dtype=np.int64)
        gaps = np.flatnonzero(at != np.arange(len(at)))
        left_out = int(gaps[0]) if len(gaps) else len(at)
        complete = self.rounds[left_out] if left_out < len(self) else self.rounds[-1] + 1
        return Shots(self.texts[at], self.rounds[at], self.places[at], int(complete))

    def in_place(self) -> Shots:
        """Return the shots in the order of the row."""
        at = np.argsort(self.places, kind="stable")
        return Shots(self.texts[at], self.rounds[at], self.places[at], self.complete)


@dataclass(frozen=True, slots=True)
class ShotPool:
    """Shots that a question may show.

    Attributes:
        pieces: all shots as units of a context, without the ending if the pool has endings.
        names: returns the ids of shots, and their labels, if they have labels.
        order: returns the first shots, at least as many as requested, or all; another number only changes how many.
        guess: returns about how many shots have a number of tokens.
        shown: number of the ending of each shot (its label as shown).
        endings: text after each shot, by number; None if pieces are whole units.
        label_map: labels of the set -> labels as shown; None if shots have no labels.
    """

    pieces: Pieces
    names: Callable[[Ints], tuple[list[str], list[str] | None]]
    order: Callable[[int], Shots]
    guess: Callable[[int], int]
    shown: Ints
    endings: Pieces | None = None
    label_map: Mapping[str, str] | None = None

    def ranked(self, tokens: int) -> tuple[Shots, memoryview]:
        """Return all shots that fitting a budget may look at, and prefix sums of their release tokens."""
        wanted = self.guess(tokens) + _AHEAD
        while True:
            shots = self.order(wanted)
            sizes = self.pieces.tokens(shots.texts)
            if self.endings is not None:
                sizes = sizes + self.endings.tokens(self.shown[shots.texts])
            sums = np.concatenate(([0], np.cumsum(sizes)))
            if int(np.searchsorted(sums, tokens)) + _AHEAD <= len(sums) or len(shots) < wanted:
                return shots, sums.data
            wanted *= 2

    def first(self, count: int) -> Shots:
        """Return the first shots, or all if there are fewer."""
        shots = self.order(count)
        return shots.chosen(range(min(count, len(shots))))

    def strip(self, shots: Shots) -> UnitColumns:
        """Return shots as units of a context."""
        strip = self.pieces.strip(shots.texts)
        return strip if self.endings is None else strip.beside(self.endings.strip(self.shown[shots.texts]))

    def spans(self, shots: Shots, strip: UnitColumns, frame: Frame, ending: str) -> Spans:
        """Return one span for each shot of a row, from its text to its answer, without the ending of its unit."""
        ends, token_ends = np.cumsum(strip.characters), np.cumsum(strip.tokens[0])
        starts, token_starts = ends - strip.characters, token_ends - strip.tokens[0]
        columns: tuple[Any, ...] = (  # Arrow accepts arrays; the types of Spans do not include them
            starts + (frame.start + 1),
            ends + (frame.start - len(ending)),
            token_starts + frame.tokens_before,
            *self.names(shots.texts),
        )
        return Spans("shot", *columns)
