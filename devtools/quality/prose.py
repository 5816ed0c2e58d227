"""Style figures of books (comparable at equal size), and a small language model."""

from __future__ import annotations

import math
import re
import statistics
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from devtools.quality.books import FUNCTION_WORDS, MOST_WORDS, NAME, NUMBER, Book, lowered, tokens
from devtools.quality.figures import Report, repeated, spread

BIN_WORDS, BINS = 5, 20  # sentence lengths: 1-5, 6-10 ... 91-95, 96 and more
FRAMES = 10_000
_GROWTH = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, MOST_WORDS)
_ZSTD_LEVEL = 19
_QUOTE = re.compile(r'["“”«»]')
_WEIGHTS = (0.5, 0.3, 0.19)  # of trigram, bigram, word; the rest is uniform over the vocabulary
_RARE = 2e-5  # words below this share of the training words are rare
_START, _UNKNOWN = "<s>", "<unknown>"

_NUMBER = re.compile(rb"[0-9]+(?:,[0-9]{3})*")
_SIZES = {"short": (1, 3), "middle": (4, 4), "long": (5, 99)}  # minimum and maximum digits of a number


def measure(book: Book, text_bytes: int) -> Report:
    """Return all figures of one book; compression is measured on the first `text_bytes` bytes."""
    return {
        "sentence_words": sentence_words(book.sentences),
        "growth": type_growth(book.words),
        "types": len(set(book.words)),
        "repeated": {str(n): repeated([book.words], n) for n in (4, 8)},
        "repeated_masked": repeated([[word for sentence in book.masked for word in sentence]], 8),
        "compression": compression(book.text[:text_bytes]),
        "dialogue": dialogue(book),
        "numbers": numbers(book),
    }


def numbers(book: Book) -> dict[str, float]:
    """Return the count of numbers written in digits per 10,000 words: all, and by number of digits."""
    digits = [len(number.replace(b",", b"")) for number in _NUMBER.findall(book.text)]
    counts = {name: sum(low <= size <= high for size in digits) for name, (low, high) in _SIZES.items()}
    return {name: 10_000 * count / len(book.words) for name, count in {"all": len(digits), **counts}.items()}


def sentence_words(sentences: Sequence[str]) -> dict[str, Any]:
    """Return the spread of words per sentence, and shares per bin of five words, by upper bound (the last is open)."""
    sizes = [size for size in (len(tokens(sentence)) for sentence in sentences) if size]
    bins = Counter(min((size - 1) // BIN_WORDS, BINS - 1) for size in sizes)
    shares = {BIN_WORDS * (i + 1): bins[i] / len(sizes) for i in range(BINS)}
    return {**spread(sizes), "short": shares[BIN_WORDS], "histogram": shares}


def type_growth(words: Sequence[str]) -> dict[int, int]:
    """Return the number of different words after some numbers of words, and at the end."""
    return {point: len(set(words[:point])) for point in (*_GROWTH, len(words)) if point <= len(words)}


def compression(text: bytes) -> dict[str, float]:
    """Return compression ratios: zlib 9 (window of 32 kB) and zstd 19 (whole text)."""
    import zstandard

    zstd = zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(text)
    return {"zlib": len(text) / len(zlib.compress(text, 9)), "zstd": len(text) / len(zstd)}


def dialogue(book: Book) -> float:
    """Return the share of words inside double quotation marks (curly, straight or angled), closed at paragraph ends."""
    spoken = total = 0
    for paragraph in book.paragraphs:
        sizes = [len(tokens(part)) for part in _QUOTE.split(" ".join(paragraph))]
        spoken, total = spoken + sum(sizes[1::2]), total + sum(sizes)
    return spoken / total if total else 0.0


def frames(sentences: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return distinct sentences and distinct skeletons (only function words kept) per 10,000 masked sentences."""
    kept = FUNCTION_WORDS | {NAME, NUMBER}
    skeletons = {tuple(word if word in kept else "_" for word in sentence) for sentence in sentences}
    found = {"frames": len(set(map(tuple, sentences))), "skeletons": len(skeletons)}
    return {name: count * FRAMES / len(sentences) for name, count in found.items()}


class Trigrams:
    """Interpolated word trigram model. Words that occur once are used to estimate unknown words."""

    def __init__(self, sentences: Iterable[str]) -> None:
        text = [lowered(sentence) for sentence in sentences]
        self._words = Counter(word for words in text for word in words)
        self._total = self._words.total()
        self._once = max(1, sum(count == 1 for count in self._words.values()))
        self._types = self._once + sum(count > 1 for count in self._words.values())
        self._grams = Counter[tuple[str, ...]]()  # pairs and triples
        self._after = Counter[tuple[str, ...]]()  # number of words after one or two others
        for words in map(self._padded, text):
            self._grams.update(pairwise(words))
            triples = list(zip(words, words[1:], words[2:], strict=False))
            self._grams.update(triples)
            self._after.update(context for a, b, _ in triples for context in ((a, b), (b,)))

    def _padded(self, words: Sequence[str]) -> list[str]:
        return [_START, _START, *(word if self._words[word] > 1 else _UNKNOWN for word in words)]

    def bits(self, sentence: str) -> list[float]:
        """Return the surprise of each word in bits, -log2 p."""
        words = self._padded(lowered(sentence))
        return [-math.log2(self._chance(*three)) for three in zip(words, words[1:], words[2:], strict=False)]

    def _chance(self, a: str, b: str, word: str) -> float:
        """Return the probability of a word; the weight of an unseen context is passed to the shorter one."""
        alike = self._once if word == _UNKNOWN else 1  # number of words that share this probability
        chance, left = (1 - sum(_WEIGHTS)) * alike / self._types, 0.0
        for weight, context in zip(_WEIGHTS, ((a, b), (b,)), strict=False):
            left += weight
            if after := self._after[context]:
                chance += left * self._grams[(*context, word)] / after
                left = 0.0
        count = self._once if word == _UNKNOWN else self._words[word]
        return (chance + (left + _WEIGHTS[-1]) * count / max(1, self._total)) / alike

    def surprise(self, sentence: str) -> float:
        """Return the bits per word of a sentence; 0 without words."""
        return statistics.fmean(self.bits(sentence) or [0.0])

    def rare(self, sentence: str) -> float:
        """Return the share of words with a frequency below 1 in 50,000 in the training text."""
        words = lowered(sentence)
        return sum(self._words[word] < _RARE * self._total for word in words) / max(1, len(words))
