"""How questions of a mined set are asked: knobs, candidates, and what a kind of task says of passages and answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import Field

from corpora.stores.columns import taken
from corpora.stores.mined import MinedPassages, MinedQuestion
from generators.context.pieces import Ints
from generators.inputs import MinedSet
from generators.passages.material import Material
from generators.passages.prompts import Wording
from generators.passages.stock import Stock, chained
from generators.pool import Pool
from generators.spec import Candidate, TaskSettings
from generators.task import Task
from haymaker.core.errors import ParamsError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split


class PassageSettings(TaskSettings):
    """What tasks over passages have in common; what is not given is as in the reference (docs/spec/helmet.md 5, 6, 7).

    Attributes:
        mined: the set of mined questions.
        order: of the passages (around the gold, where that is placed): as ranked by retrieval, or shuffled.
        shots: worked examples, from questions of part train.
        shot_passages: passages of each.
    """

    mined: MinedSet
    order: Literal["retrieval", "shuffled"] = "shuffled"
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    shot_passages: Annotated[int, Field(ge=1, le=20)] = 3
    shared_by: ClassVar[str] = "places or orders of each question"

    def title_words(self) -> Mapping[str, object]:
        """The settings, and what the questions are: a task asks whatever set its entry names."""
        return {**super().title_words(), "questions": _Questions(getattr(self, "mined", ""))}


class PlacedSettings(PassageSettings):
    """For tasks that place one gold: at so many depths, evenly from first to last passage."""

    depths: Annotated[int, Field(ge=2, le=101)] = 6

    @property
    def variants(self) -> int:
        return self.depths


class PermutedSettings(PassageSettings):
    """For the other tasks: so many orders of the same passages."""

    permutations: Annotated[int, Field(ge=1, le=100)] = 3

    @property
    def variants(self) -> int:
        return self.permutations


_NAMES = {
    "nq": "Natural Questions",
    "triviaqa": "TriviaQA",
    "popqa": "PopQA",
    "hotpotqa": "HotpotQA",
    "squad": "SQuAD",
    "musique": "MuSiQue",
    "asqa": "ASQA",
    "qampari": "QAMPARI",
}


class _Questions:
    """What the questions of a mined set are, in a title: "{questions:SQuAD}" says SQuAD where no set is named."""

    def __init__(self, mined: str) -> None:
        self._mined = mined

    def __format__(self, usual: str) -> str:
        return _NAMES.get(self._mined.partition("_")[0], f"the set {self._mined}") if self._mined else usual


P = TypeVar("P", bound=PlacedSettings | PermutedSettings)


class QuestionTask(Task[P]):
    """Turns questions of a mined set into material, orders and answers.

    Attributes:
        label: pattern that numbers passages by their place, {n} for the number; empty for none.
        placed: one gold stands at chosen depths; else all passages are permuted.
        graded: passages have grades; none is gold or distractor.
    """

    settings_type: ClassVar[type[TaskSettings]] = PermutedSettings
    prompts = Path(__file__).with_name("prompts.yaml")
    label: ClassVar[str] = ""
    placed: ClassVar[bool] = False
    graded: ClassVar[bool] = False

    def check(self) -> None:
        """Refuse early what would fail after hours of mining.

        Raises:
            ParamsError: several permutations of one order; or worked examples of a set that mines no question of part train.
        """
        super().check()
        settings, mined = self.settings, self.inputs.params.mined.get(self.settings.mined)
        if not self.placed and settings.order == "retrieval" and self.variants > 1:
            raise ParamsError(
                f"{self.variants} permutations of passages in the order of retrieval would be the same row",
                where=f"{self.entry.where}.order", fix="use order: shuffled, or permutations: 1",
            )  # fmt: skip
        if settings.shots and isinstance(mined, dict) and not (mined.get("count") or {}).get("train"):
            raise ParamsError(
                f"task {self.entry.name!r} shows {settings.shots} worked examples, the set mines none",
                where=f"mined.{settings.mined}.count", fix="add train: 20, or set shots: 0 on the task",
            )  # fmt: skip

    # --------------------------------------------------------------------------------------------- candidates

    @cached_property
    def stock(self) -> Stock:
        """The mined set, shared by all that ask it."""
        name = self.settings.mined
        return self.inputs.shared(
            ("mined stock", name), lambda: Stock(self.inputs.mined(name), name, self.release.stream_key)
        )

    @cached_property
    def wording(self) -> Wording:
        """Its texts."""
        return Wording(**self.words)

    def draws(self, question: MinedQuestion, *purpose: str | int) -> Stream:
        """Draws that belong to a question, whatever the task and the length."""
        return self.stream(self.settings.mined, question.part, question.question_id, *purpose)

    def limit(self, part: Split = "test") -> int | None:
        """Tokens of the longest row that any question of the set reaches, about: all its passages."""
        return max((sum(self.stock.stub(i).sizes) for i in self.stock.order(part)), default=None)

    def pool(self, part: Split) -> Pool[int]:
        """Questions of the part, by their numbers in the mined set."""
        order = self.stock.order(part)
        return Pool(part, order, lambda index: self.stock.group_id(order[index]), order.__getitem__)

    def rejection_reason(self, candidate: Candidate) -> str:
        """Why a question cannot be asked at any length; empty when it can."""
        return self.refuses(self.stock.stub(candidate.number).question)

    # ------------------------------------------------------------------------------ what a kind of task decides

    @abstractmethod
    def refuses(self, question: MinedQuestion) -> str:
        """Why a question cannot be asked at any length; empty when it can. Reads no distractor."""

    @abstractmethod
    def fixed(self, question: MinedQuestion) -> list[int]:
        """Numbers of the golds that every row shows."""

    def ranked(self, question: MinedQuestion) -> list[int]:
        """Numbers of the other passages, in the order in which longer contexts take them."""
        first = len(question.gold)
        return list(range(first, first + len(question.distractors)))

    def shown_ids(self, question: MinedQuestion, passages: MinedPassages, pool: list[int]) -> list[str]:
        """What the reader sees as the passages' ids; empty where no id is shown."""
        return []

    def order(self, material: Material, chosen: Ints, variant: int) -> Ints:
        """The passages of a row, first to last."""
        if self.settings.order == "retrieval":
            ranks = taken(material.passages.rank, chosen.tolist())
            places = np.array([-1 if rank is None else rank for rank in ranks])  # golds not found stand first
        else:
            drawn = self.draws(material.question, "order", variant).shuffled(range(len(material.passages)))
            places = np.array(drawn, dtype=np.int64)[chosen]
        found: Ints = chosen[np.lexsort((chosen, places))]
        return found

    @abstractmethod
    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """The accepted answers of a row whose passages stand in this order, and columns that only this kind has."""

    def marks(self, material: Material, order: Sequence[int]) -> tuple[list[str], list[str] | None]:
        """Kinds and labels of the spans of a row whose passages stand in this order."""
        return ["gold" if i < material.n_gold else "distractor" for i in order], None

    def material(self, question: MinedQuestion) -> Material:
        """Everything a row may be made of."""
        pool, passages = self.ranked(question), chained(question.gold, question.distractors)
        shown_ids = self.shown_ids(question, passages, pool)
        return Material(question, passages, len(question.gold), self.fixed(question), pool, shown_ids)
