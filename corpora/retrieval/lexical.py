r"""BM25 in memory: `bm25` computes the scores, `BM25` counts the words of pieces of one long text.

The score of a piece d for a query is, over the terms t of the query,

    sum of  log(1 + (n - df + 0.5) / (df + 0.5))  *  tf / (tf + K1 * (1 - B + B * |d| / mean |d|))

This is Lucene's form: its idf is never negative. A repeated term counts again. No stemming, no stop words.

`BM25` needs no index: one pass over the code points of the text finds all words and the terms of the query. An index of
all words gives the same scores and takes forty times as long to build. Its words are matches of \w+ without case; in
scripts without spaces each character is a word, and each pair of adjacent characters is another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from haymaker.core.text.strings import WORD, is_spaceless
from haymaker.core.text.word_index import WordIndex

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

K1, B = 1.2, 0.75  # Lucene's defaults
_DECIMALS = 9  # of scores, so that rounding differences between machines break no tie
_CODE_POINTS = 0x110000
_PAIR = 2  # characters


def bm25(sizes: Ints, terms: Iterable[tuple[Ints, int]]) -> Floats:
    """Return a score per text, higher is better, the same on every machine.

    Args:
        sizes: words of each text.
        terms: for each term of the query, how often each text contains it, and its weight.
    """
    import numpy as np

    n, scores = len(sizes), np.zeros(len(sizes))
    base = K1 * (1 - B + B * sizes / max(sizes.mean(), 1e-9))
    for tf, weight in terms:
        if df := int(np.count_nonzero(tf)):
            scores += tf / (tf + base) * (math.log(1 + (n - df + 0.5) / (df + 0.5)) * weight)
    return np.round(scores, _DECIMALS)


class BM25:
    """Scores of pieces of a text."""

    def __init__(self, text: str | WordIndex) -> None:
        self._scan = text if isinstance(text, WordIndex) else WordIndex(text)
        self._starts, ends = self._scan.words
        self._sizes = ends - self._starts
        self._of_size: dict[int, Ints] = {}
        self._found: dict[str, Ints] = {}

    def scores(self, query: str, bounds: Ints) -> Floats:
        """Return a score per piece: piece i is text[bounds[i]:bounds[i + 1]]; bounds ascend and lie inside no word."""
        sizes = _within(self._starts, bounds) + _within(self._scan.pairs, bounds)
        return bm25(sizes, ((_within(self._where(term), bounds), 1) for term in _terms(query)))

    def _where(self, term: str) -> Ints:
        """Return the characters at which the term begins, cached."""
        if term not in self._found:
            self._found[term] = self._find(term)
        return self._found[term]

    def _words(self, size: int) -> Ints:
        """Return the characters at which words of a length begin."""
        if size not in self._of_size:
            self._of_size[size] = self._starts[self._sizes == size]
        return self._of_size[size]

    def _find(self, term: str) -> Ints:
        is_pair = len(term) == _PAIR and is_spaceless(term)
        at: Ints = self._scan.pairs if is_pair else self._words(len(term))
        for i, character in enumerate(term):
            codes = self._scan.codes[at + i]
            at = at[(codes == _code(character.lower())) | (codes == _code(character.upper()))]
        return at


def ranking(scores: Floats) -> Ints:
    """Return piece numbers, best first; equal scores in the order of the text."""
    import numpy as np

    return np.argsort(-scores, kind="stable").astype(np.int64)


def _terms(query: str) -> list[str]:
    """Return the words of a query, then pairs of adjacent characters of scripts without spaces."""
    words = list(WORD.finditer(query))
    alone = [is_spaceless(word.group()) for word in words]
    pairs = zip(words, words[1:], alone, alone[1:], strict=False)
    neighbours = (
        first.group() + second.group() for first, second, *both in pairs if all(both) and first.end() == second.start()
    )
    return [*(word.group() for word in words), *neighbours]


def _code(character: str) -> int:
    """Return a code point; if the other case is longer ("ß"), an impossible one."""
    return ord(character) if len(character) == 1 else _CODE_POINTS


def _within(at: Ints, bounds: Ints) -> Ints:
    """Return how many of the ascending places lie in each piece."""
    import numpy as np

    counts: Ints = np.diff(np.searchsorted(at, bounds))
    return counts
