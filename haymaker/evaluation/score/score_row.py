"""The scores of one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.core.rows.require_columns import require_columns
from haymaker.evaluation.models.row_requests import is_base, metric_input
from haymaker.scoring.metrics import get

NEEDED = ("id", "group_id", "suite", "prompt", "system", "answer_prefix_start", "max_new_tokens", "stop", "metrics")
"""Columns of every row that requests and scoring need, in addition to the columns of its metrics."""
SCORE_COLUMNS = (
    "id", "suite", "metrics", "question", "answers", "answer_groups", "choices", "references", "output_constraints", "metadata",
    "max_new_tokens", "language", "category",
)  # fmt: skip
"""Columns that `score_row` needs for any metric of a chat model's output."""
_CHAT = ("metrics", "suite")
_BASE = (*_CHAT, "prompt", "answer_prefix_start")


def score_row(row: Mapping[str, Any], output: str, *, prompting: str = "chat") -> dict[str, float]:
    """Return the score of each metric of a row, 0 to 1; the first metric is the primary one.

    Metrics that need a judge model or cannot score this row are left out: use `haymaker.score` with a judge.

    Args:
        row: row of a release or a training stream, with the columns of its metrics.
        output: complete model output; reasoning is removed here.
        prompting: "chat", or "base" if the model continued the prompt.

    Raises:
        ParamsError: unknown prompting.
        ReleaseError: the row lacks a column.
    """
    base, scores = is_base(prompting), dict[str, float]()
    require_columns(row, _BASE if base else _CHAT)
    for metric in (metric for metric in map(get, row["metrics"]) if not metric.needs_model):
        require_columns(row, metric.columns)
        value, _ = metric.scored(metric_input(metric.id, row, output, base=base), row)
        if value is not None:
            scores[metric.id] = value
    return scores
