"""Draw three small SVG plots of a validated release. DVC shows them offline; equal figures give equal bytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from xml.sax.saxutils import escape

from haymaker.core.lengths import MIN_FILL, length_order, length_tokens
from pipelines.checks.row_checks import Findings

TASKS_SHOWN = 30
_CLASSES = ((0, 0), (1, 3), (4, 15), (16, 63), (64, 10**9))
_COLOURS = ("#1f5a8a", "#4d8fbf", "#93bfdd", "#f2b56b", "#c8553d")
_WIDTH, _LEFT, _PLOT, _ROW = 816, 246, 350, 22  # pixels


@dataclass(frozen=True)
class Bar:
    """One stacked bar of a plot.

    Attributes:
        label: text on the left.
        parts: segments in percent, from left to right.
        note: text on the right.
        mark: position of a thin line in percent; None = no line.
    """

    label: str
    parts: tuple[float, ...]
    note: str
    mark: float | None = None


def pictures(findings: Findings) -> dict[str, str]:
    """Return the plots: file name -> SVG."""
    return {
        "fill.svg": fill(findings.unused),
        "depth.svg": depth(findings.depths),
        "labels.svg": labels(findings.labels),
    }


def fill(unused: Mapping[str, Sequence[int]]) -> str:
    """Plot the unused tokens of rows, by length."""
    bars = []
    for length in sorted(unused, key=length_order):
        rows, most = unused[length], max(unused[length])
        counts = [sum(low <= tokens <= high for tokens in rows) for low, high in _CLASSES]
        allowed = int((length_tokens(length) or 0) * (1 - MIN_FILL))
        note = f"{_rows(len(rows))}, at most {most:,} of {allowed:,}"
        bars.append(Bar(length, tuple(100 * count / len(rows) for count in counts), note))
    names = [
        f"{low}" if low == high else f"{low}-{high}" if high < 10**9 else f"{low} or more" for low, high in _CLASSES
    ]
    return drawn(
        "Tokens left unused in rows with background",
        "rows, percent; right: most unused, of how many allowed",
        bars,
        names,
    )


def depth(depths: Mapping[int, int]) -> str:
    """Plot the depth of the deciding fact, in tenths of the context."""
    total = sum(depths.values())
    shares = [(k, depths.get(k, 0)) for k in range(10)] if total else []
    bars = [Bar(f"{k / 10:.1f} to {(k + 1) / 10:.1f}", (100 * n / total,), _rows(n), 10) for k, n in shares]
    return drawn(
        "Depth of the deciding fact (0 = beginning of the context, 1 = end)",
        "rows, percent; red line: evenly spread",
        bars,
    )


def labels(found: Mapping[str, Counter[str]]) -> str:
    """Plot the share of the most common answer, for closed answer sets; tasks furthest above a uniform share first."""

    def bar(task: str) -> Bar:
        counts = found[task]
        rows, most = sum(counts.values()), max(counts.values())
        note = f"{_rows(rows)}, {len(counts):,} different answer{'s' * (len(counts) > 1)}"
        return Bar(task, (100 * most / rows,), note, 100 / len(counts))

    bars = sorted(map(bar, found), key=lambda bar: ((bar.mark or 0) - bar.parts[0], bar.label))
    left_out = f", the {TASKS_SHOWN} least even of {len(bars)} tasks" if len(bars) > TASKS_SHOWN else ""
    title = f"The commonest answer of each task{left_out}"
    return drawn(title, "rows with that answer, percent; red line: if all answers were alike", bars[:TASKS_SHOWN])


def _rows(number: int) -> str:
    return f"{number:,} row{'s' * (number != 1)}"


# -------------------------------------------------------------------------------------------------------------- drawing


def drawn(title: str, axis: str, bars: Sequence[Bar], legend: Sequence[str] = ()) -> str:
    """Return an SVG of horizontal bars on white, with a percent axis from 0; equal values give equal bytes."""
    most = max((max(sum(bar.parts), bar.mark or 0) for bar in bars), default=100)
    step = next((step for step in (2, 5, 10) if most <= 6 * step), 20)
    ticks = range(0, max(1, math.ceil(round(most, 6) / step)) * step + 1, step)
    top = 66 if legend else 44
    foot = top + _ROW * max(1, len(bars))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{foot + 48}" viewBox="0 0 {_WIDTH} {foot + 48}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222222">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(16, 24, title, 'font-size="15" font-weight="bold"'),
        *_legend(legend),
        *_axis(ticks, axis, top, foot),
        *(line for i, bar in enumerate(bars) for line in _bar(bar, ticks[-1], top + _ROW * i)),
        *([] if bars else [_text(_LEFT + 8, top + 15, "no such rows in this release")]),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend(names: Sequence[str]) -> Iterator[str]:
    for i, (name, colour) in enumerate(zip(names, _COLOURS, strict=False)):
        x = _LEFT + 92 * i
        yield f'<rect x="{x}" y="38" width="12" height="12" fill="{colour}"/>'
        yield _text(x + 17, 48, name)


def _axis(ticks: range, name: str, top: int, foot: int) -> Iterator[str]:
    for tick in ticks:
        x = _LEFT + _PLOT * tick // ticks[-1]
        yield f'<line x1="{x}" y1="{top - 4}" x2="{x}" y2="{foot + 4}" stroke="#dddddd"/>'
        yield _text(x, foot + 18, f"{tick}", 'text-anchor="middle"')
    yield _text(_LEFT + _PLOT // 2, foot + 38, name, 'text-anchor="middle"')


def _bar(bar: Bar, end: int, top: int) -> Iterator[str]:
    yield _text(
        _LEFT - 8, top + 15, bar.label if len(bar.label) <= 34 else f"{bar.label[:33]}\u2026", 'text-anchor="end"'
    )
    edges = [_LEFT + _PLOT * percent / end for percent in accumulate(bar.parts, initial=0.0)]
    for left, right, colour in zip(edges, edges[1:], _COLOURS, strict=False):
        if right > left:
            yield f'<rect x="{left:.1f}" y="{top + 3}" width="{right - left:.1f}" height="{_ROW - 7}" fill="{colour}"/>'
    if bar.mark is not None:
        x = _LEFT + _PLOT * bar.mark / end
        yield f'<line x1="{x:.1f}" y1="{top + 1}" x2="{x:.1f}" y2="{top + _ROW - 2}" stroke="#c8553d" stroke-width="2"/>'
    yield _text(_LEFT + _PLOT + 10, top + 15, bar.note)


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}"{" " * bool(style)}{style}>{escape(text)}</text>'
