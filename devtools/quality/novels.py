"""haymaker dev quality novels: compare the style of two collections at equal size, also by a classifier."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from devtools.quality import classifier, texts
from devtools.quality.books import Book, equal
from devtools.quality.figures import DATA, Report, Row, at, plot, repeated, spread, table
from devtools.quality.prose import BIN_WORDS, FRAMES, Trigrams, frames, measure
from pipelines.project import Project

TOGETHER = 12
"""Books per side that are measured as one text, and used to train the classifier."""


def report(project: Project) -> Report:
    """Return all figures of one or two collections."""
    return compare({each.name: each.books for each in texts.sides(project)})


def compare(sides: Mapping[str, Sequence[Book]]) -> Report:
    """Return all figures of one collection, or of two: the first is evaluated, the second is the reference."""
    cut = equal(sides)
    size = min(TOGETHER, *map(len, cut.values()))
    heads = {name: books[:size] for name, books in cut.items()}
    sentences = _sentences(heads, size)
    one, *others = cut.values()
    words = len(one[0].words)
    lengths = [length for length in classifier.PIECE_WORDS if length <= words]
    least = min(len(book.text) for books in cut.values() for book in books)
    return {
        "words": words,
        "books": size,
        "sentences": min(map(len, sentences.values())),
        "sides": {
            name: {"books": len(books), "each": {book.name: measure(book, least) for book in books},
                   "together": _together(heads[name], sentences[name])}
            for name, books in cut.items()
        },
        "classifier": [classifier.compare(one, other, length, size) for other in others for length in lengths],
    }  # fmt: skip


def _together(books: Sequence[Book], sentences: Sequence[Sequence[str]]) -> Report:
    """Return figures across books: repeated phrases and sentences, and bits per word of every second book."""
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    bits = [bit for book in books[::2] for sentence in book.sentences for bit in model.bits(sentence)]
    shares = {str(n): repeated([book.words for book in books], n) for n in (4, 8, 12)}
    return {"repeated": shares, "per_10k_sentences": frames(sentences), "bits_per_word": statistics.fmean(bits)}


def _sentences(sides: Mapping[str, Sequence[Book]], size: int) -> dict[str, list[list[str]]]:
    """Return equally many masked sentences per side, about the same number from the start of each book."""
    share = min(-(-FRAMES // size), *(len(book.masked) for side in sides.values() for book in side))
    taken = {name: [s for book in side for s in book.masked[:share] if s] for name, side in sides.items()}
    count = min(FRAMES, *map(len, taken.values()))
    return {name: found[:count] for name, found in taken.items()}


def tables(report: Report) -> dict[str, list[Row]]:
    """Return tables of prose ("mean (lowest - highest)" for figures per book), and of AUC by words per piece."""
    lines = {label.format(**report): line for label, line in DATA["novels"].items()}
    found = {
        "novels": [*table("", report["sides"], _limited(lines)), ("outside their limits", _outside(report["sides"]))]
    }
    if report["classifier"]:
        columns = {f"{each['words']} words": each for each in report["classifier"]}
        areas = {label: ["extremes", key] for key, label in _compared(report).items()}
        found["novels-classifier"] = table("AUC: mean (range)", columns, areas)
    return found


def _limited(lines: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the lines of a table, with the limits of novels appended to their labels."""
    limits = DATA["novels_limits"]
    return {
        label + " (limits {} - {})".format(*limits[label]) if label in limits else label: line
        for label, line in lines.items()
    }


def outside(each: Mapping[str, Report]) -> list[str]:
    """Return the lines whose mean over the books of a side is outside the limits of novels."""
    means = {
        label: statistics.fmean(at(book, DATA["novels"][label][1]) for book in each.values())
        for label in DATA["novels_limits"]
    }
    return [label for label, (low, high) in DATA["novels_limits"].items() if not low <= means[label] <= high]


def _outside(sides: Mapping[str, Report]) -> list[str]:
    """Return the number of lines outside their limits for the first side; empty for the reference."""
    first, *others = sides.values()
    return [str(len(outside(first["each"]))), *("" for _ in others)]


def _compared(report: Report) -> dict[str, str]:
    """Return comparison of the classifier -> label."""
    one, other = report["sides"]
    names = {"against": f"{one} against {other}", "hands": f"one author of {other} against the others",
             "halves": f"random halves of {other}"}  # fmt: skip
    return {key: name for key, name in names.items() if any(key in each for each in report["classifier"])}


def draw(report: Report, folder: Path) -> list[Path]:
    """Plot sentence lengths, vocabulary growth and classifier, and return the files."""
    lengths, growth = _over_books(report, "sentence_words.histogram"), _over_books(report, "growth")
    label = f"words in a sentence, up to (bins of {BIN_WORDS}; the last holds all longer ones)"
    files = [
        plot(folder / "novels-sentences.svg", lengths, xlabel=label, ylabel="share of sentences"),
        plot(folder / "novels-types.svg", growth, xlabel="words read", ylabel="different words", xscale="log"),
    ]
    if measured := report["classifier"]:
        file, names = folder / "novels-classifier.svg", _compared(report).items()
        areas = {name: {str(each["words"]): each[key] for each in measured if key in each} for key, name in names}
        files.append(plot(file, areas, xlabel="words per piece", ylabel="AUC (0.5 = a coin)"))
    return files


def _over_books(report: Report, path: str) -> dict[str, dict[int, Report]]:
    """Return side -> position -> spread over books, for a figure with a number per position."""
    sides = {name: [at(book, path) for book in side["each"].values()] for name, side in report["sides"].items()}
    return {
        name: {int(place): spread(book[place] for book in books) for place in sorted(books[0], key=int)}
        for name, books in sides.items()
    }
