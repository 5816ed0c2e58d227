"""Quotations: sentences of a paragraph that is drawn from the corpus."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from corpora.stores.sentences.split import SENTENCES_VERSION, splitter
from generators.context.pieces import Ints
from generators.pool import Pool, endless
from generators.spec import Candidate
from haymaker.core.rows.source_records import Split
from haymaker.core.text.strings import words

if TYPE_CHECKING:
    from generators.pages.find import FindParagraph

GAP = " [...] "
_MOST_WORDS, _FEWEST_WORDS = 40, 8
_WHOLE = re.compile(r"[\"'“‘(]?[A-Z0-9][^\n]*[.!?][\"'”’)]?")
_NO_END = re.compile(r"\b(?:r|c|ca|cf|d|b|fl|vs|a\.k\.a|e\.g|i\.e|Dr|Mr|Mrs|Ms|St|No|Jr|Sr|etc)\.$")  # abbreviations
_UNIT = 1_000_000  # weights are whole numbers, so that a last digit that differs between machines decides nothing


class Quotations:
    """Quotations of the passages of a corpus.

    Args:
        task: of the rows.
    """

    keys: tuple[str, ...] = ()
    version = 200 + SENTENCES_VERSION

    def __init__(self, task: FindParagraph) -> None:
        self._task = task
        self._orders = lru_cache(maxsize=2)(self._order)
        self.asked = lru_cache(maxsize=64)(self._asked)

    def pool(self, part: Split) -> Pool[Any]:
        """Return every passage of a small corpus; of a large one samples without end."""
        drawn = endless(part, self._task.entry.name)
        return drawn if self._task.sampled(part) else replace(drawn, items=range(len(self._task.stock_of(part))))

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Return no passages: all are drawn."""
        return ()

    def _asked(self, candidate: Candidate) -> tuple[int, str]:
        """Return the entry of a passage and its quotation; empty if a sample has fewer passages than candidates."""
        stock = self._task.stock(candidate)
        sample, place = self._task.drawn_from(candidate)
        order = self._orders(candidate.part, sample, len(stock))
        if place >= len(order):
            return 0, ""
        return int(order[place]), quotation(stock.texts[order[place]], len(stock), stock.folded.frequency)

    def _order(self, part: Split, sample: int, count: int) -> Ints:
        return self._task.stream(self._task.spec.name, part, sample, "golds").permutation(count)

    def rejection_reason(self, candidate: Candidate) -> str:
        """Return why a passage has no quotation, or an empty string."""
        return "" if self.asked(candidate)[1] else "no whole sentence of 8 to 40 words"

    def wrong(self, candidate: Candidate, order: Ints) -> str:
        """Return a reason if another paragraph of a row has the same sentences."""
        parts, texts = self.asked(candidate)[1].split(GAP), self._task.stock(candidate).texts
        holding = sum(all(part in texts[entry] for part in parts) for entry in order.tolist())
        return "" if holding == 1 else "another paragraph has the same sentences"


def quotation(text: str, passages: int, frequency: Mapping[str, int]) -> str:
    """Return the sentences of a text whose words are rarest in the corpus, in the order of the text: as many as 40 words allow.

    Only whole sentences are used: they begin with a capital or a digit and end with a full stop.

    Args:
        text: of a passage.
        passages: number of passages of the corpus.
        frequency: word -> passages that contain it.
    """
    sentences = [text[start:end] for start, end in splitter("punkt")(text)]
    ranked = sorted(
        (place for place, sentence in enumerate(sentences) if _fits(sentence)),
        key=lambda place: (-_rarity(sentences[place], passages, frequency), place),
    )
    taken, left = list[int](), _MOST_WORDS
    for place in ranked:
        size = len(sentences[place].split())
        if size <= left:
            taken.append(place)
            left -= size
    return GAP.join(sentences[place] for place in sorted(taken))


def _fits(sentence: str) -> bool:
    enough = _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS
    return enough and GAP.strip() not in sentence and _WHOLE.fullmatch(sentence) is not None and _is_closed(sentence)


def _is_closed(sentence: str) -> bool:
    """Return whether a sentence was not split at an abbreviation or within a quotation."""
    brackets = all(sentence.count(one) == sentence.count(other) for one, other in ("()", "[]", "“”"))
    return brackets and sentence.count('"') % 2 == 0 and _NO_END.search(sentence) is None


def _rarity(sentence: str, passages: int, frequency: Mapping[str, int]) -> int:
    """Return the mean weight of the different words: the logarithm of passages per passage that contains the word."""
    found = set(words(sentence))
    weights = (round(_UNIT * math.log((1 + passages) / (1 + frequency.get(word, 0)))) for word in found)
    return sum(weights) // max(1, len(found))
