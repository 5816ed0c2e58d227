"""Finished contexts of numbered paragraphs, and paragraphs that they show at depths of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.writer import Frame
from haymaker.core.rows.schema import Span, Spans

_LAST = 1024  # tokens: the end of the context that measures look at


class Placed(NamedTuple):
    """Entries that every row of a candidate shows, each with its depth, of 2**64; the last one is asked for."""

    entries: list[int]
    depths: list[int]

    def places(self, count: int) -> list[int]:
        """Return their places among `count`; they are inserted one by one, so even depths make even orders."""
        found = list[int]()
        for size, depth in enumerate(self.depths, count - len(self.depths) + 1):
            place = depth * size >> 64
            found = [each + (each >= place) for each in found] + [place]
        return found

    def lay(self, order: Ints) -> Ints:
        """Return the entries in this order with these inserted at their depths."""
        laid = np.empty(len(order) + len(self.entries), dtype=np.int64)
        others = np.ones(len(laid), dtype=np.bool_)
        others[places := self.places(len(laid))] = False
        laid[places], laid[others] = self.entries, order
        return laid


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A finished context of numbered paragraphs, and the texts around it, per variant; all have the same head."""

    frames: Sequence[Frame]
    order: Ints  # entry of the stock of each paragraph
    context: Context  # its units are the texts without their numbers
    counts: list[list[int]]  # tokens of the whole prompt, per variant and tokenizer

    def spans(
        self, refs: Sequence[str], marks: Mapping[int, tuple[str, int | None]], labels: Sequence[str] | None = None
    ) -> list[Span | Spans]:
        """Return the spans of all paragraphs; `marks` is place -> kind and rank of those that are not plain passages."""
        starts, ends, tokens = self.frames[0].places(self.context)
        found, at = list[Span | Spans](), 0
        for place in (*sorted(marks), len(refs)):
            cut = slice(at, place)
            found.append(Spans("passage", starts[cut], ends[cut], tokens[cut], refs[cut], labels and labels[cut]))
            if place in marks:
                first, last, before = int(starts[place]), int(ends[place]), int(tokens[place])
                found.append(Span(first, last, marks[place][0], refs[place], before, rank=marks[place][1]))
            at = place + 1
        return found

    def last(self) -> Ints:
        """Return the places of the paragraphs that lie in the last 1,024 tokens of the context."""
        return np.flatnonzero(np.asarray(self.context.token_starts) >= self.context.tokens[0] - _LAST)
