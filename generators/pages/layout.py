"""Contexts of numbered paragraphs: order, text, where each stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces
from generators.context.units import Led, Numbers, Units
from generators.context.writer import Frame
from generators.pages.stock import ending
from haymaker.core.buckets import WORD_RANGES
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Span, Spans

_SHORTEST, _LONGEST = 1_000, 12_000  # words of rows of the first range, of the last one
_LAST = 1024  # tokens: the end of the context that measures look at


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A finished context of numbered paragraphs.

    Attributes:
        frames: the words around, of each variant; all have the same head.
        order: entry of the stock of each paragraph.
        context: its units are the texts without their numbers.
        counts: of the whole prompt of each variant, per tokenizer.
    """

    frames: Sequence[Frame]
    order: Ints
    context: Context
    counts: Sequence[Sequence[int]]

    def span(self, kind: str, place: int, ref: str, rank: int | None = None) -> Span:
        """One paragraph in prompt coordinates."""
        frame, context = self.frames[0], self.context
        first, last = frame.start + int(context.starts[place]), frame.start + int(context.ends[place])
        return Span(first, last, kind, ref, frame.tokens_before + int(context.token_starts[place]), rank=rank)

    def spans(
        self, kind: str, first: int, last: int, refs: Sequence[str], labels: Sequence[str] | None = None
    ) -> Spans:
        """Paragraphs first .. last - 1 in prompt coordinates; `refs` and `labels` are of all paragraphs."""
        start, before, context = self.frames[0].start, self.frames[0].tokens_before, self.context
        cut = slice(first, last)
        starts: Any = start + np.asarray(context.starts[cut], dtype=np.int64)
        ends: Any = start + np.asarray(context.ends[cut], dtype=np.int64)
        tokens: Any = before + np.asarray(context.token_starts[cut], dtype=np.int64)
        return Spans(kind, starts, ends, tokens, refs[cut], None if labels is None else labels[cut])

    def last(self) -> Ints:
        """Paragraphs, by their place, that stand whole in the last thousand tokens of the context."""
        return np.flatnonzero(np.asarray(self.context.token_starts) >= self.context.tokens[0] - _LAST)


def numbered(pieces: Pieces, numbers: Numbers, order: Ints, tokenizers: Sequence[Tokenizer], opener: str) -> Context:
    """Some pieces of a stock in order, each behind its number."""
    units = Units(lambda _: Led.by_nothing(pieces), order, tokenizers, ending(opener), numbers)
    return units.context(order)


def words_target(bucket: str, draws: Stream) -> tuple[int, int]:
    """(words that a row is to reach, one more than it may have) of a range of words (docs/spec/longbench.md 3)."""
    first, last = WORD_RANGES[bucket]
    low, high = max(first, _SHORTEST), last or _LONGEST
    return draws.between(low, high - 1), last or 2 * _LONGEST
