"""Keys of tasks over passages, checked and made whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from corpora.records import Part
from generators.passages.kinds import Kind
from generators.task import Buckets, bucket_rows
from haymaker.buckets import NO_BACKGROUND
from haymaker.errors import ParamsError
from haymaker.params import Name, Section, nearest, parse

Order = Literal["retrieval", "shuffled"]


class PassageTaskParams(Section):
    """Keys of `suites.<suite>.tasks.<name>`; what is not given is as in the reference (spec/helmet.md 5-7).

    Attributes:
        of: the task, when the entry's name is another (e.g. kilt_nq_shuffled).
        mined: the set of mined questions.
        buckets: rows per bucket.
        depths: places of the gold, evenly from first to last passage (tasks that place one gold).
        permutations: orders of the same passages (the other tasks).
        order: of the passages around the gold: as ranked by retrieval, or shuffled.
        shots: worked examples, from questions of part train.
    """

    of: Name | None = None
    mined: Name
    buckets: Buckets | None = None
    depths: Annotated[int, Field(ge=2, le=101)] | None = None
    permutations: Annotated[int, Field(ge=1, le=100)] | None = None
    order: Order | None = None
    shots: Annotated[int, Field(ge=0, le=8)] | None = None


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task entry with nothing left open.

    Attributes:
        suite: whose task it is.
        name: as published.
        of: the task of the catalogue.
        kind: what that task is.
        mined: the set of mined questions.
        points: rows per group, side by side: depths or permutations.
        order: of passages.
        shots: worked examples.
        rows: (bucket, part, rows), shortest bucket first.
    """

    suite: str
    name: str
    of: str
    kind: Kind
    mined: str
    points: int
    order: Order
    shots: int
    rows: tuple[tuple[str, Part, int], ...]


def task_plans(
    suite: str, kinds: Mapping[str, Kind], entries: Mapping[str, Any], buckets: Buckets
) -> dict[str, TaskPlan]:
    """The checked entries by name.

    Args:
        suite: name, for keys and error lines.
        kinds: its catalogue.
        entries: of the parameters.
        buckets: rows per bucket, for tasks that give none of their own.

    Raises:
        ParamsError: a mistake in an entry.
    """
    return {name: _plan(suite, kinds, name, values, buckets) for name, values in entries.items()}


def _plan(suite: str, kinds: Mapping[str, Kind], name: str, values: Any, buckets: Buckets) -> TaskPlan:
    where = f"suites.{suite}.tasks.{name}"
    task = parse(PassageTaskParams, {} if values is None else values, where=where)
    of = task.of or name
    if of not in kinds:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, kinds))
    kind = kinds[of]
    order = task.order or kind.order
    points = _points(task, kind, order, where)
    shots = kind.shots if task.shots is None else task.shots
    rows = _rows(buckets if task.buckets is None else task.buckets, points, where)
    if not rows:
        raise ParamsError("no buckets", where=where, fix=f"give buckets here or in suites.{suite}.buckets")
    return TaskPlan(suite, name, of, kind, task.mined, points, order, shots, rows)


def _points(task: PassageTaskParams, kind: Kind, order: Order, where: str) -> int:
    """Rows per group.

    Raises:
        ParamsError: the task has no such knob, or several permutations of one order are asked for.
    """
    given, other = ("depths", "permutations") if kind.placed else ("permutations", "depths")
    if getattr(task, other) is not None:
        raise ParamsError(f"this task has no {other}", where=f"{where}.{other}", fix=f"use {given}")
    points: int = getattr(task, given) or kind.points
    if not kind.placed and order == "retrieval" and points > 1:
        raise ParamsError(
            f"{points} permutations of passages in the order of retrieval would be the same row",
            where=f"{where}.order", fix="use order: shuffled, or permutations: 1",
        )  # fmt: skip
    return points


def _rows(buckets: Buckets, points: int, where: str) -> tuple[tuple[str, Part, int], ...]:
    if NO_BACKGROUND in buckets:
        raise ParamsError(
            "this suite has no rows without passages", where=f"{where}.buckets.{NO_BACKGROUND}", fix="drop it"
        )
    return bucket_rows(buckets, points, "places or orders of each question", where)
