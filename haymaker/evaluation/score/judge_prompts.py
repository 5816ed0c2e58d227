"""haymaker score --judge-prompts: write the requests to a judge about outputs (haymaker/scoring/judges/judge.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.output_files import check_replaceable, first_line_has
from haymaker.core.progress import say
from haymaker.core.rows.model_requests import Request, write_requests
from haymaker.evaluation.predictions import read_outputs
from haymaker.releases.folder import rows
from haymaker.releases.selection import TEST_ROWS, Selection
from haymaker.scoring.judges import judge
from haymaker.scoring.longgen import figures as longgen
from haymaker.scoring.longgen.entries import COLUMNS


def write_judge_prompts(release: Path, predictions: Path, file: Path, selection: Selection = TEST_ROWS) -> None:
    """Write the requests to a judge about outputs, one JSON line per call.

    Args:
        release: release folder.
        predictions: JSON lines with `id` and `output`.
        file: file to write.
        selection: rows to judge.

    Raises:
        ReleaseError: a line without id and output, a repeated id, or no row has a metric that needs a judge.
    """
    check_replaceable(file, "--judge-prompts", "file of prompts for a judge", first_line_has(("id", "call", "prompt")))
    outputs = read_outputs(predictions)
    calls = write_requests(file, _at_least_one(_requests(release, outputs, selection), predictions))
    say(
        f"{calls} calls in {file}. Next: haymaker ask {file} --out REPLIES --model NAME, then score with --replies REPLIES"
    )


def _requests(release: Path, outputs: Mapping[str, str], selection: Selection) -> Iterator[Request]:
    is_selected = selection.row_filter(release)
    for row in rows(release, _columns):
        if row["id"] in outputs and is_selected(row["id"], (row["suite"], row["task"], row["length"])):
            output = outputs[row["id"]]
            calls = chain(judge.prompts(row, output), longgen.prompts(row, output))
            yield from (Request(row["id"], call, text) for call, text in calls)


def _at_least_one(requests: Iterator[Request], predictions: Path) -> Iterator[Request]:
    """Yield the requests; raise an error if there are none."""
    first = next(requests, None)
    if first is None:
        raise ReleaseError("no output belongs to a row that is scored by a judge", where=str(predictions))
    yield first
    yield from requests


def _columns(first: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the columns needed for judge prompts; None if no judge scores the rows of the file."""
    judged = any(metric.partition("@")[0] in judge.CALLS for metric in first["metrics"])
    return (*judge.COLUMNS * judged, *COLUMNS * longgen.is_judged(first)) or None
