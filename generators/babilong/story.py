"""A question on its way into rows: its name, its facts with their sizes and places, and what a row says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from generators.babilong.questions import evidence
from generators.context.context import Context
from generators.context.sentences import Needle, slot
from generators.context.writer import Frame, RowWriter
from haymaker.core.rows.schema import Span
from haymaker.core.rows.source_records import StoryQuestion


@dataclass(frozen=True, slots=True)
class Story:
    """A question ready for any bucket.

    Attributes:
        id: shared by all its rows.
        draw: names its draws in a training stream; empty in a release.
        question: the bAbI question.
        frame: the words around its context.
        facts: counted.
        tokens: release tokens of all of them.
        depths: per variant, the relative depth of each fact.
    """

    id: str
    draw: str
    question: StoryQuestion
    frame: Frame
    facts: tuple[Needle, ...]
    tokens: int
    depths: tuple[Sequence[float], ...]

    def depth(self, variant: int, n_units: int) -> float | None:
        """Where the fact that decides the answer stands; None without background."""
        depths = self.depths[variant]
        return slot(depths[max(self.question.supporting)], n_units) / n_units if n_units else None

    def spans(self, writer: RowWriter, woven: Context, context: Context) -> Iterator[Span]:
        """Facts in prompt coordinates.

        Args:
            writer: of the row.
            woven: facts and background, with their first space.
            context: the same as it stands in the prompt.
        """
        before = writer.tokens_before(self.frame, context, woven.tokens[0])
        places = zip(context.starts, context.ends, context.token_starts, strict=True)
        for i, (start, end, tokens) in enumerate(places):
            kind = "support" if i in self.question.supporting else "fact"
            yield self.frame.span(start, end, kind, f"fact:{i}", before + tokens)

    def described(self, vocabulary: str, background: list[tuple[str, int, int]]) -> dict[str, Any]:
        """Column `extra`: the facts, which of them support the answer, where in bAbI and in which books."""
        question = self.question
        return {
            "facts": question.facts,
            "supporting": question.supporting,
            "evidence": evidence(question, vocabulary),
            "vocabulary": vocabulary,
            "story": question.story,
            "position": question.position,
            "background": background,
        }
