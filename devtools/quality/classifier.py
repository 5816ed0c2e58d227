"""Can a plain classifier tell two collections apart? Names are masked, so it has to go by how the text is written.

Pieces of equal length, word 1- and 2-grams with character 3- to 5-grams, logistic regression; every book of a test fold is
unseen in training (two-sample test by classifier, arXiv 1610.06545). AUC 0.5 is a coin, 1.0 is never wrong. A figure alone
says little, since any two sets of books differ: `halves` of one collection show what chance gives (below 0.5 where books are
few: a book of one half that is left out resembles the other half more than its own), `hands` how far one is from the rest.
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
    """AUC on pieces of `words` words, no more than `size` books of a side at once: of a (simulated) against b (real) over folds, of
    halves of b over splits, of one hand in b against the others over authors. The last two only where b has the books for them.

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
    """The pieces of some books as one sparse matrix, which all comparisons use."""

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
        """AUC per fold; no group of books (by author, or by name) is in training and test of a fold."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import PredefinedSplit, cross_val_score

        counts = [Counter(map(group, side)) for side in (a, b)]
        if min(map(len, counts)) < 2:
            fix = "give at least two on each side"
            raise CorpusError("one text (or author) on one side", where="classifier", fix=fix)
        number = min(_FOLDS, *map(len, counts))  # the largest groups first, so that every fold tests both sides
        folds = [{name: i % number for i, (name, _) in enumerate(count.most_common())} for count in counts]
        chosen = [(row, side, folds[side][group(book)]) for side, books in enumerate((a, b)) for book in books
                  for row in self._rows[id(book)]]  # fmt: skip
        rows, labels, fold_of = map(list, zip(*chosen, strict=True))
        model = LogisticRegression(solver="liblinear", dual=True, C=10.0, class_weight="balanced", random_state=0)
        found = cross_val_score(model, self._matrix[rows], labels, cv=PredefinedSplit(fold_of), scoring="roc_auc")
        return [float(area) for area in found]


def pieces(book: Book, words: int, count: int = _PIECES) -> list[str]:
    """Up to `count` evenly spaced pieces, masked; marks are left out but for a stop after each sentence."""
    stream = [part for sentence in book.masked for part in (*sentence, ".")]
    said = [place for place, part in enumerate(stream, 1) if part != "."]
    text = [" ".join(stream[a:b]) for a, b in pairwise([0, *said[words - 1 :: words]])]
    return text if len(text) <= count else [text[i * len(text) // count] for i in range(count)]


def halves(books: Books, size: int) -> Iterator[tuple[Books, Books]]:
    """Random halves of a collection, `size` books each at most; all books of an author are in the same half."""
    authors = sorted({book.author for book in books})
    for split in range(_SPLITS):
        sides: tuple[list[Book], list[Book]] = ([], [])
        for author in Stream("quality", "halves", split).shuffled(authors):
            min(sides, key=len).extend(book for book in books if book.author == author)
        yield sides[0][:size], sides[1][:size]


def hands(books: Books, size: int) -> Iterator[tuple[Books, Books]]:
    """The authors of most books (four or more), each against the others."""
    for author, count in Counter(book.author for book in books).most_common(_HANDS):
        if count >= _FOLDS:
            own = [book for book in books if book.author == author]
            yield own[:size], [book for book in books if book.author != author][:size]
