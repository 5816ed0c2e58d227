"""A suite that is made of several kinds of tasks: each entry of the parameters goes to the branch that knows its task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from operator import or_
from typing import Any, ClassVar

from generators.inputs import Inputs, Uses
from generators.task import BucketParams, Suite, Table, TaskInfo
from haymaker.errors import ParamsError
from haymaker.params import Section, SuiteParams, nearest
from haymaker.sample import Sample

_Row = dict[str, Any]


class Composite(Suite):
    """A suite of branches, each of them a suite of the same name with tasks of its own."""

    options_type: ClassVar[type[Section]] = BucketParams
    branches: ClassVar[tuple[type[Suite], ...]]

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """The tasks of all branches."""
        return {name: info for branch in cls.branches for name, info in branch.tasks().items()}

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._of = {name: self._branch_of(name, values) for name, values in params.tasks.items()}
        shared = params.model_extra or {}
        self._parts: dict[type[Suite], Suite] = {
            branch: branch(
                SuiteParams(tasks={n: v for n, v in params.tasks.items() if self._of[n] is branch}, **shared), inputs
            )
            for branch in self.branches
        }

    def _branch_of(self, name: str, values: Any) -> type[Suite]:
        """The branch whose task an entry is.

        Raises:
            ParamsError: no branch knows it.
        """
        of = values.get("of") or name if isinstance(values, Mapping) else name
        for branch in self.branches:
            if isinstance(of, str) and of in branch.tasks():
                return branch
        raise ParamsError(
            f"unknown task {of!r}", where=f"suites.{self.name}.tasks.{name}", fix=nearest(str(of), self.tasks())
        )

    def _part(self, task: str) -> Suite:
        if task not in self._of:
            raise ParamsError(f"unknown task {task!r}", where=f"suites.{self.name}", fix=nearest(task, self._of))
        return self._parts[self._of[task]]

    def info(self, task: str) -> TaskInfo:
        """The task behind an entry."""
        return self._part(task).info(task)

    def uses(self) -> Uses:
        """What any branch reads."""
        return reduce(or_, (part.uses() for part in self._parts.values()), Uses())

    def tables(self) -> list[Table]:
        """Those of every branch, in the order of the parameters."""
        order = {name: i for i, name in enumerate(self._of)}
        return sorted((t for part in self._parts.values() for t in part.tables()), key=lambda t: order[t.task])

    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Of the branch, under the suite's own version: raising it builds every branch anew."""
        return {**self._part(table.task).fingerprint(table), "of": [self.name, self.version]}

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """By the branch."""
        return self._part(table.task).build(table, first, last)

    def draw(self, task: str, bucket: str, seed: int, number: int, turn: int) -> Sample:
        """By the branch."""
        return self._part(task).draw(task, bucket, seed, number, turn)

    def uses_of(self, task: str) -> Uses:
        """Of the branch."""
        return self._part(task).uses_of(task)

    def limit(self, task: str) -> int | None:
        """Of the branch."""
        return self._part(task).limit(task)

    def account(self, table: Table) -> dict[str, Any]:
        """Of the branch."""
        return self._part(table.task).account(table)

    def measures(self, rows: Callable[[Table], Iterable[_Row]]) -> dict[str, Any]:
        """Of all branches."""
        return reduce(or_, (part.measures(rows) for part in self._parts.values()), {})

    def problems(self, row: _Row) -> Iterator[str]:
        """By the branch."""
        return self._part(row["task"]).problems(row)

    def intruders(self, row: _Row) -> Iterator[str]:
        """By the branch."""
        return self._part(row["task"]).intruders(row)

    def identity(self, row: _Row) -> str:
        """Of the branch."""
        return self._part(row["task"]).identity(row)

    def background(self, row: _Row) -> list[tuple[str, int, int]]:
        """Of the branch."""
        return self._part(row["task"]).background(row)

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """By the branch's oracle."""
        return self._part(task).solve(task, prompt)
