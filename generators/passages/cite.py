"""Citing: numbered passages that hold every answer of a question, among hits that hold none (docs/spec/helmet.md 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from corpora.stores.mined import MinedPassages, MinedQuestion
from generators.passages import checks, prose
from generators.passages.material import Material, full_text, has_words
from generators.passages.questions import PermutedSettings
from generators.passages.task import PassageTask
from generators.spec import Row
from haymaker.core.text.strings import holds, padded


class Cite(PassageTask[PermutedSettings]):
    """alce_asqa and its variant without citations: sentences.

    Attributes:
        breaks: what would end an answer, or look like a citation.
    """

    label = " [{n}]"
    breaks: ClassVar[re.Pattern[str]] = re.compile(r"[\[\]|\n]|(?<!\b\w)[.!?](?=\s)")

    def refuses(self, question: MinedQuestion) -> str:
        """An answer that no passage bears out."""
        if not _groups(question):
            return "no answer with words"
        if len(question.readings) == 1:
            return "only one reading of it is left"
        return "" if self._cover(question) else "an answer that no gold passage says in one piece"

    def fixed(self, question: MinedQuestion) -> list[int]:
        """For each answer the first gold that says it."""
        return list(dict.fromkeys(i for i, _ in self._cover(question)))

    def ranked(self, question: MinedQuestion) -> list[int]:
        """The other golds, then the hits."""
        fixed = set(self.fixed(question))
        return [i for i in range(len(question.gold) + len(question.distractors)) if i not in fixed]

    def _cover(self, question: MinedQuestion) -> list[tuple[int, str]]:
        """Per answer group, the first (gold, alias that it says); empty when a group has none."""
        found = [
            next(_holding(question.gold, group, [a for a in aliases if not self.breaks.search(a)]), None)
            for group, aliases in enumerate(_groups(question))
        ]
        return [pair for pair in found if pair] if all(found) else []

    def answered(self, material: Material, order: Sequence[int]) -> dict[str, Any]:
        """An answer that cites, or the same without citations, then what else is accepted."""
        question, number = material.question, {passage: n for n, passage in enumerate(order, 1)}
        cover = self._cover(question)
        marks = [f"[{number[i]}]" for i, _ in cover] if self.spec.variant != "nocite" else []
        extra = {
            "k": len(order),
            "kind": question.kind,
            "readings": question.readings,
            "supports": {str(number[i]): material.passages.supports[i] for i in order if i < material.n_gold},
            "retrieved": question.searched,
        }
        return {"answers": [self.written(material, cover, marks)], "answer_groups": _groups(question), "extra": extra}

    def written(self, material: Material, cover: Sequence[tuple[int, str]], marks: Sequence[str]) -> str:
        """The answer as prose: sentences of a long answer that say all there is, else of the golds themselves."""
        groups = [[padded(alias) for alias in aliases] for aliases in _groups(material.question)]
        found = (prose.telling(reference, groups) for reference in material.question.references)
        told = next(filter(None, found), None) or self._quoted(material, cover)
        return " ".join(prose.cited(text, [marks[group] for group in said] if marks else []) for text, said in told)

    def _quoted(self, material: Material, cover: Sequence[tuple[int, str]]) -> prose.Told:
        """What the golds say, each sentence once."""
        told: dict[str, list[int]] = {}
        for group, (i, alias) in enumerate(cover):
            said = prose.sentence_with(material.passages.text[i], alias) or self._listed(material, group, i, alias)
            told.setdefault(said, []).append(group)
        return list(told.items())

    def _listed(self, material: Material, group: int, gold: int, alias: str) -> str:
        """What a gold says in half a sentence alone, behind its reading of the question or the gold's title."""
        subject = (material.question.readings or {group: material.passages.title[gold]})[group].rstrip(" ?")
        return f"{subject}: {alias}." if subject and not self.breaks.search(subject) else f"{alias}."

    def claims(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """There are golds, and what is cited says what it is cited for."""
        yield from checks.some_gold(spans)
        if self.spec.variant != "nocite":
            yield from checks.citations(row, spans)


class CiteList(Cite):
    """alce_qampari and its variant without citations: a list."""

    breaks = re.compile(r"[\[\]|,;\n]")

    def written(self, material: Material, cover: Sequence[tuple[int, str]], marks: Sequence[str]) -> str:
        """Each answer behind the other."""
        answers = [alias for _, alias in cover]
        return (
            ", ".join(f"{alias} {mark}" for alias, mark in zip(answers, marks, strict=True))
            if marks
            else ", ".join(answers)
        )


def _groups(question: MinedQuestion) -> list[list[str]]:
    """Accepted answers per item; a question with one answer has one item."""
    groups = question.answer_groups or [question.answers]
    kept = [[alias for alias in group if has_words(alias)] for group in groups]
    return kept if all(kept) else []


def _holding(gold: MinedPassages, group: int, aliases: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Golds for a group and the aliases of it that they hold."""
    for i, supports in enumerate(gold.supports):
        if group in supports or not any(gold.supports):
            text = padded(full_text(gold, i))
            yield from ((i, alias) for alias in aliases if holds(text, [padded(alias)]))
