"""Keys of `suites.babilong`, checked and made whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from corpora.records import Part
from generators.babilong.placing import Placement
from generators.babilong.retrieval import Retrieval
from generators.task import Buckets, bucket_rows
from haymaker.errors import ParamsError
from haymaker.params import Name, Section, nearest, parse

Depths = Annotated[int, Field(ge=2, le=101)]


class BABILongParams(Section):
    """Keys of `suites.babilong`.

    Attributes:
        questions: source of bAbI stories.
        background: corpus to hide them in.
        buckets: rows per bucket, for tasks that give none of their own; a number means test rows.
        placement: uniform, quarter or grid (generators/babilong/placing.py).
        depths: points of the grid.
        retrieval: retriever whose ranks each row gets (generators/babilong/retrieval.py), or none.
    """

    questions: Name
    background: Name
    buckets: Buckets = Field(default_factory=dict)
    placement: Placement = "uniform"
    depths: Depths = 5
    retrieval: Retrieval = "none"


class BABILongTaskParams(Section):
    """Keys of `suites.babilong.tasks.<name>`; what is not given comes from the suite.

    Attributes:
        of: the bAbI task, when the entry's name is another (e.g. qa1_grid).
    """

    of: Name | None = None
    buckets: Buckets | None = None
    placement: Placement | None = None
    depths: Depths | None = None
    retrieval: Retrieval | None = None


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task entry with nothing left open.

    Attributes:
        name: as published.
        of: the bAbI task, qa1 .. qa20.
        placement: how facts are placed.
        points: rows per group (1, four quarters, or the points of the grid).
        rows: (bucket, part, rows), shortest bucket first.
        retrieval: the retriever, or "none".
    """

    name: str
    of: str
    placement: Placement
    points: int
    rows: tuple[tuple[str, Part, int], ...]
    retrieval: Retrieval = "none"


class Plans(dict[str, TaskPlan]):
    """The checked entries by name. A bAbI task without an entry has a plan too, the suite's own with no rows.

    Args:
        entries: name -> keys.
        suite: the suite's keys.
        known: names of the bAbI tasks.

    Raises:
        ParamsError: a mistake in an entry; when asked for, an unknown name.
    """

    def __init__(self, entries: Mapping[str, Any], suite: BABILongParams, known: Collection[str]) -> None:
        super().__init__({name: task_plan(name, values, suite, known) for name, values in entries.items()})
        self._suite, self._known = suite, known

    def __missing__(self, name: str) -> TaskPlan:
        if name not in self._known:
            raise ParamsError(
                f"unknown task {name!r}", where="suites.babilong", fix=nearest(name, {*self._known, *self})
            )
        return TaskPlan(name, name, self._suite.placement, _points(self._suite.placement, self._suite.depths), ())


def task_plan(name: str, values: Any, suite: BABILongParams, known: Collection[str]) -> TaskPlan:
    """Check one task entry against the suite's keys.

    Raises:
        ParamsError: unknown task or key, no buckets, no background, rows that the depths cannot share.
    """
    where = f"suites.babilong.tasks.{name}"
    task = parse(BABILongTaskParams, {} if values is None else values, where=where)
    of = task.of or name
    if of not in known:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, known))
    buckets = suite.buckets if task.buckets is None else task.buckets
    if not buckets:
        raise ParamsError("no buckets", where=where, fix="give buckets here or in suites.babilong.buckets")
    placement = task.placement or suite.placement
    points = _points(placement, task.depths or suite.depths)
    rows = bucket_rows(buckets, points, "depths", where)
    return TaskPlan(name, of, placement, points, rows, task.retrieval or suite.retrieval)


def _points(placement: Placement, depths: int) -> int:
    """Rows per group."""
    return {"uniform": 1, "quarter": 4, "grid": depths}[placement]
