"""Keys of `suites.helmet`, checked and made whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from corpora.records import Part
from generators.helmet.catalogue import KINDS, Kind
from generators.task import Buckets, bucket_rows
from haymaker.buckets import NO_BACKGROUND
from haymaker.errors import ParamsError
from haymaker.params import Name, Section, nearest, parse

Order = Literal["retrieval", "shuffled"]


class HELMETParams(Section):
    """Keys of `suites.helmet`.

    Attributes:
        buckets: rows per bucket, for tasks that give none of their own; a number means test rows.
    """

    buckets: Buckets = Field(default_factory=dict)


class HELMETTaskParams(Section):
    """Keys of `suites.helmet.tasks.<name>`; what is not given is as in the reference (spec/helmet.md 5-7).

    Attributes:
        of: the HELMET task, when the entry's name is another (e.g. kilt_nq_shuffled).
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
        name: as published.
        of: the HELMET task.
        kind: what that task is.
        mined: the set of mined questions.
        points: rows per group, side by side: depths or permutations.
        order: of passages.
        shots: worked examples.
        rows: (bucket, part, rows), shortest bucket first.
    """

    name: str
    of: str
    kind: Kind
    mined: str
    points: int
    order: Order
    shots: int
    rows: tuple[tuple[str, Part, int], ...]


def task_plans(entries: Mapping[str, Any], suite: HELMETParams) -> dict[str, TaskPlan]:
    """The checked entries by name.

    Raises:
        ParamsError: a mistake in an entry.
    """
    return {name: _plan(name, values, suite) for name, values in entries.items()}


def _plan(name: str, values: Any, suite: HELMETParams) -> TaskPlan:
    where = f"suites.helmet.tasks.{name}"
    task = parse(HELMETTaskParams, {} if values is None else values, where=where)
    of = task.of or name
    if of not in KINDS:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, KINDS))
    kind = KINDS[of]
    order = task.order or kind.order
    points = _points(task, kind, order, where)
    shots = kind.shots if task.shots is None else task.shots
    rows = _rows(suite.buckets if task.buckets is None else task.buckets, points, where)
    if not rows:
        raise ParamsError("no buckets", where=where, fix="give buckets here or in suites.helmet.buckets")
    return TaskPlan(name, of, kind, task.mined, points, order, shots, rows)


def _points(task: HELMETTaskParams, kind: Kind, order: Order, where: str) -> int:
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
