"""haymaker score --explain: how the strict metrics of one row read an output, step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.progress import out
from haymaker.core.text.strings import visible
from haymaker.evaluation.predictions import read_outputs
from haymaker.releases.find_row import near_id, near_id_of
from haymaker.releases.folder import rows
from haymaker.releases.pulled.partial_pull import files_not_pulled, not_pulled
from haymaker.scoring.metrics import Metric, all_metrics
from haymaker.scoring.reader import budget_of, canonical, watched

LONGEST = 1_000
"""Characters of a text that are printed: half from its beginning, half from its end."""
_SHOWN = ("question", "answers", "answer_groups")
_STEPS = ("strip_reasoning", "final_answer", "canonical")


def show(release: Path, predictions: Path, row_id: str) -> None:
    """Print what each step of the answer reader returned for one row.

    Args:
        release: its folder.
        predictions: JSON lines with `id` and `output`.
        row_id: id of the row.

    Raises:
        ReleaseError: the outputs or the release do not contain the id, or the outputs cannot be read.
    """
    outputs = read_outputs(predictions)
    if row_id not in outputs:
        what = f"contains no output with the id {row_id!r:.200}"
        raise ReleaseError(what, where=str(predictions), fix=near_id(row_id, outputs))
    found = rows(
        release, lambda file: (*_SHOWN, *(column for metric in _explained(file) for column in metric.columns)), {row_id}
    )
    if (row := next(found, None)) is None:
        if absent := files_not_pulled(release, [row_id]):
            raise not_pulled(release, absent)
        raise ReleaseError(f"no row {row_id!r:.200}", where=str(release), fix=near_id_of(release, row_id))
    _print(row, outputs[row_id])


def _explained(row: Mapping[str, Any]) -> list[Metric]:
    """Return the metrics of a row that use the answer reader: strict metrics without a judge model."""
    known = all_metrics()  # a release of an older version may name others
    strict = [known[metric] for metric in row["metrics"] if metric in known and metric.endswith("@strict")]
    return [metric for metric in strict if not metric.needs_model]


def _print(row: Mapping[str, Any], output: str) -> None:
    groups = row["answer_groups"] or [row["answers"]]
    accepted = "\n".join(" | ".join(f"{answer} [{canonical(answer)}]" for answer in group) for group in groups)
    budget = f"{characters:,} characters" if (characters := budget_of(row)) else "no limit"
    _section(row=row["id"], question=row["question"], accepted=accepted, output=output, budget=budget)
    read: dict[tuple[object, ...], dict[str, str]] = defaultdict(dict)
    for metric in _explained(row):
        with watched() as steps:
            try:
                score, why = metric.scored(output, row)
            except HaymakerError as error:
                score, why = None, error.what
        result = why if score is None else f"{score:.3f}"
        read[tuple(map(steps.get, _STEPS))][metric.id] = f"{result}  {steps.get('compare', '')}".rstrip()
    for values, scores in read.items():
        out.print()
        _section(**dict(zip(_STEPS, values, strict=True)), **scores)


def _section(**texts: object) -> None:
    """Print names and texts in two columns; other values than texts are left out."""
    grid = Grid(show_header=False, box=None, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in texts.items():
        if isinstance(text, str):
            cut = len(text) - LONGEST
            short = f"{text[: LONGEST // 2]}\n... {cut:,} characters ...\n{text[-LONGEST // 2 :]}" if cut > 0 else text
            grid.add_row(Text(visible(name), style="dim"), Text(visible(short) or "(empty)"))
    out.print(grid)
