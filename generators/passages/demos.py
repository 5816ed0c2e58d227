"""Worked examples: questions of part train with a few passages each, nothing of which gives the row's answer away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from corpora.stores.columns import taken
from corpora.stores.mined import MinedQuestion
from generators.passages import prompts
from generators.passages.material import Material, full_text
from generators.passages.prompts import Demo
from generators.passages.questions import QuestionTask
from generators.passages.stock import Stock, without
from haymaker.core.errors import BuildError
from haymaker.core.text.strings import filter_aliases, holds, padded

_TRIES = 64  # questions looked at for each example wanted


def choose(task: QuestionTask[Any], material: Material) -> list[Demo]:
    """The examples of a question: the same at every length, depth and order, and in every task of its mined set.

    An example shows no gold of the row, no shown id and no question of it, and nothing in it holds an answer of the row.

    Raises:
        BuildError: part train of the set has not enough questions.
    """
    wanted, stock = task.settings.shots, task.stock
    if not wanted:
        return []
    guard, question = _Guard(material), material.question
    walk = islice(task.draws(question, "demos").walk(len(stock.examples)), _TRIES * wanted)
    several_first = sorted((stock.examples[at] for at in walk), key=lambda number: _is_one_of_several(stock, number))
    demos = (_example(task, stock.short(number), guard) for number in several_first)
    chosen = list(islice(filter(None, demos), wanted))
    if len(chosen) < wanted:
        raise BuildError(
            f"{len(chosen)} of {wanted} worked examples found",
            where=f"mined set {stock.name}", fix="mine more questions of part train, or set shots: 0",
        )  # fmt: skip
    return chosen


def _is_one_of_several(stock: Stock, number: int) -> bool:
    """Whether a question with several answers has gold for one alone: it shows less of what an answer is like."""
    return len(stock.mined.outline[number]["answer_groups"]) == 1


def _example(task: QuestionTask[Any], question: MinedQuestion, guard: _Guard) -> Demo | None:
    """The example that a train question makes without the row's gold; None when it is not fit to be shown."""
    needed = {question.gold.passage_id[i] for i in task.fixed(question)}
    if needed & guard.ids or task.refuses(question := without(question, guard.ids)):
        return None
    material, size = task.material(question), task.settings.shot_passages
    order = [*material.fixed, *material.pool][:size]
    if len(order) < size or len(material.fixed) > size:
        return None
    order = task.draws(question, "shot").shuffled(order)
    answer = task.answered(material, order)["answers"][0]
    if not guard.lets_pass(material, order, answer):
        return None
    units = enumerate(taken(material.texts(max(order) + 1), order), 1)
    shown = prompts.passages_text([task.label.format(n=n) + text for n, text in units])
    ids = frozenset(material.passages.passage_id[i] for i in order)
    return Demo(question.question_id, prompts.demo_text(task.wording, question.question, shown, answer), ids)


class _Guard:
    """What must not stand in an example of a row."""

    def __init__(self, material: Material) -> None:
        question = material.question
        self._question = padded(question.question)
        self.ids = set(material.passages.passage_id[: material.n_gold])
        self._shown = dict(zip(material.shown_ids, material.passages.passage_id, strict=False))
        self._aliases = filter_aliases([*question.answers, *(a for group in question.answer_groups for a in group)])

    def lets_pass(self, example: Material, order: Sequence[int], answer: str) -> bool:
        """Whether an example gives nothing of the row away."""
        question, ids = example.question.question, example.passages.passage_id
        if padded(question) == self._question:
            return False
        if any(self._shown.get(example.shown_ids[i], ids[i]) != ids[i] for i in order if example.shown_ids):
            return False
        texts: Iterable[str] = (question, answer, *(full_text(example.passages, i) for i in order))
        return not any(holds(padded(text), self._aliases) for text in texts)
