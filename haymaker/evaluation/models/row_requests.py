"""Rows of a release as requests to a model, for `haymaker eval` and `haymaker export openai_jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from haymaker.core.choices import PROMPTINGS, check_choice
from haymaker.core.errors import ReleaseError
from haymaker.core.rows.model_requests import Request
from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.releases.folder import ANSWER
from haymaker.releases.messages import messages
from haymaker.releases.selection import Selection

_HELMET, _BY_HELMET = "helmet", ("kv@official",)
_COLUMNS = ("id", "prompt", "messages", "system", "answer_prefix_start", "max_new_tokens", "stop")


def is_base(prompting: str) -> bool:
    """Check whether the model continues the prompt under this prompting."""
    return check_choice(prompting, PROMPTINGS, "prompting", "--prompting") == "base"


def reads_cue(metric: str, suite: str, *, base: bool) -> bool:
    """Check whether a metric reads the cue of the prompt before the output: HELMET's own metrics for base models."""
    own = suite == _HELMET and metric.endswith("@official") and not metric.startswith("infbench_")
    return base and (own or metric in _BY_HELMET)


def metric_input(metric: str, row: Mapping[str, Any], output: str, *, base: bool) -> str:
    """Return the text that a metric scores: the output, with the cue of the prompt before it if the metric reads it."""
    return (
        str(row["prompt"][row["answer_prefix_start"] :]) + output
        if reads_cue(metric, row["suite"], base=base)
        else output
    )


def row_requests(release: Path, choice: Selection, *, base: bool, thinking_tokens: int = 0) -> Iterator[Request]:
    """Yield one request per row, in the order of the release's files; duplicate rows of the small set are skipped.

    A base model continues the whole prompt; a chat model gets the messages of a conversation, or the prompt without the
    cue, and no stop strings. `thinking_tokens` are output tokens for reasoning, in addition to the answer budget.
    """
    met: set[str] = set()
    for name in choice.files(release):
        for table in read_row_groups(release / name, _COLUMNS):
            for row in to_rows(table, release / name):
                if row["id"] not in met:
                    met.add(row["id"])
                    yield _request(row, base, thinking_tokens)
    if not met:
        raise ReleaseError("no rows match this selection", where=str(choice), fix="select other rows")


def _request(row: Mapping[str, Any], base: bool, thinking_tokens: int) -> Request:
    most = row["max_new_tokens"] + thinking_tokens
    if base:
        return Request(row["id"], ANSWER, row["prompt"], most, "", tuple(row["stop"] or ()))
    if row["messages"]:
        return Request(row["id"], ANSWER, "", most, messages=tuple(messages(row)))
    return Request(row["id"], ANSWER, messages(row)[-1]["content"], most, row["system"] or "")
