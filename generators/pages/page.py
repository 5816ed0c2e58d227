"""A finished context of numbered paragraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.writer import Frame
from haymaker.core.rows.schema import Span, Spans

_LAST = 1024  # tokens: the end of the context that measures look at


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A finished context of numbered paragraphs.

    Attributes:
        frames: texts around the context, per variant; all have the same head.
        order: entry of the stock of each paragraph.
        context: its units are the texts without their numbers.
        counts: tokens of the whole prompt, per variant and tokenizer.
    """

    frames: Sequence[Frame]
    order: Ints
    context: Context
    counts: Sequence[Sequence[int]]

    def spans(
        self, refs: Sequence[str], marks: Mapping[int, tuple[str, int | None]], labels: Sequence[str] | None = None
    ) -> list[Span | Spans]:
        """Return the spans of all paragraphs in order, in prompt coordinates.

        Args:
            refs: passage id of each paragraph.
            marks: place -> kind and rank of the paragraphs that are not plain passages.
            labels: label of each paragraph.
        """
        starts, ends, tokens = self.frames[0].places(self.context)
        found, at = list[Span | Spans](), 0
        for place in (*sorted(marks), len(refs)):
            cut = slice(at, place)
            found.append(Spans("passage", starts[cut], ends[cut], tokens[cut], refs[cut], labels and labels[cut]))
            if place in marks:
                first, last, before = int(starts[place]), int(ends[place]), int(tokens[place])
                kind, rank = marks[place]
                found.append(Span(first, last, kind, refs[place], before, rank=rank))
            at = place + 1
        return found

    def last(self) -> Ints:
        """Return the places of the paragraphs that lie in the last 1,024 tokens of the context."""
        return np.flatnonzero(np.asarray(self.context.token_starts) >= self.context.tokens[0] - _LAST)
