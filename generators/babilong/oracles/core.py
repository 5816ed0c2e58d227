"""What solvers take, return and raise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generators.babilong.oracles.shapes import Parsed
from generators.babilong.oracles.vocabulary import Vocabulary
from haymaker.errors import BuildError


class OracleError(BuildError):
    """The text does not decide its question.

    Args:
        what: what is missing or in conflict.
        where: task, or place in the prompt.
        fix: the next thing to do.
        ambiguous: True when a best guess exists and `strict` forbade it; False when there is no answer at all.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "", ambiguous: bool = False) -> None:
        super().__init__(what, where=where, fix=fix)
        self.ambiguous = ambiguous

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.where, self.fix, self.ambiguous)


def _rebuild(what: str, where: str, fix: str, ambiguous: bool) -> OracleError:
    return OracleError(what, where=where, fix=fix, ambiguous=ambiguous)


@dataclass(frozen=True, slots=True)
class StorySolution:
    """An answer and the lines it follows from.

    Attributes:
        answer: in the form of the bAbI files: one word, or words joined by commas.
        supporting: indices into the facts, in the order of spec/babilong.md section 5; empty when there is no rule.
    """

    answer: str
    supporting: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Parsed facts, the parsed question, and how to treat a text that leaves a choice."""

    facts: Sequence[Parsed]
    asked: Parsed
    vocabulary: Vocabulary
    strict: bool

    def guess(self, why: str) -> None:
        """Say that what follows is a best guess.

        Raises:
            OracleError: with `ambiguous` set, when the story is solved strictly.
        """
        if self.strict:
            raise OracleError(f"{self.asked.text!r} has more than one reading: {why}", ambiguous=True)

    def unknown(self, why: str) -> OracleError:
        """The error for a question that the facts do not answer at all."""
        return OracleError(f"{self.asked.text!r} cannot be answered: {why}")


Solver = Callable[[Story], StorySolution]
