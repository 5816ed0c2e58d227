"""Settings of BABILong, and a bAbI question ready for rows: counted facts, their relative depths, their spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from generators.context.context import Context
from generators.context.sentences import Needle, slot
from generators.context.writer import Frame, RowWriter
from generators.inputs import Corpus, RawSource
from generators.spec import TaskSettings
from haymaker.core.rows.schema import Span
from haymaker.core.rows.source_records import StoryQuestion

Placement = Literal["uniform", "quarter", "grid"]


class BABILongSettings(TaskSettings):
    """Keys of `suites.babilong`, or of one entry.

    Attributes:
        questions: source of the bAbI stories.
        background: background corpus that surrounds the facts.
        placement: depths of the facts. uniform: random; quarter: all facts in one quarter, one row per quarter; grid: the deciding
            fact at evenly spaced depths, one row each.
        depths: number of depths of `placement: grid`.
    """

    questions: RawSource
    background: Corpus
    placement: Placement = "uniform"
    depths: Annotated[int, Field(ge=2, le=101)] = 5
    shared_by: ClassVar[str] = "depths"

    @property
    def variants(self) -> int:
        """One, four quarters, or the points of the grid."""
        return {"uniform": 1, "quarter": 4, "grid": self.depths}[self.placement]


def relative_depths(
    placement: Placement, draws: Sequence[float], deciding: int, point: int, points: int
) -> list[float]:
    """Return the depths of the facts, ascending from 0.0 (start) to 1.0 (end of the context); the same at every length.

    Args:
        placement: uniform: anywhere (docs/spec/babilong.md 6.3); quarter: all facts in one quarter (6.5); grid: the deciding fact at
            exactly 0, 1/(n-1), .. 1, the others before and after it.
        draws: one number in [0, 1) per fact, ascending.
        deciding: index of the fact that decides the answer.
        point: quarter or grid point, from 0.
        points: number of quarters or points.
    """
    if placement == "quarter":
        return [(point + u) / points for u in draws]
    if placement == "grid":
        depth = point / (points - 1)
        before = [depth * u for u in draws[:deciding]]
        after = [depth + (1.0 - depth) * u for u in draws[deciding + 1 :]]
        return [*before, depth, *after]
    return list(draws)


@dataclass(frozen=True, slots=True)
class Story:
    """A question ready for any length.

    Attributes:
        question: as read.
        frame: prompt around its context.
        facts: with counts.
        tokens: release tokens of all facts.
        depths: per variant, the relative depth of each fact.
    """

    question: StoryQuestion
    frame: Frame
    facts: tuple[Needle, ...]
    tokens: int
    depths: tuple[Sequence[float], ...]

    def depth(self, variant: int, num_segments: int) -> float | None:
        """Return the depth of the deciding fact; None without background."""
        return (
            slot(self.depths[variant][max(self.question.supporting)], num_segments) / num_segments
            if num_segments
            else None
        )

    def spans(self, writer: RowWriter, woven: Context, context: Context) -> Iterator[Span]:
        """Yield the facts in prompt coordinates; `woven` is the context with its first space."""
        before = writer.tokens_before(self.frame, context, woven.tokens[0])
        places = zip(context.starts, context.ends, context.token_starts, strict=True)
        for i, (start, end, tokens) in enumerate(places):
            kind = "support" if i in self.question.supporting else "fact"
            yield self.frame.span(start, end, kind, f"fact:{i}", before + tokens)
