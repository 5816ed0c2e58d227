"""Citing: numbered passages that hold every answer of a question, among hits that hold none (spec/helmet.md 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.mined import MinedPassages, MinedQuestion
from generators.passages.family import Answer, Family, Material, says_something
from haymaker.text import holds, padded

_BREAKS = {  # what would end an answer, or look like a citation
    "qampari": re.compile(r"[\[\]|,;\n]"),
    "asqa": re.compile(r"[\[\]|\n]|(?<!\b\w)[.!?](?=\s)"),
}


class Cite(Family):
    """alce_asqa, alce_qampari and their variants without citations."""

    label = " [{n}]"

    @property
    def _is_list(self) -> bool:
        return self.plan.kind.prompt.startswith("qampari")

    @property
    def _breaks(self) -> re.Pattern[str]:
        return _BREAKS["qampari" if self._is_list else "asqa"]

    def unfit(self, question: MinedQuestion) -> str:
        """An answer that no passage bears out."""
        if not _groups(question):
            return "no answer with words"
        return "" if self._cover(question) else "an answer that no gold passage says in one piece"

    def fixed(self, question: MinedQuestion) -> list[int]:
        """For each answer the first gold that says it."""
        return list(dict.fromkeys(i for i, _ in self._cover(question)))

    def pool(self, question: MinedQuestion, n_distractors: int) -> list[int]:
        """The other golds, then the hits."""
        fixed = set(self.fixed(question))
        return [i for i in range(len(question.gold) + n_distractors) if i not in fixed]

    def _cover(self, question: MinedQuestion) -> list[tuple[int, str]]:
        """Per answer group, (gold, alias that it says); empty when a group has none."""
        found = [
            _said(question.gold, group, [a for a in aliases if not self._breaks.search(a)])
            for group, aliases in enumerate(_groups(question))
        ]
        return [pair for pair in found if pair] if all(found) else []

    def answer(self, material: Material, order: Sequence[int]) -> Answer:
        """An answer that cites, written from the golds themselves, then without citations what else is accepted."""
        question, number = material.question, {passage: n for n, passage in enumerate(order, 1)}
        groups, cover = _groups(question), self._cover(question)
        supports = {
            str(number[i]): material.passages.supports[i]
            for i in sorted(order, key=number.__getitem__)
            if i < material.n_gold
        }
        extra = {
            "kind": question.kind,
            "readings": question.readings,
            "supports": supports,
            "retrieved": question.searched,
        }
        return Answer([self._written(material, cover, number)], groups, extra)

    def _written(self, material: Material, cover: Sequence[tuple[int, str]], number: dict[int, int]) -> str:
        cited = self.plan.kind.variant is None
        marks = [f" [{number[i]}]" if cited else "" for i, _ in cover]
        if self._is_list:
            return ", ".join(f"{alias}{mark}" for (_, alias), mark in zip(cover, marks, strict=True))
        return " ".join(
            f"{claim}: {alias}{mark}." if claim and not self._breaks.search(claim) else f"{alias}{mark}."
            for claim, (_, alias), mark in zip(self._claims(material, cover), cover, marks, strict=True)
        )

    def _claims(self, material: Material, cover: Sequence[tuple[int, str]]) -> list[str]:
        """What each answer answers: the reading of the question, else the title of the passage."""
        readings = material.question.readings
        if len(readings) == len(cover):
            return [reading.rstrip(" ?") for reading in readings]
        return [material.passages.title[i] for i, _ in cover]


def _groups(question: MinedQuestion) -> list[list[str]]:
    """Accepted answers per item; a question with one answer has one item."""
    groups = question.answer_groups or [question.answers]
    kept = [[alias for alias in group if says_something(alias)] for group in groups]
    return kept if all(kept) else []


def _said(gold: MinedPassages, group: int, aliases: Sequence[str]) -> tuple[int, str] | None:
    """The first gold for a group that holds one of its aliases, and that alias."""
    for i, supports in enumerate(gold.supports):
        if group in supports or not any(gold.supports):
            text = padded(f"{gold.title[i]}\n{gold.text[i]}")
            for alias in aliases:
                if holds(text, [padded(alias)]):
                    return i, alias
    return None
