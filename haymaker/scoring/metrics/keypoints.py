"""Key points of a summary, found by their words without a model (docs/spec/helmet.md 8, 11.6).

`metadata` has {"key_points": [{"text", "terms": [[alias, ...], ...], "origin", "start", "end"}, ...]}. A summary makes a
point if it has an alias of each group of `terms`. Points with `start` null do not count. Denied points count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.core.text.equivalents import equivalents
from haymaker.scoring.judges.judge import key_points
from haymaker.scoring.metrics import Metric
from haymaker.scoring.reader import canonical, long_text

ROOM = 1.5
"""Maximum length of a summary without a penalty, as a multiple of the words of the longest reference."""


def strict(output: str, row: Mapping[str, Any]) -> float:
    """Share of key points whose term groups all occur as whole words; times ROOM * reference words / words if longer.

    The reference uses a judge and has no such metric.
    """
    words, points = canonical(long_text(output, row)).split(), _points(row)
    text = f" {' '.join(words)} "
    allowed = ROOM * max((len(canonical(each).split()) for each in row["references"] or ()), default=0)
    made = sum(all(any(_occurs(alias, text) for alias in group) for group in point) for point in points)
    length = allowed / len(words) if allowed and len(words) > allowed else 1.0
    return length * made / len(points) if points else 0.0


def _occurs(alias: str, text: str) -> bool:
    """Return whether an alias, or another way to write it, is among the words of a text."""
    return f" {canonical(alias)} " in text or any(f" {canonical(form)} " in text for form in equivalents(alias))


def missing_requirements(row: Mapping[str, Any]) -> str:
    """Return why a row cannot be scored (only a judge can find its points), or an empty string."""
    return "" if _points(row) else "no key points with terms"


def _points(row: Mapping[str, Any]) -> list[list[list[str]]]:
    return [point["terms"] for point in key_points(row) if point.get("terms")]


_DOC = "Share of key points whose terms are in the summary, reduced if the summary is much longer than the reference."
METRICS = (Metric("keypoints@strict", 7, _DOC, strict, ("metadata", "references"), lacks=missing_requirements),)
