"""Finished contexts of numbered paragraphs, and paragraphs that they show at depths of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.writer import Frame
from generators.pages.stock import Stock
from haymaker.core.rows.schema import Span, Spans
from haymaker.core.text.strings import words

_LAST = 1024  # tokens at the end of the context that measures look at


class Placed(NamedTuple):
    """Entries that every row of a candidate shows, with depths as shares of 2**64; the question is about the last entry.

    Attributes:
        rank: of the last entry among them, in the order of the text, at every length; None: what its depth gives.
    """

    entries: list[int]
    depths: list[int]
    rank: int | None = None

    def places(self, count: int) -> list[int]:
        """Return the places of the entries among `count`; entries are inserted one by one, so even depths make even orders."""
        found = list[int]()
        for size, depth in enumerate(self.depths, count - len(self.depths) + 1):
            place = depth * size >> 64
            found = [each + (each >= place) for each in found] + [place]
        if self.rank is not None:
            last = sorted(found)[self.rank]
            found = [found[-1] if each == last else each for each in found[:-1]] + [last]
        return found

    def lay(self, order: Ints) -> Ints:
        """Return an order of other entries with these entries inserted at their depths."""
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
    ids: list[str]  # passage id of each paragraph
    context: Context  # its units are the texts without their numbers
    counts: list[list[int]]  # tokens of the whole prompt, per variant and tokenizer

    def spans(
        self, marks: Mapping[int, tuple[str, int | None]], labels: Sequence[str] | None = None
    ) -> list[Span | Spans]:
        """Return the spans of all paragraphs; `marks` is place -> kind and rank of paragraphs that are not plain passages."""
        starts, ends, tokens = self.frames[0].places(self.context)
        found, at = list[Span | Spans](), 0
        for place in (*sorted(marks), len(self.ids)):
            cut = slice(at, place)
            found.append(Spans("passage", starts[cut], ends[cut], tokens[cut], self.ids[cut], labels and labels[cut]))
            if place in marks:
                first, last, before = int(starts[place]), int(ends[place]), int(tokens[place])
                found.append(Span(first, last, marks[place][0], self.ids[place], before, rank=marks[place][1]))
            at = place + 1
        return found

    def marked(
        self, stock: Stock, question: str, placed: Placed, marks: Sequence[tuple[str, int | None]]
    ) -> dict[str, Any]:
        """Return spans, depth, question_gold_overlap and number of distractors of a row with golds; `marks` as in `spans`, by placed entry."""
        places, asked = placed.places(len(self.order)), set(words(question))
        golds = [entry for entry, (kind, _) in zip(placed.entries, marks, strict=True) if kind == "gold"]
        shown = {word for entry in golds for word in words(stock.texts[entry])}
        return {
            "spans": self.spans(dict(zip(places, marks, strict=True))), "num_distractors": len(self.order) - len(golds),
            "depth": places[-1] / (len(self.order) - 1), "depth_index": placed.depths[-1] * 10 >> 64,
            "question_gold_overlap": len(asked & shown) / max(1, len(asked)),
        }  # fmt: skip

    def last(self) -> Ints:
        """Return the places of the paragraphs that lie in the last 1,024 tokens of the context."""
        return np.flatnonzero(np.asarray(self.context.token_starts) >= self.context.tokens[0] - _LAST)
