"""Input and output of a solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generators.babilong.oracles.shapes import Parsed
from generators.babilong.oracles.vocabulary import OracleError, Vocabulary


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer and its facts: indices in a bare story, code-point offsets in a prompt.

    Attributes:
        answer: one word, or words joined by commas (qa8, qa19).
        supporting: in the order of docs/spec/babilong.md 5.
        also: further facts that the answer needs (docs/defects/babilong.md 5.3).
    """

    answer: str
    supporting: tuple[int, ...]
    also: tuple[int, ...] = ()

    @property
    def evidence(self) -> tuple[int, ...]:
        """Facts that suffice for the answer, ascending."""
        return tuple(sorted({*self.supporting, *self.also}))


@dataclass(frozen=True, slots=True)
class Story:
    """Parsed facts and question; `strict` refuses an ambiguous text."""

    facts: Sequence[Parsed]
    question: Parsed
    vocabulary: Vocabulary
    strict: bool

    def guess(self, why: str) -> None:
        """Raise OracleError with `ambiguous` set if the story is solved strictly."""
        if self.strict:
            raise OracleError(f"{self.question.text!r} is ambiguous: {why}", ambiguous=True)

    def unknown(self, why: str) -> OracleError:
        """Return the error for a question that the facts do not answer."""
        return OracleError(f"{self.question.text!r} cannot be answered: {why}")


Solver = Callable[[Story], Solution]
