"""Keys of `suites.synthetic`, checked and made whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from generators.synthetic.family import Kind, TaskPlan
from generators.task import BucketParams, Buckets, bucket_rows
from haymaker.buckets import NO_BACKGROUND
from haymaker.errors import ParamsError
from haymaker.params import Name, nearest, parse


class SyntheticParams(BucketParams):
    """Keys of `suites.synthetic`.

    Attributes:
        background: corpus that needles are hidden in, for tasks with a haystack of prose.
    """

    background: Name


class _Entry(BaseModel):
    """Keys of `suites.synthetic.tasks.<name>` that all families share; the others are the family's settings.

    Attributes:
        of: the task, when the entry's name is another (e.g. niah_dense).
        buckets: rows per bucket.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    of: Name | None = None
    buckets: Buckets | None = None


def task_plans(kinds: Mapping[str, Kind], entries: Mapping[str, Any], suite: SyntheticParams) -> dict[str, TaskPlan]:
    """The checked entries by name.

    Raises:
        ParamsError: a mistake in an entry.
    """
    return {name: _plan(kinds, name, values, suite) for name, values in entries.items()}


def _plan(kinds: Mapping[str, Kind], name: str, values: Any, suite: SyntheticParams) -> TaskPlan:
    where = f"suites.synthetic.tasks.{name}"
    entry = parse(_Entry, {} if values is None else values, where=where)  # type: ignore[type-var]
    of = entry.of or name
    if of not in kinds:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, kinds))
    kind = kinds[of]
    given = {**kind.settings, **(entry.model_extra or {})}
    settings = parse(kind.family.settings_type, given, where=where)
    buckets = suite.buckets if entry.buckets is None else entry.buckets
    if NO_BACKGROUND in buckets:
        raise ParamsError(
            "this suite has no rows without a context", where=f"{where}.buckets.{NO_BACKGROUND}", fix="drop it"
        )
    rows = bucket_rows(buckets, kind.family.points(settings), "depths or variants of each group", where)
    if not rows:
        raise ParamsError("no buckets", where=where, fix="give buckets here or in suites.synthetic.buckets")
    return TaskPlan(name, of, kind, settings, rows)
