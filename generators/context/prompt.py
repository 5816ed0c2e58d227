"""Prompt layout: the texts before and after a context, with a span for instruction and worked examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from generators.context.writer import Frame, RowWriter
from haymaker.core.rows.schema import Span


class Part(NamedTuple):
    """A piece of the text before a context.

    Attributes:
        text: text of the span.
        kind: kind of the span (instruction, fewshot); empty: no span.
        ref: what the span names.
        gap: text between this part and the next.
        token_start: see Span; 0 for a part at the start of the prompt if its tokens are known without counting.
    """

    text: str
    kind: str = ""
    ref: str | None = None
    gap: str = "\n\n"
    token_start: int | None = None


def head(parts: Iterable[Part]) -> tuple[str, list[Span]]:
    """Return the joined parts, each followed by its gap, and their spans."""
    text, spans = "", list[Span]()
    for part in parts:
        if part.kind:
            end = len(text) + len(part.text)
            spans.append(Span(len(text), end, part.kind, part.ref, part.token_start))
        text += part.text + part.gap
    return text, spans


def framed(writer: RowWriter, parts: Iterable[Part], tail: str, *, cue: str, opener: str = "") -> Frame:
    """Return the counted frame of a context.

    Args:
        writer: counts tokens.
        parts: texts before the context; the last gap ends with `opener`.
        tail: text after the context; ends with `cue`.
        cue: text that a base model continues.
        opener: start of the context that every row has (Frame.opener).
    """
    text, spans = head(parts)
    return writer.frame(text, tail, cue=cue, opener=opener, spans=spans)
