"""One row in another program: what it asks, and what an output is worth, as `haymaker eval` and `haymaker score` have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipelines.models.rows import heard
from scoring.metrics import get

SCORE = "score"
"""What the first metric of a row says."""
NEEDED = ("id", "group_id", "suite", "prompt", "system", "cue_start", "max_new_tokens", "stop", "metrics")
"""Columns that every row is asked and scored by, beside those of its metrics."""


def asked(row: Mapping[str, Any], *, base: bool) -> str:
    """The prompt: whole for a model that continues it, without its cue for one that replies."""
    prompt = str(row["prompt"])
    return prompt if base else prompt[: row["cue_start"]]


def scores(row: Mapping[str, Any], output: str, *, base: bool) -> dict[str, float]:
    """The score of each metric of a row, 0 to 1, and that of the first as SCORE; without those that cannot be computed here.

    Args:
        row: with NEEDED and the columns of its metrics.
        output: of a model.
        base: whether the model continued the prompt.
    """
    found: dict[str, float] = {}
    for metric in (metric for metric in map(get, row["metrics"]) if not metric.needs_model):
        value, _ = metric.scored(heard(metric.id, row, output, base=base), row)
        if value is not None:
            found |= {SCORE: value} if metric.id == row["metrics"][0] else {}
            found[metric.id] = value
    return found
