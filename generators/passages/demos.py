"""Worked examples: questions of part train with a few passages each, nothing of which gives the row's answer away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpora.mined import MinedPassages, MinedQuestion
from generators.passages import prompts
from generators.passages.family import Family, Material
from generators.passages.prompts import Wording
from generators.passages.stock import Stock, without
from haymaker.errors import BuildError
from haymaker.text import filter_aliases, holds, padded

_TRIES = 64  # questions looked at for each example wanted


@dataclass(frozen=True, slots=True)
class Demo:
    """One worked example.

    Attributes:
        question_id: of the question.
        text: as it stands in the prompt.
        passages: ids of those it shows; the row goes without them.
    """

    question_id: str
    text: str
    passages: frozenset[str]


class Demos:
    """Chooses worked examples for the rows of one task.

    Args:
        stock: the mined set.
        family: of the task.
        wording: of the task.
    """

    def __init__(self, stock: Stock, family: Family, wording: Wording) -> None:
        self._stock, self._family, self._wording = stock, family, wording
        asked = {padded(q["question"]) for q in stock.mined.outline if q["part"] != "train"}
        self._train = [
            i for i, q in enumerate(stock.mined.outline) if q["part"] == "train" and padded(q["question"]) not in asked
        ]

    def choose(self, material: Material) -> list[Demo]:
        """The examples of a question: the same at every length, depth and order, and in every task of its mined set.

        An example shows no gold of the row, no shown id and no question of it, and nothing in it holds an answer of the row.

        Raises:
            BuildError: part train of the set has not enough questions.
        """
        wanted, question = self._family.plan.shots, material.question
        guard = _Guard(material)
        chosen: list[Demo] = []
        walk = self._family.stream(question, "demos").walk(len(self._train)) if wanted else iter(())
        for tried, at in enumerate(walk):
            if len(chosen) == wanted or tried == _TRIES * wanted:
                break
            if example := self._example(self._stock.short(self._train[at]), guard):
                chosen.append(example)
        if len(chosen) < wanted:
            raise BuildError(
                f"{len(chosen)} of {wanted} worked examples found for question {question.question_id}",
                where=f"mined set {self._stock.name}", fix="mine more questions of part train, or set shots: 0",
            )  # fmt: skip
        return chosen

    def _example(self, question: MinedQuestion, guard: _Guard) -> Demo | None:
        """The example that a train question makes without the row's gold; None when it is not fit to be shown."""
        family, needed = self._family, {question.gold.passage_id[i] for i in self._family.fixed(question)}
        if needed & guard.ids or family.unfit(question := without(question, guard.ids)):
            return None
        material = family.material(question)
        order = family.shot(material, family.plan.kind.shot_passages)
        if order is None:
            return None
        answer = family.shot_answer(material, order)
        if not guard.lets_pass(material, order, answer):
            return None
        texts = family.texts(material)
        labels = [family.label.format(n=n) if family.label else "" for n in range(1, len(order) + 1)]
        shown = prompts.passages_text([label + texts[i] for label, i in zip(labels, order, strict=True)])
        ids = frozenset(material.passages.passage_id[i] for i in order)
        return Demo(question.question_id, prompts.demo(self._wording, question.question, shown, answer), ids)


class _Guard:
    """What must not stand in an example of a row."""

    def __init__(self, material: Material) -> None:
        question = material.question
        self._question = padded(question.question)
        self.ids = set(material.passages.passage_id[: material.n_gold])
        self._shown = dict(zip(material.shown_ids, material.passages.passage_id, strict=False))
        self._aliases = filter_aliases([*question.answers, *(a for group in question.answer_groups for a in group)])

    def lets_pass(self, example: Material, order: Sequence[int], answer: str) -> bool:
        passages, question = example.passages, example.question
        if padded(question.question) == self._question:
            return False
        ids = passages.passage_id
        if any(self._shown.get(example.shown_ids[i], ids[i]) != ids[i] for i in order if example.shown_ids):
            return False
        return not any(holds(text, self._aliases) for text in _texts(passages, order, [question.question, answer]))


def _texts(passages: MinedPassages, order: Sequence[int], more: Iterable[str]) -> Iterable[str]:
    yield from map(padded, more)
    for i in order:
        yield padded(f"{passages.title[i]}\n{passages.text[i]}")
