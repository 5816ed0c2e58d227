"""Which of a summary's key points can be found in it, word by word, without a model (docs/spec/helmet.md 8, 11.6).

A row's `extra` has {"key_points": [{"text", "terms": [[alias, ...], ...], "origin"}, ...]}; `terms` are groups of aliases of which
a summary that makes the point has one each. This is recall alone: whether the rest of a summary is true cannot be known without a
judge (`judge_summary`), and a summary may hold the terms of a point and deny it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from haymaker.text import padded
from scoring.metrics import Metric
from scoring.text import normalise, said


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of the key points with terms, all groups of which the output holds as whole words.

    The reference asks a judge alone and has no such figure.
    """
    text = said(output)
    forms = padded(text), f" {normalise(text)} "
    points = _points(row)
    held = sum(all(any(_holds(forms, alias) for alias in group) for group in point) for point in points)
    return held / len(points) if points else 0.0


def lacks(row: Mapping[str, Any]) -> str:
    """Rows whose points only a judge can find are not scored."""
    return "" if _points(row) else "no key points with terms"


def _points(row: Mapping[str, Any]) -> list[list[list[str]]]:
    points = json.loads(row["extra"] or "{}").get("key_points") or []
    return [point["terms"] for point in points if point.get("terms")]


def _holds(forms: tuple[str, str], alias: str) -> bool:
    keys = padded(alias), f" {normalise(alias)} "
    return any(bool(key.strip()) and key in form for key, form in zip(keys, forms, strict=True))


METRICS = (
    Metric(
        "keypoints@strict", 2, "Share of key points whose terms the summary holds.", strict, ("extra",), lacks=lacks
    ),
)
