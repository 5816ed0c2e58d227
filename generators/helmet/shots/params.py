"""Keys of tasks over labelled texts, checked and made whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from corpora.records import Part
from generators.helmet.shots.kinds import KINDS, Kind
from generators.task import Buckets, bucket_rows
from haymaker.buckets import NO_BACKGROUND
from haymaker.errors import ParamsError
from haymaker.params import Name, Section, nearest, parse

Shown = Literal["numbers", "natural"]


class CountingParams(Section):
    """Keys of `suites.helmet.tasks.<name>` for icl_aggregate.

    Attributes:
        of: the task, when the entry's name is another.
        examples: the set of labelled texts.
        buckets: rows per bucket.
    """

    of: Name | None = None
    examples: Name
    buckets: Buckets | None = None


class LearningParams(CountingParams):
    """The same for the five tasks of the reference.

    Attributes:
        labels: shown as numbers that each row deals out anew, or by their names.
        repeats: start a label's texts over when all were shown, as the reference does; else the label drops out, and the
            material ends when all texts were shown.
        balance_eval: take the questions in rounds of one per label; else in random order.
    """

    labels: Shown = "numbers"
    repeats: bool = False
    balance_eval: bool = True


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task entry with nothing left open.

    Attributes:
        name: as published.
        of: the task of the catalogue.
        kind: what that task is.
        examples: the set of labelled texts.
        labels, repeats, balance_eval: see LearningParams.
        rows: (bucket, part, rows), shortest bucket first.
    """

    name: str
    of: str
    kind: Kind
    examples: str
    labels: Shown
    repeats: bool
    balance_eval: bool
    rows: tuple[tuple[str, Part, int], ...]

    @property
    def variant(self) -> str | None:
        """How its rows differ from the plain task's, so that no mean of that task takes them in; None where they do not."""
        named = ["natural"] * (self.labels == "natural") + ["repeats"] * self.repeats
        return "-".join(named) or None


def task_plans(suite: str, entries: Mapping[str, Any], buckets: Buckets) -> dict[str, TaskPlan]:
    """The checked entries by name.

    Args:
        suite: name, for keys and error lines.
        entries: of the parameters.
        buckets: rows per bucket, for tasks that give none of their own.

    Raises:
        ParamsError: a mistake in an entry.
    """
    return {name: _plan(suite, name, values, buckets) for name, values in entries.items()}


def _plan(suite: str, name: str, values: Any, buckets: Buckets) -> TaskPlan:
    where = f"suites.{suite}.tasks.{name}"
    given = {} if values is None else values
    of = str(given.get("of") or name) if isinstance(given, Mapping) else name
    if of not in KINDS:
        raise ParamsError(f"unknown task {of!r}", where=where, fix=nearest(of, KINDS))
    kind = KINDS[of]
    task: CountingParams = parse(LearningParams if kind.family == "label" else CountingParams, given, where=where)
    wanted = buckets if task.buckets is None else task.buckets
    if NO_BACKGROUND in wanted:
        raise ParamsError("no rows without shots", where=f"{where}.buckets.{NO_BACKGROUND}", fix="drop it")
    rows = bucket_rows(wanted, 1, "", where)
    if not rows:
        raise ParamsError("no buckets", where=where, fix=f"give buckets here or in suites.{suite}.buckets")
    learning = task if isinstance(task, LearningParams) else LearningParams(examples=task.examples)
    return TaskPlan(
        name, of, kind, task.examples, learning.labels, learning.repeats, learning.balance_eval, rows
    )  # fmt: skip
