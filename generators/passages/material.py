"""What one mined question becomes: its passages as one list, and the units that contexts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora.stores.mined import MinedPassages, MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.units import Labels, Units
from haymaker.text import words

_ARTICLES = frozenset({"a", "an", "the"})
_ENDING = SEPARATOR + OPENER  # of a unit


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

    @property
    def _labels(self) -> list[str]:
        return [f" [ID: {shown}]:" for shown in self.shown_ids] or [""] * len(self.passages)

    def texts(self) -> list[str]:
        """Each passage as the unit of a context, the id before it where one is shown."""
        units = map(unit, self.passages.title, self.passages.text)
        return [label + text for label, text in zip(self._labels, units, strict=True)]

    def units(self, tokenizers: Sequence[Tokenizer], labels: Labels | None) -> Units:
        """The same, encoded; counts are those of the mined set. Labels, if any, number passages by their place."""
        titles = [unit(title, "").removesuffix(_ENDING).rstrip() for title in self.passages.title]
        leads, tokens = [label + title for label, title in zip(self._labels, titles, strict=True)], self.passages.tokens
        if self.shown_ids:
            ids = [tokenizer.count_units(self._labels) for tokenizer in tokenizers]
            tokens = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(ids, tokens, strict=True)]
        return Units(self.texts(), tokens, tokenizers, _ENDING, leads, labels)

    def overlap(self) -> float:
        """Share of the question's words that stand in the golds that every row shows, titles included."""
        terms = set(words(self.question.question))
        return len(terms & {w for i in self.fixed for w in words(full_text(self.passages, i))}) / max(1, len(terms))


def full_text(passages: MinedPassages, number: int) -> str:
    """All that a passage says, its title included."""
    return f"{passages.title[number]}\n{passages.text[number]}"


def has_words(answer: str) -> bool:
    """Whether anything is left of an answer without case, punctuation and articles (docs/defects/helmet.md D10)."""
    return not set(words(answer)) <= _ARTICLES
