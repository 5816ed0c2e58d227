r"""BM25 over pieces of one long text, without an index: only the words of the query are counted.

A score needs the length of each piece, and where the query's words stand; both come from one pass over the text's code
points. An index of all words gives the same scores and takes forty times as long to make.

Words are runs of letters, digits and underscores (the regular expression \w+), letter case ignored; nothing is stemmed or
left out as a stop word. In scripts without spaces each character is a word, and each pair of neighbours another. The weight of a piece d for a query is, over the words t of the query,

    sum of  log(1 + (n - df + 0.5) / (df + 0.5))  *  tf / (tf + K1 * (1 - B + B * |d| / mean |d|))

which is Lucene's form (its idf is never negative); a word that the query has twice counts twice.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from haymaker.core.text.strings import WORD, is_spaceless
from haymaker.core.text.word_index import WordIndex

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

K1, B = 1.2, 0.75  # Lucene's defaults
_DECIMALS = 9  # scores are rounded, so that a last digit that differs between machines breaks no tie
_CODE_POINTS = 0x110000
_PAIR = 2  # characters


class BM25:
    """Scores pieces of a text, which may have been scanned before."""

    def __init__(self, text: str | WordIndex) -> None:
        self._scan = text if isinstance(text, WordIndex) else WordIndex(text)
        self._starts, ends = self._scan.words
        self._sizes = ends - self._starts
        self._of_size: dict[int, Ints] = {}
        self._found: dict[str, Ints] = {}

    def scores(self, query: str, bounds: Ints) -> Floats:
        """Return a score per piece, higher is better, the same on every machine.

        Args:
            query: text.
            bounds: n + 1 ascending characters; piece i is text[bounds[i]:bounds[i + 1]] and cuts no word.
        """
        import numpy as np

        words = _within(self._starts, bounds) + _within(self._scan.pairs, bounds)
        n = len(words)
        scores = np.zeros(n)
        base = K1 * (1 - B + B * words / max(words.mean(), 1e-9))
        for term in _terms(query):
            tf = _within(self._where(term), bounds)
            df = int(np.count_nonzero(tf))
            if df:
                scores += math.log(1 + (n - df + 0.5) / (df + 0.5)) * (tf / (tf + base))
        return np.round(scores, _DECIMALS)

    def _where(self, term: str) -> Ints:
        """Where the word begins, in characters; looked for once."""
        if term not in self._found:
            self._found[term] = self._find(term)
        return self._found[term]

    def _words(self, size: int) -> Ints:
        """Where the words of so many characters begin."""
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
    """Its words; of scripts without spaces its characters, and pairs of neighbours behind them."""
    words = list(WORD.finditer(query))
    alone = [is_spaceless(word.group()) for word in words]
    pairs = zip(words, words[1:], alone, alone[1:], strict=False)
    neighbours = (
        first.group() + second.group() for first, second, *both in pairs if all(both) and first.end() == second.start()
    )
    return [*(word.group() for word in words), *neighbours]


def _code(character: str) -> int:
    """Its code point; of what is longer in the other case ("ß"), one that no text has."""
    return ord(character) if len(character) == 1 else _CODE_POINTS


def _within(at: Ints, bounds: Ints) -> Ints:
    """How many of the ascending places lie in each piece."""
    import numpy as np

    counts: Ints = np.diff(np.searchsorted(at, bounds))
    return counts
