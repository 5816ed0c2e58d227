"""haymaker score --judge-prompts: what a judge is to be asked about outputs (scoring/judge.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from haymaker.errors import ReleaseError
from haymaker.files import written
from pipelines.progress import say
from pipelines.release import read_outputs, rows
from scoring import judge


def write_judge_prompts(release: Path, predictions: Path, file: Path) -> None:
    """Write what a judge is to be asked about outputs, one JSON line per call.

    Args:
        release: its folder.
        predictions: JSON lines with `id` and `output`.
        file: to write.

    Raises:
        ReleaseError: a line without id and output, an id twice, or no row has a metric that a judge decides.
    """
    outputs = read_outputs(predictions)
    calls = 0
    with (
        written(file) as path,
        path.open("w", encoding="utf-8", errors="replace") as lines,
    ):  # half a surrogate pair is "?"
        for row in rows(release, lambda first: judge.COLUMNS if _judged(first) else None):
            if row["id"] in outputs:
                for call, prompt in judge.prompts(row, outputs[row["id"]]):
                    lines.write(
                        json.dumps({"id": row["id"], "call": call, "prompt": prompt}, ensure_ascii=False) + "\n"
                    )
                    calls += 1
        if not calls:
            raise ReleaseError("no output is for a row that a judge scores", where=str(predictions))
    say(f"{calls} calls in {file}; answer each with a line of id, call and reply, then score with --replies")


def _judged(row: Mapping[str, Any]) -> bool:
    return any(metric.partition("@")[0] in judge.CALLS for metric in row["metrics"])
