"""Texts around the passages (prompts.yaml), and worked examples that do not help with the row (docs/spec/helmet.md 5, 6, 7).

asked after:   instruction, note, worked examples (passages, question, answer), passages, question, cue
asked before:  worked examples (instruction, question, passages, answer), note, instruction, question, passages, cue
again:         the instruction is repeated after the passages
The note sets the worked examples apart from the question of the row; prompts without worked examples have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from corpora.stores.columns import taken
from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR
from generators.context.prompt import Part, framed
from generators.context.writer import Frame, RowWriter
from generators.passages.kinds import Kind
from generators.passages.material import Material, Stock, full_text, without
from generators.passages.settings import PassageSettings
from haymaker.core.text.strings import filter_aliases, holds, padded

_FAR = "\n\n\n"  # between worked examples
_TRIES = 64  # questions tried for each worked example


class WorkedExample(NamedTuple):
    """A worked example: its text in the prompt, and ids of its passages; the row shows none of them."""

    question_id: str
    text: str
    passages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one task, as in prompts.yaml."""

    instruction: str
    asked: Literal["before", "after"]
    label: str
    cue: str
    again: bool = False
    note: str = ""

    def frame(self, writer: RowWriter, question: str, examples: Sequence[WorkedExample]) -> Frame:
        """Return the texts around the passages of a row."""
        before, line = self.asked == "before", f"{self.label} {question}"
        shown = [Part(example.text, "fewshot", f"fewshot:{example.question_id}", _FAR) for example in examples]
        instruction, note = Part(self.instruction, "instruction"), [Part(self.note)] if shown and self.note else []
        parts = [*shown, *note, instruction, Part(line)] if before else [instruction, *note, *shown]
        tail = self.cue if before else f"{line}\n{self.cue}"
        again = f"{self.instruction}{SEPARATOR}" if self.again else ""
        return framed(writer, [*parts, Part("", gap=OPENER)], f"{SEPARATOR}{again}{tail}", cue=self.cue, opener=OPENER)

    def example(self, question: str, units: Sequence[str], answer: str) -> str:
        """Return the text of a worked example from its passages, numbers included."""
        line, passages = f"{self.label} {question}", (OPENER + "".join(units)).removesuffix(SEPARATOR + OPENER)
        if self.asked == "before":
            return SEPARATOR.join((self.instruction, line, passages, f"{self.cue} {answer}"))
        return f"{passages}{SEPARATOR}{line}\n{self.cue} {answer}"


def choose(
    kind: Kind, stock: Stock, wording: Wording, material: Material, settings: PassageSettings
) -> list[WorkedExample]:
    """Return the worked examples of a question: the same at every length, depth and order, and in every task of its mined set.

    An example shows no gold, no id and no question of the row, and its texts contain no answer of the row. Fewer are returned if
    split train of the set has too few such questions.
    """
    shots, guard = settings.shots, _Guard(material)
    if not shots:
        return []
    walk = islice(kind.draws(material.question, "demos").walk(len(stock.examples)), _TRIES * shots)
    # questions with one answer group are last, since they show less of the form of an answer
    outline = stock.mined.outline
    numbers = sorted((stock.examples[at] for at in walk), key=lambda i: len(outline[i]["answer_groups"]) == 1)
    examples = (_example(kind, wording, stock.short(i), guard, settings.shot_passages) for i in numbers)
    return list(islice(filter(None, examples), shots))


def _example(kind: Kind, wording: Wording, known: MinedQuestion, guard: _Guard, size: int) -> WorkedExample | None:
    """Return a worked example from a train question, without the golds of the row; None if it is unusable."""
    needed = {known.gold.passage_id[i] for i in kind.fixed(known)}
    if needed & guard.ids or kind.rejects(question := without(known, guard.ids)):
        return None
    material = kind.material(question)
    order = [*material.fixed, *material.pool][:size]
    if len(order) < size or len(material.fixed) > size:
        return None
    order = kind.draws(question, "shot").shuffled(order)
    answer = kind.answered(material, order)["answers"][0]
    if not guard.lets_pass(material, order, answer):
        return None
    units = enumerate(taken(material.texts(max(order) + 1), order), 1)
    shown = [kind.label.format(n=n) + text for n, text in units]
    ids = frozenset(material.passages.passage_id[i] for i in order)
    return WorkedExample(question.question_id, wording.example(question.question, shown, answer), ids)


class _Guard:
    """Texts and ids of a row that its worked examples must not contain."""

    def __init__(self, material: Material) -> None:
        question = material.question
        self._question = padded(question.question)
        self.ids = set(question.gold.passage_id)
        self._shown = dict(zip(material.shown_ids, material.passages.passage_id, strict=False))
        self._aliases = filter_aliases([*question.answers, *(a for group in question.answer_groups for a in group)])

    def lets_pass(self, example: Material, order: Sequence[int], answer: str) -> bool:
        """Check whether an example contains nothing of the row."""
        question, ids = example.question.question, example.passages.passage_id
        clashes = (self._shown.get(example.shown_ids[i], ids[i]) != ids[i] for i in order if example.shown_ids)
        if padded(question) == self._question or any(clashes):
            return False
        texts = (question, answer, *(full_text(example.passages, i) for i in order))
        return not any(holds(padded(text), self._aliases) for text in texts)
