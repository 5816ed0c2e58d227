"""Endless training rows from the prepared data of a project: any task, any mix of lengths (docs/reference/training.md).

Streams use only training text and training questions. Row i depends on the release, the seed and mix of the stream, and
i, so any worker can build it at any time, without the rows before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from corpora.tokenizers.tokenizer import COUNTING_VERSION
from generators.inputs import KINDS
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import sha256_file
from haymaker.core.params import Length, Section, nearest, parse
from haymaker.core.rng import digest
from haymaker.core.rows.schema import Sample, Span, arrow_schema
from pipelines.execution.worker_state import payload, suite_of
from pipelines.project import Project
from pipelines.training.mix import Mix

if TYPE_CHECKING:
    from datasets import IterableDataset

STREAM_VERSION = 1  # increase it when rows of streams change but rows of releases do not
ENDLESS = 1 << 62  # rows
COLUMNS = (
    "id", "group_id", "suite", "task", "length", "category", "language", "prompt", "system", "question", "answers", "answer_groups",
    "choices", "answer_index", "references", "prompt_tokens", "max_new_tokens", "stop", "context_start", "context_end", "answer_prefix_start",
    "spans", "metrics", "output_constraints", "metadata",
)  # fmt: skip
"""Default columns: the ones needed for training, `haymaker.messages` and `haymaker.score_row`; and `messages` of conversations."""
_WHERE = "training_stream"


def _weights(given: Any) -> Any:
    """Give names without weights the weight 1."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence):
        return names
    if len(set(map(str, names))) < len(names):
        raise ValueError("a name is repeated; give weights instead")
    return dict.fromkeys(names, 1)


Weight = Annotated[int, Field(strict=True, ge=1)]


class StreamParams(Section):
    """Parameters of training_stream()."""

    tasks: Annotated[dict[str, Weight], BeforeValidator(_weights), Field(min_length=1)]
    lengths: Annotated[dict[Length, Weight], BeforeValidator(_weights), Field(min_length=1)]
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**63)]
    start: Annotated[int, Field(strict=True, ge=0, lt=ENDLESS)]
    samples: Annotated[int, Field(strict=True, ge=1, le=ENDLESS)] | None
    columns: Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True)
class StreamRecipe:
    """Recipe for the rows of a stream, small enough to send to worker processes.

    Attributes:
        sent: parameters and data folder.
        suite: suite of the tasks.
        params: tasks, lengths, seed, columns.
        digest: hash of everything that determines the rows, except their columns.
    """

    sent: dict[str, Any]
    suite: str
    params: StreamParams
    digest: str

    @cached_property
    def _mix(self) -> Mix:
        return Mix(self.params.tasks, self.params.lengths, self.params.seed)

    def row(self, number: int) -> dict[str, Any]:
        """Return the row with a number."""
        built, place = suite_of(self.sent, self.suite), self._mix.place(number)
        return _row(built.draw(place.task, place.length, self.params.seed, number, place.turn), self.params.columns)


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
    """Return the stream of `haymaker.training_stream`, which describes the arguments and errors."""
    options: dict[str, Any] = {} if columns is None else {"columns": columns}
    recipe = recipe_for(
        project, suite, tasks=tasks, lengths=lengths, seed=seed, start=start, samples=samples, **options
    )
    from pipelines.training.dataset import dataset

    numbers = range(start, ENDLESS if samples is None else start + samples)
    stream = dataset(recipe.row, recipe.params.columns, numbers)
    stream.info.description = f"haymaker stream {recipe.digest}"
    return stream


def recipe_for(project: str | Path, suite: str, **options: Any) -> StreamRecipe:
    """Check the options, try each task and length once, and return the recipe for training_stream() and workers."""
    params = parse(StreamParams, {"columns": COLUMNS} | options, where=_WHERE)
    for column in params.columns:
        if column not in arrow_schema().names:
            raise ParamsError(f"unknown column {column!r}", where=_WHERE, fix=nearest(column, arrow_schema().names))
    home = Project(Path(project).resolve())
    sent = payload(home)
    sent["state"] = _prepared(home, suite_of(sent, suite), params.tasks)
    built = suite_of(sent, suite)
    mix = Mix(params.tasks, params.lengths, params.seed)
    known: list[Any] = [STREAM_VERSION, COUNTING_VERSION, params.seed, mix.weights]
    conversations = False
    for task in sorted(params.tasks):
        for length in sorted(params.lengths):
            sample = built.draw(task, length, params.seed, 0, 0)
            _row(sample, params.columns)
            conversations |= sample.messages is not None
            known.append(built.fingerprint(Table(suite, task, length, "train", 0)))
    if conversations and "columns" not in options:
        params = params.model_copy(update={"columns": (*COLUMNS, "messages")})
    return StreamRecipe(sent, suite, params, digest(json.dumps(known, sort_keys=True)).hex())


def _prepared(home: Project, built: ReleaseSuite, tasks: Iterable[str]) -> str:
    """Return a digest of the inputs of the tasks after checking that they exist."""
    marks = []
    for use in dict.fromkeys(use for task in sorted(tasks) for use in built.task(task).uses()):
        kind = KINDS[use.kind]
        if why := home.inputs.unavailable(use):
            raise ReleaseError(
                f"cannot be used: {why}", where=f"{kind.key}.{use.name}", fix="get that source, then haymaker run"
            )
        if not kind.is_here(home.data, use.name):
            place = kind.path(home.data, use.name).relative_to(home.root).as_posix()
            raise ReleaseError("not prepared", where=place, fix=f"haymaker run in {home.root}")
        marks.append(sha256_file(home.data / kind.mark.format(name=use.name)))
    return digest(*marks).hex()


def _row(sample: Sample, columns: Sequence[str]) -> dict[str, Any]:
    """Return a sample in the form of a Parquet row."""
    row = {name: getattr(sample, name) for name in columns}
    if "prompt" in row:
        row["prompt"] = sample.text
    if "spans" in row:
        row["spans"] = [{name: getattr(span, name) for name in Span.__slots__} for span in sample.each_span()]
    return row
