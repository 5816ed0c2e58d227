"""What one mined question becomes: its passages as one list, and the units that contexts are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

    def _label(self, number: int) -> str:
        return f" [ID: {self.shown_ids[number]}]:" if self.shown_ids else ""

    def text(self, number: int) -> str:
        """A passage as the unit of a context, the id before it where one is shown."""
        return self._label(number) + unit(self.passages.title[number], self.passages.text[number])

    def lead(self, number: int) -> str:
        """What stands in it before its own text."""
        return self._label(number) + unit(self.passages.title[number], "").removesuffix(_ENDING).rstrip()

    def units(self, tokenizers: Sequence[Tokenizer], labels: Labels | None) -> Units:
        """All of them; counts are those of the mined set. Labels, if any, number passages by their place."""
        tokens = self.passages.tokens
        if self.shown_ids:
            ids = [tokenizer.count_units(map(self._label, range(len(self.passages)))) for tokenizer in tokenizers]
            tokens = [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(ids, tokens, strict=True)]
        return Units(self.text, tokens, tokenizers, _ENDING, self.lead, labels)

    def overlap(self, golds: Iterable[str]) -> float:
        """Share of the question's words that stand in the golds that every row shows, padded, titles included."""
        terms = set(words(self.question.question))
        return len(terms & {word for gold in golds for word in gold.split()}) / max(1, len(terms))


def full_text(passages: MinedPassages, number: int) -> str:
    """All that a passage says, its title included."""
    return f"{passages.title[number]}\n{passages.text[number]}"


def has_words(answer: str) -> bool:
    """Whether anything is left of an answer without case, punctuation and articles (docs/defects/helmet.md D10)."""
    return not set(words(answer)) <= _ARTICLES
