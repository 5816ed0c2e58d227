"""Keys of tasks on long documents, checked and made whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from corpora.records import Part
from generators.helmet.reading.catalogue import KINDS, Kind
from generators.task import Buckets, bucket_rows
from haymaker.buckets import NO_BACKGROUND
from haymaker.errors import ParamsError
from haymaker.params import Name, Section, nearest, parse

Cut = Literal["window", "beginning"]


class ReadingTaskParams(Section):
    """Keys of `suites.helmet.tasks.<name>`.

    Attributes:
        of: the task, when the entry's name is another (e.g. narrativeqa_embedded).
        readings: the collection of documents with questions.
        buckets: rows per bucket.
        shots: worked examples: question and answer alone, from other documents.
        embedded: whether other documents stand around the one that is asked about.
        cut: of a document that is longer than the bucket: sentences around the evidence where it is known, or always the beginning.
    """

    of: Name | None = None
    readings: Name
    buckets: Buckets | None = None
    shots: Annotated[int, Field(ge=0, le=8)] = 2
    embedded: bool = False
    cut: Cut = "window"


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task entry with nothing left open; attributes as in ReadingTaskParams.

    Attributes:
        name: as published.
        kind: what the task is.
        rows: (bucket, part, rows), shortest bucket first.
    """

    name: str
    of: str
    kind: Kind
    readings: str
    shots: int
    embedded: bool
    cut: Cut
    rows: tuple[tuple[str, Part, int], ...]


def task_plans(suite: str, entries: Mapping[str, Any], buckets: Buckets) -> dict[str, TaskPlan]:
    """The checked entries by name.

    Args:
        suite: name, for error lines.
        entries: of the parameters.
        buckets: rows per bucket, for tasks that give none of their own.

    Raises:
        ParamsError: a mistake in an entry.
    """
    return {name: _plan(f"suites.{suite}", name, values, buckets) for name, values in entries.items()}


def _plan(suite: str, name: str, values: Any, buckets: Buckets) -> TaskPlan:
    where = f"{suite}.tasks.{name}"
    task = parse(ReadingTaskParams, {} if values is None else values, where=where)
    of = task.of or name
    if of not in KINDS:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, KINDS))
    given = buckets if task.buckets is None else task.buckets
    if NO_BACKGROUND in given:
        raise ParamsError("a document has a length", where=f"{where}.buckets.{NO_BACKGROUND}", fix="drop it")
    rows = bucket_rows(given, 1, "", where)
    if not rows:
        raise ParamsError("no buckets", where=where, fix=f"give buckets here or in {suite}.buckets")
    return TaskPlan(name, of, KINDS[of], task.readings, task.shots, task.embedded, task.cut, rows)
