"""What the three families of tasks have in common: material for rows, made of one mined question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from corpora.mined import MinedPassages, MinedQuestion
from corpora.passages import OPENER, SEPARATOR, unit
from generators.passages.params import TaskPlan
from generators.passages.stock import chained
from haymaker.rng import Stream
from haymaker.text import words

_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Material:
    """A question with its passages as one list, gold first: everything a row may be made of.

    Attributes:
        question: as mined.
        passages: gold, then distractors.
        n_gold: how many are gold (for searches: judged).
        fixed: numbers of the passages that every row shows.
        pool: the others, in the order in which longer contexts take them.
        shown_ids: what the reader sees instead of `passage_id`; empty where no id is shown.
    """

    question: MinedQuestion
    passages: MinedPassages
    n_gold: int
    fixed: list[int]
    pool: list[int]
    shown_ids: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a row stores of the right answer.

    Attributes:
        answers: accepted ones, the canonical one first.
        groups: aliases per item, where an answer has several.
        extra: for the row's column `extra`.
    """

    answers: list[str]
    groups: list[list[str]] | None
    extra: dict[str, Any]


class Family(ABC):
    """How questions of a task become material, contexts and answers.

    Args:
        plan: the task entry.
        key: first parts of every stream's name: release seed, suite, mined set.
    """

    label: ClassVar[str | None] = None
    """Pattern that numbers passages by their place, {n} for the number."""

    def __init__(self, plan: TaskPlan, key: tuple[str | int, ...]) -> None:
        self.plan, self._key = plan, key

    @abstractmethod
    def unfit(self, question: MinedQuestion) -> str:
        """Why a question cannot be asked at any length; empty when it can. Reads no distractor."""

    @abstractmethod
    def fixed(self, question: MinedQuestion) -> list[int]:
        """Numbers of the golds that every row shows."""

    def pool(self, question: MinedQuestion, n_distractors: int) -> list[int]:
        """Numbers of the other passages, in the order in which longer contexts take them."""
        first = len(question.gold)
        return list(range(first, first + n_distractors))

    def material(self, question: MinedQuestion) -> Material:
        """Everything a row may be made of."""
        pool = self.pool(question, len(question.distractors))
        passages = chained(question.gold, question.distractors)
        fixed = self.fixed(question)
        return Material(question, passages, len(question.gold), fixed, pool, self.shown_ids(question, passages, pool))

    def shown_ids(self, question: MinedQuestion, passages: MinedPassages, pool: list[int]) -> list[str]:
        """What the reader sees as the passages' ids; empty where no id is shown."""
        return []

    def leads(self, material: Material) -> list[str]:
        """What stands before each passage's own text: its title."""
        return list(map(lead, material.passages.title))

    def texts(self, material: Material) -> list[str]:
        """Each passage as the unit of a context."""
        return list(map(unit, material.passages.title, material.passages.text))

    def order(self, material: Material, chosen: Sequence[int], point: int) -> list[int]:
        """The passages of a row, first to last."""
        if self.plan.order == "retrieval":
            ranks = [-1 if rank is None else rank for rank in material.passages.rank]  # golds not found stand first
            return sorted(chosen, key=lambda i: (ranks[i], i))
        places = self.stream(material.question, "order", point).shuffled(range(len(material.passages)))
        return sorted(chosen, key=places.__getitem__)

    @abstractmethod
    def answer(self, material: Material, order: Sequence[int]) -> Answer:
        """The answer of a row whose passages stand in this order."""

    def deciding(self, material: Material) -> int | None:
        """The passage whose place is the row's depth; None where several decide."""
        return None

    def kind(self, material: Material, passage: int) -> str:
        """Kind of a passage's span."""
        return "gold" if passage < material.n_gold else "distractor"

    def is_distractor(self, material: Material, passage: int) -> bool:
        """Whether a passage only looks relevant."""
        return passage >= material.n_gold

    def span_label(self, material: Material, passage: int) -> str | None:
        """Label of a passage's span."""
        return None

    def shot(self, material: Material, size: int) -> list[int] | None:
        """Passages of a worked example in their order; None when the question has not enough, or too many golds."""
        chosen = [*material.fixed, *material.pool][:size]
        if len(chosen) < size or len(material.fixed) > size:
            return None
        return self.stream(material.question, "shot").shuffled(chosen)

    def shot_answer(self, material: Material, order: Sequence[int]) -> str:
        """What a worked example answers."""
        return self.answer(material, order).answers[0]

    def stream(self, question: MinedQuestion, *purpose: str | int) -> Stream:
        """Draws that belong to a question, whatever the task and the length."""
        return Stream(*self._key, question.part, question.question_id, *purpose)


def says_something(answer: str) -> bool:
    """Whether anything is left of an answer without case, punctuation and articles (spec defect D10)."""
    return not set(words(answer)) <= _ARTICLES


def lead(title: str) -> str:
    """What a unit has before its passage's text."""
    return unit(title, "").removesuffix(SEPARATOR + OPENER).rstrip()
