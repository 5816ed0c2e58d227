"""Test whether a simple classifier can distinguish two collections by style; names are masked.

Pieces of equal length, word 1- and 2-grams with character 3- to 5-grams, logistic regression; books of a test fold are
not in the training folds (classifier two-sample test, arXiv 1610.06545). AUC 0.5 is chance, 1.0 is perfect. Any two
sets of books differ, so compare with `halves`, random halves of one collection (below 0.5 with few books: a held-out
book of one half resembles the other half more than its own), and with `hands`, one author against the others.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

from devtools.quality.books import Book
from devtools.quality.figures import Report, spread
from haymaker.core.errors import CorpusError
from haymaker.core.rng import Stream

PIECE_WORDS = (20, 50, 200)
_PIECES = 40  # per book, evenly spaced
_FOLDS, _SPLITS = 4, 6
_HANDS = 3  # authors with the most books
_FEATURES = 1 << 18

Books = Sequence[Book]


def compare(a: Books, b: Books, words: int, size: int) -> Report:
    """Return AUC on pieces of `words` words, at most `size` books per side: a (simulated) against b (real) over folds,
    halves of b over splits, and one author of b against the others over authors. The last two need enough books in b.

    Raises:
        CorpusError: a side has fewer than two books.
    """
    data, author = Pieces([*a, *b], words), attrgetter("author")
    found = {"words": words, "against": spread(data.areas(a[:size], b[:size], author))}
    for name, pairs, group in (("halves", halves, author), ("hands", hands, attrgetter("name"))):
        runs = [pair for pair in pairs(b, size) if all(len(set(map(group, side))) > 1 for side in pair)]
        if runs:
            found[name] = spread(statistics.fmean(data.areas(*pair, group)) for pair in runs)
    return found


class Pieces:
    """The pieces of books as one sparse matrix, shared by all comparisons."""

    def __init__(self, books: Books, words: int) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer
        from sklearn.pipeline import make_union

        text, self._rows = list[str](), dict[int, range]()
        for book in books:
            cut = pieces(book, words)
            self._rows[id(book)] = range(len(text), len(text) + len(cut))
            text += cut
        common: dict[str, Any] = {"n_features": _FEATURES, "alternate_sign": False, "lowercase": False}
        by_word = HashingVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), **common)
        by_letter = HashingVectorizer(analyzer="char", ngram_range=(3, 5), **common)
        self._matrix = make_union(by_word, by_letter).fit_transform(text)

    def areas(self, a: Books, b: Books, group: Callable[[Book], str]) -> list[float]:
        """Return AUC per fold; a group of books (by author or name) is never in training and test of a fold."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import PredefinedSplit, cross_val_score

        counts = [Counter(map(group, side)) for side in (a, b)]
        if min(map(len, counts)) < 2:
            fix = "give at least two on each side"
            raise CorpusError("one side has only one text (or author)", where="classifier", fix=fix)
        number = min(_FOLDS, *map(len, counts))  # the largest groups first, so that every fold tests both sides
        folds = [{name: i % number for i, (name, _) in enumerate(count.most_common())} for count in counts]
        chosen = [(row, side, folds[side][group(book)]) for side, books in enumerate((a, b)) for book in books
                  for row in self._rows[id(book)]]  # fmt: skip
        rows, labels, fold_of = map(list, zip(*chosen, strict=True))
        model = LogisticRegression(solver="liblinear", dual=True, C=10.0, class_weight="balanced", random_state=0)
        found = cross_val_score(model, self._matrix[rows], labels, cv=PredefinedSplit(fold_of), scoring="roc_auc")
        return [float(area) for area in found]


def pieces(book: Book, words: int, count: int = _PIECES) -> list[str]:
    """Return up to `count` evenly spaced masked pieces, without punctuation except a full stop after each sentence."""
    stream = [part for sentence in book.masked for part in (*sentence, ".")]
    positions = [place for place, part in enumerate(stream, 1) if part != "."]
    text = [" ".join(stream[a:b]) for a, b in pairwise([0, *positions[words - 1 :: words]])]
    return text if len(text) <= count else [text[i * len(text) // count] for i in range(count)]


def halves(books: Books, size: int) -> Iterator[tuple[Books, Books]]:
    """Yield random halves of a collection, with at most `size` books each; books of an author stay together."""
    authors = sorted({book.author for book in books})
    for split in range(_SPLITS):
        sides: tuple[list[Book], list[Book]] = ([], [])
        for author in Stream("quality", "halves", split).shuffled(authors):
            min(sides, key=len).extend(book for book in books if book.author == author)
        yield sides[0][:size], sides[1][:size]


def hands(books: Books, size: int) -> Iterator[tuple[Books, Books]]:
    """Yield the authors with the most books (at least four), each against the others."""
    for author, count in Counter(book.author for book in books).most_common(_HANDS):
        if count >= _FOLDS:
            own = [book for book in books if book.author == author]
            yield own[:size], [book for book in books if book.author != author][:size]
