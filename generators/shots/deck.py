"""The shots of one question: which of them a row takes, where each stands, and those of a row put together as text.

Two orders, both fixed per question and the same at every length: a row takes the first shots of the one, as many as fit, and
shows them in the other, by place. So a longer row holds the shorter one in order, and what a label's places are like (even, late
...) holds at every length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from corpora.stores.labelled import Labelled, Texts, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces, Strip
from generators.context.writer import Frame
from generators.shots.prompts import GAP
from generators.shots.rounds import Blocks
from haymaker.core.rows.schema import Spans

_AHEAD = 80  # shots beyond the budget that fitting may look at
_FIRST_GUESS = 1.15  # shots drawn, as a share of what shots of average length would need


class Stock:
    """A prepared set as rows are made of it: its shots encoded, measured and sorted by label once.

    Args:
        labelled: the file.
        name: of the set in the parameters.
        tokenizers: the release's, in order.
    """

    def __init__(self, labelled: Labelled, name: str, tokenizers: list[Tokenizer]) -> None:
        self.name, self.labels, self._tokenizers = name, labelled.labels, tokenizers
        self.markers = labelled.markers
        self.part = cache(labelled.part)

    @property
    def shots(self) -> Texts:
        """The texts that shots are made of."""
        return self.part("train")

    @property
    def ending(self) -> str:
        """What a shot's unit ends with, and the last one gives back: what opens the next."""
        return GAP + self.markers.opener

    @cached_property
    def pieces(self) -> Pieces:
        """The same as units of a context, as far as their labels; counted when the set was prepared."""
        return Pieces(
            [unit(text, self.markers.answer) for text in self.shots.text], self._tokenizers, self.shots.tokens
        )

    @cached_property
    def names(self) -> tuple[Any, Any]:
        """Ids of the shots and their labels, as arrays of strings: picked several times as fast as from lists."""
        labels = np.array(self.labels, dtype=object)
        return np.array(self.shots.text_id, dtype=object), labels[self.shots.label]

    @cached_property
    def blocks(self) -> Blocks:
        """The same by label."""
        return Blocks.of(self.shots.label)


class Order(NamedTuple):
    """Shots in the order in which rows take them.

    Attributes:
        texts: their numbers.
        rounds: in which each of them comes.
        places: where each stands among the others of its row: numbers to sort by.
    """

    texts: Ints
    rounds: Ints
    places: Ints


@dataclass(frozen=True, slots=True)
class Shots:
    """Some of them, with what they are shown as.

    Attributes:
        order: which.
        shown: number of each label as shown.
        complete: how many of the rounds are whole.
    """

    order: Order
    shown: Ints
    complete: int = 0

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def texts(self) -> Ints:
        """Their numbers."""
        return self.order.texts

    def chosen(self, which: Sequence[int]) -> Shots:
        """Some of them, in the same order."""
        at = np.asarray(which, dtype=np.int64)
        gaps, rounds = np.flatnonzero(at != np.arange(len(at))), self.order.rounds
        left_out = int(gaps[0]) if len(gaps) else len(at)
        complete = rounds[left_out] if left_out < len(self) else rounds[-1] + 1
        return self._picked(at, int(complete))

    def in_place(self) -> Shots:
        """All of them, as a row shows them."""
        return self._picked(np.argsort(self.order.places, kind="stable"), self.complete)

    def _picked(self, at: Ints, complete: int) -> Shots:
        return Shots(Order(*(column[at] for column in self.order)), self.shown[at], complete)


@dataclass(frozen=True, slots=True)
class Deck:
    """What the shots of one question are drawn from; longer rows take more of one order.

    Attributes:
        stock: the set.
        shown: number as shown of each label of the set.
        endings: what stands behind a text, by number as shown.
        order: a number of shots -> so many in order or more, or all there are; another number gives the same, more or fewer.
    """

    stock: Stock
    shown: Ints
    endings: Pieces
    order: Callable[[int], Order]

    def pool(self, tokens: int) -> tuple[Shots, memoryview]:
        """As many shots as can matter, and prefix sums of their tokens: more are drawn until there are enough, or all."""
        lengths = self.stock.shots.tokens[0]
        wanted = int(tokens / float(np.mean(lengths)) * _FIRST_GUESS) + _AHEAD
        while True:
            shots = self._drawn(wanted)
            sums = np.concatenate(([0], np.cumsum(lengths[shots.texts] + self.endings.tokens(shots.shown))))
            if int(np.searchsorted(sums, tokens)) + _AHEAD <= len(sums) or len(shots) < wanted:
                return shots, sums.data
            wanted *= 2

    def first(self, count: int) -> Shots:
        """The first shots, or all there are."""
        shots = self._drawn(count)
        return shots.chosen(range(min(count, len(shots))))

    def _drawn(self, count: int) -> Shots:
        order = self.order(count)
        return Shots(order, self.shown[self.stock.shots.label[order.texts]])

    def strip(self, shots: Shots) -> Strip:
        """Some of its shots as text, each with its label and what opens the next."""
        return self.stock.pieces.strip(shots.texts).beside(self.endings.strip(shots.shown))

    def spans(self, shots: Shots, strip: Strip, frame: Frame) -> Spans:
        """One per shot of a row, from the first character of its text to the last of its label."""
        return spans(strip, frame, self.stock.ending, *(column[shots.texts].tolist() for column in self.stock.names))


def spans(strip: Strip, frame: Frame, ending: str, ref: Sequence[str], label: Sequence[str] | None = None) -> Spans:
    """One per shot of a row, from behind its space to before its ending; ids and classes as given."""
    ends, token_ends = np.cumsum(strip.characters), np.cumsum(strip.tokens[0])
    starts, token_starts = ends - strip.characters, token_ends - strip.tokens[0]
    columns: tuple[Any, ...] = (  # Arrow takes an array as it is; its type says so of lists alone
        starts + (frame.start + 1),
        ends + (frame.start - len(ending)),
        token_starts + frame.tokens_before,
        ref,
        label,
    )
    return Spans("shot", *columns)
