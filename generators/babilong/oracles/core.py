"""What solvers take and return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generators.babilong.oracles.errors import OracleError
from generators.babilong.oracles.shapes import Parsed
from generators.babilong.oracles.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer and the facts it follows from: indices into a bare story, code-point offsets in a prompt.

    Attributes:
        answer: in the form of the bAbI files: one word, or words joined by commas (qa8, qa19).
        supporting: in the order of docs/spec/babilong.md 5; empty when the task has no rule for them.
        also: what the supports leave out and the answer needs (docs/defects/babilong.md 5.3).
    """

    answer: str
    supporting: tuple[int, ...]
    also: tuple[int, ...] = ()

    @property
    def evidence(self) -> tuple[int, ...]:
        """Ascending; these facts give the same answer when they are all there is."""
        return tuple(sorted({*self.supporting, *self.also}))


@dataclass(frozen=True, slots=True)
class Story:
    """Parsed facts, the parsed question, and how to treat a text that leaves a choice."""

    facts: Sequence[Parsed]
    question: Parsed
    vocabulary: Vocabulary
    strict: bool

    def guess(self, why: str) -> None:
        """Say that what follows is a best guess.

        Raises:
            OracleError: with `ambiguous` set, when the story is solved strictly.
        """
        if self.strict:
            raise OracleError(f"{self.question.text!r} is ambiguous: {why}", ambiguous=True)

    def unknown(self, why: str) -> OracleError:
        """The error for a question that the facts do not answer at all."""
        return OracleError(f"{self.question.text!r} cannot be answered: {why}")


Solver = Callable[[Story], Solution]
