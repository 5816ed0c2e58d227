"""The shots of one question in their order, and those of a row: drawn in rounds, put together as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from corpora.stores.labelled import Labelled, Texts, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces, Strip
from generators.context.writer import Frame
from generators.shots.prompts import ENDING
from generators.shots.rounds import Blocks, draw
from haymaker.rng import Key
from haymaker.sample import Spans

_AHEAD = 80  # shots beyond the budget that fitting may look at
_FIRST_GUESS = 1.15  # rounds drawn, as a share of what shots of average length would need


class Stock:
    """A prepared set as rows are made of it: its shots encoded, measured and sorted by label once.

    Args:
        labelled: the file.
        name: of the set in the parameters.
        tokenizers: the release's, in order.
    """

    def __init__(self, labelled: Labelled, name: str, tokenizers: list[Tokenizer]) -> None:
        self.name, self.labels, self._tokenizers = name, labelled.labels, tokenizers
        self.part = cache(labelled.part)

    @property
    def shots(self) -> Texts:
        """The texts that shots are made of."""
        return self.part("train")

    @cached_property
    def pieces(self) -> Pieces:
        """The same as units of a context, as far as their labels; counted when the set was prepared."""
        return Pieces([unit(text) for text in self.shots.text], self._tokenizers, self.shots.tokens)

    @cached_property
    def names(self) -> tuple[Any, Any]:
        """Ids of the shots and their labels, as arrays of strings: picked several times as fast as from lists."""
        labels = np.array(self.labels, dtype=object)
        return np.array(self.shots.text_id, dtype=object), labels[self.shots.label]

    @cached_property
    def blocks(self) -> Blocks:
        """The same by label, one of each to a round."""
        return Blocks.of(self.shots.label)


@dataclass(frozen=True, slots=True)
class Shots:
    """Shots in order.

    Attributes:
        texts: their numbers.
        rounds: in which each of them comes.
        shown: number of each label as shown.
        complete: how many of the rounds are whole.
    """

    texts: Ints
    rounds: Ints
    shown: Ints
    complete: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    def chosen(self, places: Sequence[int]) -> Shots:
        """Some of them, by place."""
        which = np.asarray(places, dtype=np.int64)
        gaps = np.flatnonzero(which != np.arange(len(which)))
        left_out = int(gaps[0]) if len(gaps) else len(which)
        complete = self.rounds[left_out] if left_out < len(self) else self.rounds[-1] + 1
        return Shots(self.texts[which], self.rounds[which], self.shown[which], int(complete))


@dataclass(frozen=True, slots=True)
class Deck:
    """What the shots of one question are drawn from; longer rows take more of one order.

    Attributes:
        stock: the set.
        blocks: texts of it by label.
        shown: number as shown of each label of the set.
        endings: what stands behind a text, by number as shown.
        key: first parts of the name of every stream that decides the order.
        rounds: the most that may be drawn.
        repeats: whether a label's texts start over when all were shown.
    """

    stock: Stock
    blocks: Blocks
    shown: Ints
    endings: Pieces
    key: tuple[Key, ...]
    rounds: int
    repeats: bool = False

    def pool(self, tokens: int) -> tuple[Shots, memoryview]:
        """As many shots as can matter, and prefix sums of their tokens: more rounds are drawn until there are enough, or all."""
        lengths, labels = self.stock.shots.tokens[0], self.stock.shots.label
        wanted = tokens / float(np.mean(lengths)) * _FIRST_GUESS + _AHEAD
        rounds = int(wanted / int(self.blocks.weights.sum())) + 2
        while True:
            texts, turn = draw(self.blocks, *self.key, "shots", upto=min(rounds, self.rounds), repeats=self.repeats)
            shots = Shots(texts, turn, self.shown[labels[texts]])
            sums = np.concatenate(([0], np.cumsum(lengths[texts] + self.endings.tokens(shots.shown))))
            enough = int(np.searchsorted(sums, tokens)) + _AHEAD <= len(sums)
            if enough or not len(turn) or turn[-1] + 1 < rounds or rounds >= self.rounds:
                return shots, sums.data
            rounds *= 2

    def first(self, count: int) -> Shots:
        """The first shots, or all there are."""
        rounds = count // int(self.blocks.weights.sum()) + 2
        while True:
            texts, turn = draw(self.blocks, *self.key, "shots", upto=min(rounds, self.rounds), repeats=self.repeats)
            if len(texts) >= count or rounds >= self.rounds or not len(turn) or turn[-1] + 1 < rounds:
                shots = Shots(texts, turn, self.shown[self.stock.shots.label[texts]])
                return shots.chosen(range(min(count, len(texts))))
            rounds *= 2

    def strip(self, shots: Shots) -> Strip:
        """Some of its shots as text, each with its label and what opens the next."""
        return self.stock.pieces.strip(shots.texts).beside(self.endings.strip(shots.shown))

    def spans(self, shots: Shots, strip: Strip, frame: Frame) -> Spans:
        """One per shot of a row, from the first character of its text to the last of its label."""
        return spans(strip, frame, ENDING, *(column[shots.texts].tolist() for column in self.stock.names))


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
