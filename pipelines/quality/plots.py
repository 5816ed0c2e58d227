"""Figures of `haymaker quality`: SVG files that are the same bytes for the same report (matplotlib, Okabe-Ito colours)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from haymaker.errors import EnvironmentProblem
from haymaker.files import written
from pipelines.quality.figures.comparison import at
from pipelines.quality.figures.prose import BIN_WORDS, BINS

COLOURS = ("#0072B2", "#D55E00", "#009E73")
MARKS = ("o", "s", "^")
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "haymaker", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.3, "grid.linewidth": 0.5, "legend.frameon": False, "axes.titlesize": 9,
}  # fmt: skip
_PANELS = (
    ("mean words\nof a sentence", ("sentence_words", "mean"), 1),
    ("their standard\ndeviation", ("sentence_words", "sd"), 1),
    ("words in\ndialogue, %", ("dialogue",), 100),
    ("repeated\n4-grams, %", ("repeated", "4"), 100),
    ("repeated 8-grams,\nnames masked, %", ("repeated_masked", "8"), 100),
    ("compressed,\nzstd 19, times", ("compression", "zstd"), 1),
)


def require() -> None:
    """Say at once when matplotlib is missing.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise EnvironmentProblem("matplotlib is not installed", fix="pip install -e '.[quality]'") from None


def novels(report: dict[str, Any], folder: Path) -> list[Path]:
    """Sentence lengths, growth of the vocabulary, one dot per book, and the classifier; returns the files."""
    made = [_sentences(report, folder), _types(report, folder), _books(report, folder)]
    return [*made, _classifier(report, folder)] if report["classifier"] else made


def odd_lines(report: dict[str, Any], folder: Path) -> list[Path]:
    """How each cheat ranks facts, per length and background."""
    buckets = list(next(iter(report["sides"].values())))
    with figure(folder / "cheat.svg", len(buckets), (7, 2.9), sharey=True) as axes:
        for axis, bucket in zip(axes, buckets, strict=True):
            for i, (name, side) in enumerate(report["sides"].items()):
                cheats = side[bucket]["all"]
                places = [y + 0.14 * (1 - 2 * i) for y in range(len(cheats))]
                axis.plot([each["auc"] for each in cheats.values()], places, MARKS[i], color=COLOURS[i], label=name)
                axis.set_yticks(range(len(cheats)), list(cheats))
            axis.axvline(0.5, color="grey", linewidth=1, linestyle=":")
            axis.set(title=f"rows of {bucket} tokens", xlabel="AUC (0.5 = a coin)", xlim=(0, 1.02))
        axes[0].legend(loc="lower left")
    return [folder / "cheat.svg"]


def _sentences(report: dict[str, Any], folder: Path) -> Path:
    path = folder / "novels-sentences.svg"
    with figure(path, 1, (5.5, 3)) as (axis,):
        places = [BIN_WORDS * i + (BIN_WORDS + 1) / 2 for i in range(BINS)]
        for i, side in enumerate(report["sides"]):
            lines = [[100 * share for share in book["sentence_words"]["histogram"]] for book in side["each"].values()]
            _band(axis, places, lines, i, side["name"])
        axis.set(
            xlabel=f"words in a sentence (bins of {BIN_WORDS}; the last holds all longer ones)",
            ylabel="share of sentences, %",
        )
        axis.set_ylim(bottom=0)
        axis.legend()
    return path


def _types(report: dict[str, Any], folder: Path) -> Path:
    path = folder / "novels-types.svg"
    with figure(path, 1, (5.5, 3)) as (axis,):
        for i, side in enumerate(report["sides"]):
            growth = [book["types"] for book in side["each"].values()]
            read = [words / 1000 for words, _ in growth[0]]
            _band(axis, read, [[types for _, types in each] for each in growth], i, side["name"])
        axis.set(xscale="log", yscale="log", xlabel="words read, thousands", ylabel="different words")
        axis.set_xticks(read, [f"{tick:g}" for tick in read])
        axis.set_yticks([500, 1000, 2000, 5000, 10_000], ["500", "1,000", "2,000", "5,000", "10,000"])
        axis.minorticks_off()
        axis.legend()
    return path


def _band(axis: Any, places: Sequence[float], lines: Sequence[Sequence[float]], i: int, name: str) -> None:
    """Mean over books, and the range from lowest to highest as a band."""
    columns = list(zip(*lines, strict=True))
    axis.fill_between(
        places, list(map(min, columns)), list(map(max, columns)), color=COLOURS[i], alpha=0.2, linewidth=0
    )
    label = f"{name}: mean and range of {len(lines)} books"
    axis.plot(
        places, list(map(statistics.fmean, columns)), color=COLOURS[i], marker=MARKS[i], markersize=3, label=label
    )


def _books(report: dict[str, Any], folder: Path) -> Path:
    """One dash per book, drawn as one line with gaps (a mark each would make a large file); the mean as a point."""
    path, gap = folder / "novels-books.svg", math.nan
    with figure(path, len(_PANELS), (7.5, 3)) as axes:
        for axis, (title, keys, scale) in zip(axes, _PANELS, strict=True):
            for i, side in enumerate(report["sides"]):
                values = [scale * at(book, keys) for book in side["each"].values()]
                across = [x for _ in values for x in (i - 0.3, i + 0.3, gap)]
                axis.plot(across, [y for v in values for y in (v, v, gap)], color=COLOURS[i], linewidth=1, alpha=0.6)
                axis.plot(i, statistics.fmean(values), MARKS[i], color=COLOURS[i])
            names = [side["name"] for side in report["sides"]]
            axis.set_xticks(range(len(names)), names, rotation=35, ha="right")
            axis.set(title=title, xlim=(-0.6, len(names) - 0.4))
            axis.set_ylim(bottom=0)
    return path


def _classifier(report: dict[str, Any], folder: Path) -> Path:
    path, (first, second) = folder / "novels-classifier.svg", [side["name"] for side in report["sides"]]
    labels = {
        "against": f"{first} against {second}",
        "hands": f"one author of {second} against the others",
        "halves": f"random halves of {second}",
    }
    with figure(path, 1, (5.5, 3.4)) as (axis,):
        for i, (key, label) in enumerate(labels.items()):
            found = [(each["words"] * 1.04 ** (i - 1), each[key]) for each in report["classifier"] if key in each]
            if found:
                means = [a["mean"] for _, a in found]
                errors = [[a["mean"] - a["low"] for _, a in found], [a["high"] - a["mean"] for _, a in found]]
                style = {"color": COLOURS[i], "marker": MARKS[i], "markersize": 4, "capsize": 3, "label": label}
                axis.errorbar([words for words, _ in found], means, errors, **style)
        lengths = [each["words"] for each in report["classifier"]]
        axis.set(xscale="log", xlabel="words per piece", ylabel="AUC (0.5 = a coin)", ylim=(0, 1.02))
        axis.set_xticks(lengths, list(map(str, lengths)))
        axis.minorticks_off()
        axis.figure.legend(loc="outside lower center")
    return path


@contextmanager
def figure(path: Path, panels: int, inches: tuple[float, float], **options: Any) -> Iterator[Sequence[Any]]:
    """Axes in one line; the finished file is written whole and holds no date."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=inches, layout="constrained")
        yield figure.subplots(1, panels, squeeze=False, **options)[0]
        with written(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})
