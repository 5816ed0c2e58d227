"""Can a plain classifier tell two collections apart? Names are masked, so it has to go by how the text is written.

Pieces of equal length, word 1- and 2-grams with character 3- to 5-grams, logistic regression; every book of a test fold is
unseen in training (two-sample test by classifier, arXiv 1610.06545). AUC 0.5 is a coin, 1.0 is never wrong. A figure alone
says little, since any two sets of books differ: `halves` of one collection show what chance gives (below 0.5 where books are
few: a book of one half that is left out resembles the other half more than its own), `one_against_others` how far one hand is
from the rest.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from haymaker.errors import CorpusError, EnvironmentProblem
from haymaker.rng import Stream

from .prose import Book

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places = npt.NDArray[np.int64]

PIECE_WORDS = (20, 50, 200)
PIECES = 40  # per book, evenly spaced
FOLDS = 4
SPLITS = 6
_FEATURES = 1 << 18
_HANDS = 3  # authors with the most books


@dataclass(frozen=True)
class Auc:
    """Areas under the ROC curve of some runs (folds or splits): mean, lowest, highest."""

    mean: float
    low: float
    high: float
    runs: int

    @staticmethod
    def over(values: Sequence[float]) -> Auc:
        """Summary of some areas, rounded to what repeats on another machine."""
        return Auc(round(statistics.fmean(values), 3), round(min(values), 3), round(max(values), 3), len(values))


def require() -> None:
    """Say at once when scikit-learn is missing.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise EnvironmentProblem("scikit-learn is not installed", fix="pip install -e '.[quality]'") from None


def pieces(book: Book, words: int, count: int = PIECES) -> list[str]:
    """Up to `count` evenly spaced pieces of `words` words, masked; marks are left out but for a stop after each sentence."""
    stream = [part for sentence in book.masked for part in (*sentence, ".")]
    stops, size = [0], 0
    for at, part in enumerate(stream, 1):
        size += part != "."
        if size == words:
            stops.append(at)
            size = 0
    text = [" ".join(stream[a:b]) for a, b in pairwise(stops)]
    return text if len(text) <= count else [text[i * len(text) // count] for i in range(count)]


class Pieces:
    """The pieces of some books as one sparse matrix, made once and used by every comparison.

    Args:
        books: all books of all comparisons.
        words: words per piece.
    """

    def __init__(self, books: Sequence[Book], words: int) -> None:
        self.books = list(books)
        self._cut = [pieces(book, words) for book in books]
        if not all(self._cut):
            short = next(book.name for book, cut in zip(books, self._cut, strict=True) if not cut)
            raise CorpusError(f"has no piece of {words} words", where=short, fix="give longer texts")

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import hstack
        from sklearn.feature_extraction.text import HashingVectorizer

        text = [piece for cut in self._cut for piece in cut]
        common = {"n_features": _FEATURES, "alternate_sign": False, "lowercase": False}
        words = HashingVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), **common)
        letters = HashingVectorizer(analyzer="char", ngram_range=(3, 5), **common)
        return hstack([words.transform(text), letters.transform(text)], format="csr")

    def auc(self, a: Sequence[Book], b: Sequence[Book], group: Callable[[Book], str]) -> list[float]:
        """Area per fold; no group of books (by author, or by name) is in training and test of a fold.

        Raises:
            CorpusError: one side has fewer than two groups.
        """
        import numpy as np
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score

        folds = _folds([[group(book) for book in side] for side in (a, b)])
        rows, labels, fold_of = [], [], []
        for label, side in enumerate((a, b)):
            for book in side:
                places = self._rows(book)
                rows.append(places)
                labels += [label] * len(places)
                fold_of += [folds[label][group(book)]] * len(places)
        matrix, y, fold = self._matrix[np.concatenate(rows)], np.array(labels), np.array(fold_of)
        areas = []
        for test in sorted(set(fold_of)):
            model = LogisticRegression(solver="liblinear", dual=True, C=10.0, class_weight="balanced", random_state=0)
            model.fit(matrix[fold != test], y[fold != test])
            areas.append(float(roc_auc_score(y[fold == test], model.decision_function(matrix[fold == test]))))
        return areas

    def _rows(self, book: Book) -> Places:
        import numpy as np

        at = next(i for i, one in enumerate(self.books) if one is book)
        begin = sum(map(len, self._cut[:at]))
        return np.arange(begin, begin + len(self._cut[at]))


def _folds(sides: Sequence[Sequence[str]]) -> list[dict[str, int]]:
    """Group -> fold for each side, the largest groups first, so that every fold tests both sides."""
    counts = [Counter(side) for side in sides]
    if min(map(len, counts)) < 2:
        raise CorpusError("one text (or author) on one side", where="classifier", fix="give at least two on each side")
    folds = min(FOLDS, *map(len, counts))
    return [{name: i % folds for i, (name, _) in enumerate(count.most_common())} for count in counts]


def halves(books: Sequence[Book], size: int) -> Iterator[tuple[list[Book], list[Book]]]:
    """Random halves of a collection, `size` books each at most; all books of an author are in the same half."""
    by_hand: dict[str, list[Book]] = {}
    for book in books:
        by_hand.setdefault(book.author, []).append(book)
    for split in range(SPLITS):
        sides: tuple[list[Book], list[Book]] = ([], [])
        for author in Stream("quality", "halves", split).shuffled(sorted(by_hand)):
            min(sides, key=len).extend(by_hand[author])
        yield sides[0][:size], sides[1][:size]


def one_against_others(books: Sequence[Book], size: int) -> Iterator[tuple[list[Book], list[Book]]]:
    """The authors of most books (four or more), each against the others."""
    for author, count in Counter(book.author for book in books).most_common(_HANDS):
        if count >= FOLDS:
            others = [book for book in books if book.author != author]
            yield [book for book in books if book.author == author][:size], others[:size]


def by_author(book: Book) -> str:
    """Group of a book: its author."""
    return book.author


def by_name(book: Book) -> str:
    """Group of a book: itself."""
    return book.name


def compare(a: Sequence[Book], b: Sequence[Book], words: int, size: int) -> dict[str, Auc]:
    """`a` against `b`, and what `b` (the real books) gives against itself.

    Args:
        a: simulated books.
        b: real books.
        words: words per piece.
        size: books of a side at most, so that every comparison learns from equally many.

    Returns:
        against: a and b, over folds; halves: of b, over splits; hands: one author of b against the others, over authors.
        The last two are left out where b has too few books for them.

    Raises:
        CorpusError: a side has fewer than two books, or a book is shorter than a piece.
    """
    data = Pieces([*a, *b], words)
    out = {"against": Auc.over(data.auc(a[:size], b[:size], by_author))}
    for name, pairs, group in (("halves", halves, by_author), ("hands", one_against_others, by_name)):
        runs = [data.auc(x, y, group) for x, y in pairs(b, size) if min(len({group(k) for k in s}) for s in (x, y)) > 1]
        if runs:
            out[name] = Auc.over([statistics.fmean(run) for run in runs])
    return out
