"""A small language model: interpolated word trigrams, enough to say how expected a sentence is."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .prose import Book, tokens

_WEIGHTS = (0.5, 0.3, 0.19)  # of trigram, bigram, word; the rest is spread over the vocabulary
_RARE = 2e-5  # share of the training words under which a word is rare
_START, _UNKNOWN = "<s>", "<unknown>"


class Trigrams:
    """Interpolated word trigrams. Words met once share what is known of unknown words.

    Args:
        sentences: training text.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        text = [lowered(sentence) for sentence in sentences]
        self._one = Counter(word for words in text for word in words)
        self._total = self._one.total()
        self._once = max(1, sum(count == 1 for count in self._one.values()))
        self._three: Counter[tuple[str, str, str]] = Counter()
        self._two: Counter[tuple[str, str]] = Counter()
        for words in text:
            padded = self._padded(words)
            self._three.update(zip(padded, padded[1:], padded[2:], strict=False))
            self._two.update(pairwise(padded))
        self._after_two: Counter[tuple[str, str]] = Counter()  # pairs and words as contexts: something follows
        self._after_one: Counter[str] = Counter()
        for (a, b, _), count in self._three.items():
            self._after_two[a, b] += count
            self._after_one[b] += count
        self._types = self._once + sum(count > 1 for count in self._one.values())

    def _padded(self, words: Sequence[str]) -> list[str]:
        return [_START, _START, *(word if self._one[word] > 1 else _UNKNOWN for word in words)]

    def bits(self, sentence: str) -> list[float]:
        """Surprise of each word in bits, -log2 p."""
        padded = self._padded(lowered(sentence))
        return [-math.log2(self._chance(*three)) for three in zip(padded, padded[1:], padded[2:], strict=False)]

    def _chance(self, a: str, b: str, word: str) -> float:
        """The weight of a context that was never met goes to the shorter one."""
        three, two, one = _WEIGHTS
        alike = self._once if word == _UNKNOWN else 1  # words that share this chance
        chance = (1 - sum(_WEIGHTS)) * alike / self._types
        if after := self._after_two[a, b]:
            chance += three * self._three[a, b, word] / after
        else:
            two += three
        if after := self._after_one[b]:
            chance += two * self._two[b, word] / after
        else:
            one += two
        count = self._once if word == _UNKNOWN else self._one[word]
        return (chance + one * count / max(1, self._total)) / alike

    def is_rare(self, word: str) -> bool:
        """Fewer than one of 50,000 training words."""
        return self._one[word] < _RARE * self._total


def lowered(sentence: str) -> list[str]:
    """Words of a sentence, lower case."""
    return [word.lower() for word in tokens(sentence)]


def bits_per_word(books: Sequence[Book]) -> float:
    """How hard every second book is to foretell for a model of the others: mean surprise of a word in bits.

    Simulated text that comes from few rules is easy (few bits), so that anything foreign stands out in it.
    """
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    return statistics.fmean(bit for book in books[::2] for sentence in book.sentences for bit in model.bits(sentence))
