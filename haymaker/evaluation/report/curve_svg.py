"""Coordinates of a score curve in SVG: lengths from left to right, scores from 0 to 100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

WIDE, HIGH = 320, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 12, 10, 26
STYLES = 6  # distinct line styles (colour, dashes and marks); then they repeat


class CurveLine(NamedTuple):
    """One model in a picture.

    Attributes:
        model: number of the model.
        style: line style, 0 to STYLES - 1.
        points: "x,y x,y ...".
        band: outline of the 95 % interval; "" if there is none.
        marks: x, y and tooltip of each point.
    """

    model: int
    style: int
    points: str
    band: str
    marks: list[tuple[float, float, str]]


class CurvePicture(NamedTuple):
    """A curve over lengths.

    Attributes:
        lines: one per model with scores.
        ticks: x and label of each length.
        rules: y and label of each level.
        left, right, bottom: edges of the plot area.
    """

    lines: list[CurveLine]
    ticks: list[tuple[float, str]]
    rules: list[tuple[float, str]]
    left: int
    right: int
    bottom: int


def draw_curve(task: Mapping[str, Any]) -> CurvePicture:
    """Return the curve of a task from `ScoreTables.tasks`."""
    lengths = task["curve"]
    step = (WIDE - _LEFT - _RIGHT) / (len(lengths) - 1)
    across = {length: round(_LEFT + number * step, 1) for number, length in enumerate(lengths)}
    lines = [_line(number, of, across) for number, of in enumerate(task["at"])]
    rules = [(_up(share / 4), str(25 * share)) for share in range(5)]
    ticks = [(x, length) for length, x in across.items()]
    return CurvePicture([line for line in lines if line.marks], ticks, rules, _LEFT, WIDE - _RIGHT, HIGH - _BOTTOM)


def _up(share: float) -> float:
    return round(HIGH - _BOTTOM - min(1.0, share) * (HIGH - _TOP - _BOTTOM), 1)


def _line(number: int, of: Mapping[str, Mapping[str, Any]], across: Mapping[str, float]) -> CurveLine:
    there = [(x, of[length]) for length, x in across.items() if length in of and of[length]["mean"] is not None]
    marks = [(x, _up(cell["mean"]), f"{cell['length']}: {100 * cell['mean']:.1f}") for x, cell in there]
    sure: Sequence[Any] = [(x, cell) for x, cell in there if cell["low"] is not None]
    upper = [f"{x},{_up(cell['high'])}" for x, cell in sure]
    lower = [f"{x},{_up(cell['low'])}" for x, cell in reversed(sure)]
    band = " ".join(upper + lower) if len(sure) > 1 else ""
    return CurveLine(number, number % STYLES, " ".join(f"{x},{y}" for x, y, _ in marks), band, marks)
