"""Prompt and scores of one row for evaluation harnesses, identical to `haymaker eval` and `haymaker score`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haymaker.evaluation.score.score_row import score_row

SCORE = "score"
"""Name of the score of a row's primary metric."""


def prompt_of(row: Mapping[str, Any], *, base: bool) -> str:
    """Return the prompt as one text: complete for a base model, which continues it; without the cue for a chat model."""
    return str(row["prompt"]) if base else str(row["prompt"])[: row["answer_prefix_start"]]


def scores(row: Mapping[str, Any], output: str, *, base: bool) -> dict[str, float]:
    """Return the scores of `score_row`, and the score of the primary metric as SCORE if it has one."""
    found = score_row(row, output, prompting="base" if base else "chat")
    primary = row["metrics"][0]
    return ({SCORE: found[primary]} if primary in found else {}) | found
