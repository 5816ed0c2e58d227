"""Two collections side by side, at equal size: the same words of each book, the same bytes, the same number of books."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from haymaker.errors import CorpusError

from . import classifier
from .prose import FRAMES, GROWTH, Book, measure, measure_together, opening
from .trigrams import bits_per_word

LEAST_WORDS = 5_000  # of a book; shorter texts are put together into volumes
VOLUME_WORDS = 10_000
_STEP_WORDS = 1_000
TOGETHER = 12
"""Books of a side that are measured as one text, and that the classifier learns from."""
_DIGITS = 4

Report = dict[str, Any]


def compare(sides: Mapping[str, Sequence[Book]], words: int | None = None) -> Report:
    """All figures of one or two collections.

    Args:
        sides: name -> books; the first is examined, the second is what it stands beside.
        words: of each book; None takes what three quarters of the books of each side have, 100,000 at most.

    Returns:
        words, bytes, together_books, together_sentences: the common sizes; sides: for each its name, books (how many),
        each (`prose.measure` of every book) and together; classifier: for each length of pieces (with two sides).

    Raises:
        CorpusError: too little text.
    """
    cut = equal(sides, words)
    words = len(next(iter(cut.values()))[0].words)
    text_bytes = min(_size(book) for books in cut.values() for book in books)
    count = min(TOGETHER, *map(len, cut.values()))
    sentences = min(FRAMES, *(count * min(len(b.masked) for b in books[:count]) for books in cut.values()))
    report = {
        "words": words,
        "bytes": text_bytes,
        "together_books": count,
        "together_sentences": sentences,
        "sides": [
            {
                "name": name,
                "books": len(books),
                "each": {book.name: measure(book, text_bytes) for book in books},
                "together": measure_together(books[:count], sentences)
                | {"bits_per_word": bits_per_word(books[:count])},
            }
            for name, books in cut.items()
        ],
        "classifier": _classified(list(cut.values()), words) if len(cut) == 2 else [],
    }
    return rounded(report)  # type: ignore[no-any-return]


def equal(sides: Mapping[str, Sequence[Book]], words: int | None = None) -> dict[str, list[Book]]:
    """Books of equal size: the first `words` words of each; shorter ones are left out, short texts put together before.

    Args:
        sides: name -> books.
        words: of each book; None takes what three quarters of the books of each side have, 100,000 at most.

    Raises:
        CorpusError: a side has fewer than two books of that size.
    """
    bound = {name: _volumes(name, books) for name, books in sides.items()}
    words = words or min(_common(books) for books in bound.values())
    cut = {name: [opening(b, words) for b in books if len(b.words) >= words] for name, books in bound.items()}
    for name, books in cut.items():
        if len(books) < 2:
            fix = "give more or longer texts, or a smaller --words"
            raise CorpusError(f"{len(books)} texts of {words:,} words, 2 are needed", where=name, fix=fix)
    return cut


def _classified(sides: Sequence[Sequence[Book]], words: int) -> list[dict[str, Any]]:
    a, b = sides
    size = min(TOGETHER, len(a), len(b))
    lengths = [n for n in classifier.PIECE_WORDS if n <= words]
    found = [(n, classifier.compare(a, b, n, size)) for n in lengths]
    return [{"words": n, **{name: dataclasses.asdict(auc) for name, auc in each.items()}} for n, each in found]


def _volumes(name: str, books: Sequence[Book]) -> list[Book]:
    """The books; where most are short, neighbours put together."""
    if not books:
        raise CorpusError("holds no text", where=name, fix="give at least two texts")
    if statistics.median(len(book.words) for book in books) >= LEAST_WORDS:
        return list(books)
    volumes: list[Book] = []
    waiting: list[Book] = []
    for book in books:
        waiting.append(book)
        if sum(len(one.words) for one in waiting) >= VOLUME_WORDS:
            first, *_ = waiting
            volumes.append(Book(first.name, first.author, tuple(p for one in waiting for p in one.paragraphs)))
            waiting = []
    if len(volumes) < 2:
        total = sum(len(book.words) for book in books)
        raise CorpusError(f"{total:,} words in all", where=name, fix=f"give at least {2 * VOLUME_WORDS:,} words")
    return volumes


def _common(books: Sequence[Book]) -> int:
    """What three quarters of the books have, in whole thousands."""
    sizes = sorted(len(book.words) for book in books)
    return max(_STEP_WORDS, min(sizes[len(sizes) // 4], GROWTH[-1]) // _STEP_WORDS * _STEP_WORDS)


def _size(book: Book) -> int:
    return len("\n".join(map(" ".join, book.paragraphs)).encode())


def rounded(value: Any) -> Any:
    """A report's numbers with four significant digits: what is behind them may differ between machines, and means nothing."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, Mapping):
        return {str(key): rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


Row = tuple[str, list[str]]


def table(report: Report) -> list[Row]:
    """The report as a table: label, then one cell per side, "mean (lowest - highest)" over books where each has its own."""
    sides, words = report["sides"], report["words"]

    def each(label: str, *path: str, scale: float = 1, digits: int = 1) -> Row:
        return label, [_spread([scale * at(book, path) for book in side["each"].values()], digits) for side in sides]

    def joint(label: str, *path: str, scale: float = 1, digits: int = 0) -> Row:
        return label, [f"{scale * at(side['together'], path):,.{digits}f}" for side in sides]

    n, s = report["together_books"], report["together_sentences"]
    return [
        ("books", [str(side["books"]) for side in sides]),
        each("words per sentence, mean", "sentence_words", "mean"),
        each("words per sentence, standard deviation", "sentence_words", "sd"),
        each("words per sentence, median", "sentence_words", "q50", digits=0),
        each("sentences of 5 words or fewer, %", "sentence_words", "histogram", "0", scale=100),
        each("95 % of sentences have at most, words", "sentence_words", "q95", digits=0),
        each(f"different words among {words:,}", "types", "-1", "1", digits=0),
        each("repeated 4-grams, %", "repeated", "4", scale=100),
        each("repeated 8-grams, %", "repeated", "8", scale=100, digits=2),
        each("repeated 8-grams, names masked, %", "repeated_masked", "8", scale=100, digits=2),
        joint(f"repeated 4-grams, {n} books as one, %", "repeated", "4", scale=100, digits=1),
        joint(f"repeated 8-grams, {n} books as one, %", "repeated", "8", scale=100, digits=2),
        joint(f"repeated 12-grams, {n} books as one, %", "repeated", "12", scale=100, digits=3),
        joint(f"different sentences per 10,000, names masked (of {s:,})", "per_10k_sentences", "frames"),
        joint("different sentences per 10,000, function words alone", "per_10k_sentences", "skeletons"),
        each("compressed by zlib 9, times", "compression", "zlib", digits=2),
        each("compressed by zstd 19, times", "compression", "zstd", digits=2),
        joint("surprise of a word to a trigram model of other books, bits", "bits_per_word", digits=1),
        each("words in dialogue, %", "dialogue", scale=100, digits=0),
    ]


def classifier_table(report: Report) -> list[Row]:
    """AUC by words per piece: one side against the other, halves of the second, one author of it against the others."""
    lengths, (one, other) = report["classifier"], [side["name"] for side in report["sides"]]
    labels = {
        "against": f"{one} against {other}",
        "hands": f"one author of {other} against the others",
        "halves": f"random halves of {other}",
    }
    rows = [(label, [_area(each.get(key)) for each in lengths]) for key, label in labels.items()]
    head = ("AUC: mean (range)", [f"{each['words']} words" for each in lengths])
    return [head, *(row for row in rows if any(row[1]))]


def _area(auc: Mapping[str, float] | None) -> str:
    return f"{auc['mean']:.2f} ({auc['low']:.2f} - {auc['high']:.2f})" if auc else ""


def at(value: Any, path: Sequence[str]) -> float:
    """The number at a path of keys (or places of a list) in a report."""
    for key in path:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return float(value)


def _spread(values: Sequence[float], digits: int) -> str:
    return f"{statistics.fmean(values):,.{digits}f} ({min(values):,.{digits}f} - {max(values):,.{digits}f})"
