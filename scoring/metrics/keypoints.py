"""Which of a summary's key points can be found in it, word by word, without a model (docs/spec/helmet.md 8, 11.6).

A row's `extra` has {"key_points": [{"text", "terms": [[alias, ...], ...], "origin", "start", "end"}, ...]}; `terms` are groups of
aliases of which a summary that makes the point has one each. Points that the row does not show (`start` is null) do not count. This is recall alone: whether the rest of a summary is true cannot be known without a
judge (`judge_summary`), and a summary may hold the terms of a point and deny it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.judge import key_points
from scoring.metrics import Metric
from scoring.text import said, stands_in, word_forms


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of the key points with terms, all groups of which the output holds as whole words.

    The reference asks a judge alone and has no such figure.
    """
    forms, points = word_forms(said(output)), _points(row)
    held = sum(all(any(stands_in(alias, forms) for alias in group) for group in point) for point in points)
    return held / len(points) if points else 0.0


def lacks(row: Mapping[str, Any]) -> str:
    """Rows whose points only a judge can find are not scored."""
    return "" if _points(row) else "no key points with terms"


def _points(row: Mapping[str, Any]) -> list[list[list[str]]]:
    return [point["terms"] for point in key_points(row) if point.get("terms")]


METRICS = (
    Metric(
        "keypoints@strict", 6, "Share of key points whose terms the summary holds.", strict, ("extra",), lacks=lacks
    ),
)
