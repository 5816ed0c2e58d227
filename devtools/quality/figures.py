"""Statistics, tables and plots shared by all topics. Plots are reproducible SVG files (Okabe-Ito colours)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from haymaker.core.files.disk import written
from haymaker.core.files.yaml_file import read_yaml

Report = dict[str, Any]
Row = tuple[str, list[str]]
DATA = read_yaml(Path(__file__).with_name("tables.yaml"))
"""Definitions of table lines and gates."""
_COLOURS = ("#0072B2", "#D55E00", "#009E73")
_SHARES = {"low": 0, "q05": 5, "q25": 25, "q50": 50, "q75": 75, "q95": 95, "high": 100}
_DIGITS = 4
_PATTERNS = {
    "number": "{mean:,.{d}f}",
    "quartiles": "{mean:,.{d}f} ({q25:,.{d}f}, {q50:,.{d}f}, {q75:,.{d}f})",
    "extremes": "{mean:,.{d}f} ({low:,.{d}f} - {high:,.{d}f})",
    "cheat": "{auc:.3f}, {precision:.2f}, {supported:.2f}",
    "shown": "{shown}",
}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "haymaker", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.3, "grid.linewidth": 0.5, "legend.frameon": False,
}  # fmt: skip


def spread(values: Iterable[float | None]) -> Any:
    """Return mean, standard deviation, minimum, maximum and quantiles of the known values; None without values."""
    import numpy as np

    found = np.array([value for value in values if value is not None], np.float64)
    if not len(found):
        return None
    cuts = np.percentile(found, list(_SHARES.values())).tolist()
    return {"mean": float(found.mean()), "sd": float(found.std()), **dict(zip(_SHARES, cuts, strict=True))}


def repeated(texts: Sequence[Sequence[str]], n: int) -> float:
    """Return the share of repeated n-grams in the texts; n-grams do not cross the end of a text."""
    total = sum(max(0, len(text) - n + 1) for text in texts)
    different = {gram for text in texts for gram in zip(*(text[i:] for i in range(n)), strict=False)}
    return 1 - len(different) / total if total else 0.0


def at(value: Any, path: str) -> Any:
    """Return the value in a report at a path of dot-separated keys, or None."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def rounded(value: Any) -> Any:
    """Round the numbers of a report to four significant digits: further digits may differ between machines."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, Mapping):
        return {str(key): rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


def table(corner: str, columns: Mapping[str, Report], lines: Mapping[str, Sequence[Any]]) -> list[Row]:
    """Return a table with a column per set of figures and a line (label: [how, path, digits, scale]) per figure."""
    body = [(label, [cell(figures, *line) for figures in columns.values()]) for label, line in lines.items()]
    return [(corner, list(columns)), *body]


def cell(figures: Report, how: str, path: str, digits: int = 2, scale: float = 1) -> str:
    """Format a figure of a report for a table, or "-" if there is none."""
    found = at(figures, path)
    if how == "books":  # one figure per book of a side
        how, found = "extremes", spread(scale * at(book, path) for book in figures["each"].values())
    if found is None:
        return "-"
    return _PATTERNS[how].format(d=digits, **(found if isinstance(found, Mapping) else {"mean": scale * found}))


def markdown(rows: Sequence[Row]) -> str:
    """Format a table as Markdown: labels left-aligned, cells right-aligned."""
    (corner, heads), *body = rows
    lines = [[corner, *heads], ["---", *["---:"] * len(heads)], *([label, *cells] for label, cells in body)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def plot(path: Path, lines: Mapping[str, Mapping[Any, Report]], **axis: Any) -> Path:
    """Plot a line of means and a band from minimum to maximum per label; written atomically and without a date."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE), written(path) as temporary:
        drawn = Figure(figsize=(5.5, 3), layout="constrained")
        axes = drawn.subplots()
        for (label, spreads), colour in zip(lines.items(), _COLOURS, strict=False):
            low, mean, high = ([each[end] for each in spreads.values()] for end in ("low", "mean", "high"))
            axes.fill_between([*spreads], low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot([*spreads], mean, "o-", color=colour, markersize=3, label=label)
        axes.set(**axis)
        axes.set_ylim(bottom=0)
        drawn.legend(loc="outside lower center")
        drawn.savefig(temporary, format="svg", metadata={"Date": None})
    return path
