"""What one mined question becomes: its passages as one list, and the units that contexts are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corpora.stores.mined import MinedPassages, MinedQuestion
from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.context.units import Led, Numbers, Units
from haymaker.core.text.strings import words

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

    def ids(self, count: int) -> list[str]:
        """How each of the first passages begins: its id, where one is shown."""
        return [f" [ID: {shown}]:" for shown in self.shown_ids[:count]] or [""] * count

    def texts(self, count: int) -> list[str]:
        """The first passages as units of a context."""
        columns = self.passages.title[:count], self.passages.text[:count]
        return [shown + text for shown, text in zip(self.ids(count), map(unit, *columns), strict=True)]

    def units(self, tokenizers: Sequence[Tokenizer], numbers: Numbers | None) -> Units:
        """Those that rows may show; counts are those of the mined set. Numbers, if any, are by their place."""
        own = [np.asarray(counts, dtype=np.int64) for counts in self.passages.tokens]
        shown = self.ids(max((*self.fixed, *self.pool), default=-1) + 1)
        of_ids = self._id_tokens(tokenizers[0], shown)

        def first(count: int) -> Led:
            others = (self._id_tokens(tokenizer, shown[:count]) for tokenizer in tokenizers[1:])
            counts = [tokens[:count] + ids[:count] for tokens, ids in zip(own, (of_ids, *others), strict=True)]
            pieces, titles = Pieces(self.texts(count), tokenizers, counts), self.passages.title[:count]
            leads = {title: unit(title, "").removesuffix(_ENDING).rstrip() for title in titles}
            sizes = {title: tokenizers[0].count_part(lead) for title, lead in leads.items()}
            characters = _ints([len(ids) + len(leads[title]) for ids, title in zip(shown, titles, strict=False)])
            return Led(pieces, characters, of_ids[:count] + _ints([sizes[title] for title in titles]))

        return Units(first, own[0][: len(shown)] + of_ids, tokenizers, _ENDING, numbers)

    def _id_tokens(self, tokenizer: Tokenizer, shown: list[str]) -> Ints:
        return _ints(tokenizer.count_units(shown) if self.shown_ids else [0] * len(shown))

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


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
