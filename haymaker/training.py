"""Training rows, drawn from the data of a project; the build half draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haymaker.core.entry_points import build_function

if TYPE_CHECKING:
    from datasets import IterableDataset


def training_stream(
    project: str | Path = ".",
    *,
    tasks: Mapping[str, int] | Sequence[str],
    lengths: Mapping[str, int] | Sequence[str],
    suite: str = "babilong",
    seed: int = 0,
    start: int = 0,
    samples: int | None = None,
    columns: Sequence[str] | None = None,
) -> IterableDataset:
    """Return training rows as a resumable `datasets.IterableDataset`; infinite unless `samples` is given.

    Args:
        project: folder of a project with prepared data (`haymaker run`).
        tasks: task names, or a whole-number weight for each; the tasks need not be part of the release.
        lengths: lengths such as "4k", or a weight for each. Weights count rows, not tokens.
        suite: the suite of the tasks.
        seed: selects the stream.
        start: number of the first row; to resume with another number of nodes, the number of rows used so far.
        samples: number of rows.
        columns: fields of the row (haymaker/core/rows/schema.py). Default: the fields for training and for `score_row`,
            and `messages` if the first row of a task is a conversation.

    Raises:
        HaymakerError: no build half, unprepared data, an unknown name, or no training text for a task or length.
    """
    options: dict[str, Any] = {} if columns is None else {"columns": columns}
    draw = build_function("training_stream")
    stream: IterableDataset = draw(
        project, tasks=tasks, lengths=lengths, suite=suite, seed=seed, start=start, samples=samples, **options
    )
    return stream
