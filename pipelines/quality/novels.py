"""haymaker quality novels: how two collections of texts are written, at equal size, and whether a classifier tells them apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.project import Project
from pipelines.quality import classifier, texts
from pipelines.quality.books import Book, equal
from pipelines.quality.figures import COLOURS, DATA, MARKS, Report, Row, at, figure, line, logarithmic, repeated, table
from pipelines.quality.prose import BIN_WORDS, BINS, FRAMES, Trigrams, frames, measure

TABLES = ("novels", "classifier")
TOGETHER = 12
"""Books of a side that are measured as one text, and that the classifier learns from."""
_PANELS = (
    ("mean words\nof a sentence", "sentence_words.mean", 1),
    ("their standard\ndeviation", "sentence_words.sd", 1),
    ("words in\ndialogue, %", "dialogue", 100),
    ("repeated\n4-grams, %", "repeated.4", 100),
    ("repeated 8-grams,\nnames masked, %", "repeated_masked", 100),
    ("compressed,\nzstd 19, times", "compression.zstd", 1),
)


def report(project: Project, corpus: str | None, beside: str | None, words: int | None) -> Report:
    """All figures of one or two collections."""
    return compare({each.name: each.books for each in texts.sides(project, corpus, beside)}, words)


def compare(sides: Mapping[str, Sequence[Book]], words: int | None = None) -> Report:
    """All figures of one collection, or of two: the first is examined, the second is what it stands beside.

    Raises:
        CorpusError: too little text.
    """
    cut = equal(sides, words)
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
    """What shows only across books: phrases and sentences that come back, and how hard every second one is to foretell."""
    model = Trigrams(sentence for book in books[1::2] for sentence in book.sentences)
    bits = [bit for book in books[::2] for sentence in book.sentences for bit in model.bits(sentence)]
    shares = {str(n): repeated([book.words for book in books], n) for n in (4, 8, 12)}
    return {"repeated": shares, "per_10k_sentences": frames(sentences), "bits_per_word": statistics.fmean(bits)}


def _sentences(sides: Mapping[str, Sequence[Book]], size: int) -> dict[str, list[list[str]]]:
    """Equally many masked sentences of each side, about the same number from the head of each book."""
    share = min(-(-FRAMES // size), *(len(book.masked) for side in sides.values() for book in side))
    taken = {name: [s for book in side for s in book.masked[:share] if s] for name, side in sides.items()}
    count = min(FRAMES, *map(len, taken.values()))
    return {name: found[:count] for name, found in taken.items()}


def tables(report: Report) -> dict[str, list[Row]]:
    """Prose: "mean (lowest - highest)" over books where each has its own figure; AUC by words per piece."""
    lines = {label.format(**report): line for label, line in DATA["novels"].items()}
    found = {"novels": table("", report["sides"], lines)}
    if report["classifier"]:
        columns = {f"{each['words']} words": each for each in report["classifier"]}
        areas = {label: ["extremes", key] for key, label in _compared(report).items()}
        found["classifier"] = table("AUC: mean (range)", columns, areas)
    return found


def _compared(report: Report) -> dict[str, str]:
    """Comparison of the classifier that was made -> what it is called."""
    one, other = report["sides"]
    names = {"against": f"{one} against {other}", "hands": f"one author of {other} against the others",
             "halves": f"random halves of {other}"}  # fmt: skip
    return {key: name for key, name in names.items() if any(key in each for each in report["classifier"])}


def draw(report: Report, folder: Path) -> list[Path]:
    """Sentence lengths, growth of the vocabulary, one dash per book, and the classifier; returns the files."""
    plots = {"sentences": _lengths, "types": _types, "books": _books, "classifier": _areas}
    files = {
        folder / f"novels-{name}.svg": plot for name, plot in plots.items() if name != "classifier" or report[name]
    }
    for path, plot in files.items():
        plot(report, path)
    return list(files)


def _lengths(report: Report, path: Path) -> None:
    with figure(path, (5.5, 3)) as (axis,):
        places = [BIN_WORDS * i + (BIN_WORDS + 1) / 2 for i in range(BINS)]
        for i, (name, side) in enumerate(report["sides"].items()):
            bins = [[100 * share for share in book["sentence_words"]["histogram"]] for book in side["each"].values()]
            _band(axis, places, bins, i, name)
        last = f"words in a sentence (bins of {BIN_WORDS}; the last holds all longer ones)"
        axis.set(xlabel=last, ylabel="share of sentences, %")
        axis.set_ylim(bottom=0)
        axis.legend()


def _types(report: Report, path: Path) -> None:
    with figure(path, (5.5, 3)) as (axis,):
        for i, (name, side) in enumerate(report["sides"].items()):
            growth = [book["growth"] for book in side["each"].values()]
            read = [words / 1000 for words, _ in growth[0]]
            _band(axis, read, [[types for _, types in each] for each in growth], i, name)
        axis.set(xlabel="words read, thousands", ylabel="different words")
        logarithmic(axis, "x", read)
        logarithmic(axis, "y", [500, 1000, 2000, 5000, 10_000])
        axis.legend()


def _band(axis: Any, places: Sequence[float], lines: Sequence[Sequence[float]], i: int, name: str) -> None:
    """Mean over books, and the range from lowest to highest as a band."""
    columns = list(zip(*lines, strict=True))
    low, high = [*map(min, columns)], [*map(max, columns)]
    axis.fill_between(places, low, high, color=COLOURS[i], alpha=0.2, linewidth=0)
    line(axis, i, places, [*map(statistics.fmean, columns)], label=f"{name}: mean and range of {len(lines)} books")


def _books(report: Report, path: Path) -> None:
    names = list(report["sides"])
    with figure(path, (7.5, 3), len(_PANELS)) as axes:
        for axis, (title, keys, scale) in zip(axes, _PANELS, strict=True):
            for i, side in enumerate(report["sides"].values()):
                values = [scale * at(book, keys) for book in side["each"].values()]
                dashes = [x for _ in values for x in (i - 0.3, i + 0.3, math.nan)]  # one line with gaps: a small file
                heights = [y for value in values for y in (value, value, math.nan)]
                axis.plot(dashes, heights, color=COLOURS[i], linewidth=1, alpha=0.6)
                line(axis, i, [i], [statistics.fmean(values)], markersize=6)
            axis.set_xticks(range(len(names)), names, rotation=35, ha="right")
            axis.set(title=title, xlim=(-0.6, len(names) - 0.4))
            axis.set_ylim(bottom=0)


def _areas(report: Report, path: Path) -> None:
    with figure(path, (5.5, 3.4)) as (axis,):
        for i, (key, label) in enumerate(_compared(report).items()):
            found = [(each["words"] * 1.04 ** (i - 1), each[key]) for each in report["classifier"] if key in each]
            places, means = [place for place, _ in found], [each["mean"] for _, each in found]
            errors = [[abs(each[end] - each["mean"]) for _, each in found] for end in ("low", "high")]
            axis.errorbar(
                places, means, errors, color=COLOURS[i], marker=MARKS[i], markersize=4, capsize=3, label=label
            )
        axis.set(xlabel="words per piece", ylabel="AUC (0.5 = a coin)", ylim=(0, 1.02))
        logarithmic(axis, "x", [each["words"] for each in report["classifier"]])
        axis.figure.legend(loc="outside lower center")
