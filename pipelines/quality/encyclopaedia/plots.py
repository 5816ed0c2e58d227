"""Figures of `haymaker quality encyclopaedia`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.quality.encyclopaedia.rows import KINDS
from pipelines.quality.encyclopaedia.sides import PAIRS
from pipelines.quality.plots import COLOURS, MARKS, figure

Report = Mapping[str, Any]
_LABELS = {"bm25": "BM25 score", "cosine": "MiniLM cosine"}
_COLOUR = dict(zip(KINDS, (COLOURS[0], COLOURS[1], COLOURS[2], "grey"), strict=True))


def draw(report: Report, folder: Path) -> list[Path]:
    """Likeness to the question by kind of passage, and where the gold stands in a search; returns the files."""
    return [_hardness(report["sides"], folder), _ranks(report["sides"], folder)]


def _hardness(sides: list[Report], folder: Path) -> Path:
    """A panel per measure and side: median, quartiles (thick), 5th to 95th percentile (thin)."""
    path = folder / "encyclopaedia-hardness.svg"
    panels = [(measure, side) for measure in _LABELS for side in sides if measure in side["hardness"]]
    with figure(path, len(panels), (9, 2.4), sharey=True) as axes:
        for axis, (measure, side) in zip(axes, panels, strict=True):
            spreads = [spread for each in sides for spread in each["hardness"].get(measure, {}).values()]
            least, most = min(0, *(each["q05"] for each in spreads)), max(each["q95"] for each in spreads)
            for y, kind in enumerate(reversed(KINDS)):
                spread, colour = side["hardness"][measure][kind], _COLOUR[kind]
                axis.plot([spread["q05"], spread["q95"]], [y, y], color=colour, linewidth=1)
                axis.plot([spread["q25"], spread["q75"]], [y, y], color=colour, linewidth=5, alpha=0.5)
                axis.plot(spread["q50"], y, "o", color=colour)
            axis.set(title=side["name"], xlabel=_LABELS[measure], xlim=(1.1 * least, 1.05 * most))
            axis.set_yticks(range(len(KINDS)), list(reversed(KINDS)))
    return path


def _ranks(sides: list[Report], folder: Path) -> Path:
    """A panel per pair of sets: share of questions whose gold is among the best n; BM25 solid, MiniLM dotted."""
    path = folder / "encyclopaedia-ranks.svg"
    sets = {name: figures for side in sides for name, figures in side["sets"].items()}
    panels = [[name for name in pair if name in sets] for pair in PAIRS]
    with figure(path, len(panels), (9, 2.6), sharey=True) as axes:
        for axis, names in zip(axes, panels, strict=True):
            for name in names:
                i = next(number for number, side in enumerate(sides) if name in side["sets"])
                for search, line in (("bm25", "-"), ("dense", ":")):
                    if curve := sets[name].get(search):
                        label = name if search == "bm25" else None
                        cuts = list(map(int, curve))
                        axis.plot(
                            cuts,
                            list(curve.values()),
                            line,
                            color=COLOURS[i],
                            marker=MARKS[i],
                            markersize=3,
                            label=label,
                        )
            axis.set(xscale="log", xlabel="among the best", ylim=(0, 1.02))
            axis.set_xticks([1, 5, 20, 100], ["1", "5", "20", "100"])
            axis.minorticks_off()
            axis.legend(loc="lower right")
        axes[0].set_ylabel("share of questions with their gold")
    return path
