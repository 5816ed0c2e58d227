"""Settings of tasks over passages; defaults as in the reference (docs/spec/helmet.md 5, 6, 7, longbench.md 2.2, 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from generators.inputs import MinedSet
from generators.spec import TaskSettings
from haymaker.core.lengths import WORD_RANGES

_NAMES = {
    "nq": "Natural Questions", "triviaqa": "TriviaQA", "popqa": "PopQA", "hotpotqa": "HotpotQA",
    "squad": "SQuAD", "musique": "MuSiQue", "asqa": "ASQA", "qampari": "QAMPARI",
}  # fmt: skip


class PassageSettings(TaskSettings):
    """Settings of all tasks over passages.

    Attributes:
        retrieval_set: set of questions, from `retrieval_sets`.
        order: order of the passages: as ranked by retrieval, or shuffled. If the gold is placed at depths: order of the others.
        shots: number of worked examples, from questions of split train.
        shot_passages: number of passages in each worked example.
    """

    retrieval_set: MinedSet
    order: Literal["retrieval", "shuffled"] = "shuffled"
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    shot_passages: Annotated[int, Field(ge=1, le=20)] = 3
    shared_by: ClassVar[str] = "places or orders of each question"

    def title_words(self) -> Mapping[str, object]:
        """Return the settings, and `questions`: the name of the questions in the mined set."""
        return {**super().title_words(), "questions": _Questions(getattr(self, "retrieval_set", ""))}


class PlacedSettings(PassageSettings):
    """One gold at a number of depths.

    Attributes:
        depths: number of depths of the gold passage, evenly from the first to the last position; one row each.
    """

    depths: Annotated[int, Field(ge=2, le=101)] = 6

    @property
    def variants(self) -> int:
        return self.depths


class PermutedSettings(PassageSettings):
    """A number of orders of the same passages.

    Attributes:
        permutations: number of orders of the same passages; one row each.
    """

    permutations: Annotated[int, Field(ge=1, le=100)] = 3

    @property
    def variants(self) -> int:
        return self.permutations


class NaturalSettings(PermutedSettings):
    """Settings of tasks with rows of natural length.

    Attributes:
        natural_units: number of passages of a natural row, including the gold passages; at least one more than these.
        natural_words: maximum words of question, passages and answers together in a natural row. The reference does not state
            its maximum; its longest known row has 12,345 words.
    """

    permutations: Annotated[int, Field(ge=1, le=100)] = 1
    shots: Literal[0] = 0
    natural_units: Annotated[int, Field(ge=2, le=1000)] = 10
    natural_words: Annotated[int, Field(ge=100, le=1_000_000)] = 13_000

    def bounds(self, length: str) -> tuple[int, int]:
        """Return the fewest and most words of question, passages and answers in a natural length."""
        first, last = WORD_RANGES.get(length, (0, None))
        return first, min(self.natural_words, last - 1 if last else self.natural_words)


P = TypeVar("P", bound=PassageSettings)


class _Questions(str):
    """Name of the questions of a mined set in a title: "{questions:SQuAD}" is SQuAD if no set is named."""

    def __format__(self, usual: str) -> str:
        return _NAMES.get(self.partition("_")[0], f"the set {self!s}") if self else usual
