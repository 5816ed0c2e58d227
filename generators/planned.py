"""What suites share whose entries are checked and made whole once, as plans: names, tables, what decides their bytes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any, Generic, Protocol, TypeVar

from corpora.records import Part
from generators.inputs import Uses
from generators.task import Suite, Table, TaskInfo
from haymaker.errors import ParamsError
from haymaker.params import nearest


class Plan(Protocol):
    """A task entry with nothing left open: its name, the task behind it, (bucket, part, rows)."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def of(self) -> str: ...  # noqa: D102

    @property
    def rows(self) -> tuple[tuple[str, Part, int], ...]: ...  # noqa: D102


P = TypeVar("P", bound=Plan)


class PlannedSuite(Suite, Generic[P]):
    """A suite that sets `_plans` when it is made."""

    _plans: Mapping[str, P]

    def _plan(self, task: str) -> P:
        if task not in self._plans:
            raise ParamsError(f"unknown task {task!r}", where=f"suites.{self.name}", fix=nearest(task, self._plans))
        return self._plans[task]

    def info(self, task: str) -> TaskInfo:
        """The task behind an entry."""
        return self.tasks()[self._plan(task).of]

    @abstractmethod
    def uses_of(self, task: str) -> Uses:
        """What the rows of one entry are made of; nothing else is read."""

    def uses(self) -> Uses:
        """What the rows of any entry are made of."""
        return reduce(or_, map(self.uses_of, self._plans), Uses())

    def tables(self) -> list[Table]:
        """One per task, bucket and part."""
        return [
            Table(self.name, p.name, bucket, part, rows) for p in self._plans.values() for bucket, part, rows in p.rows
        ]

    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Parameters, inputs and versions that decide the table's bytes."""
        release = self.inputs.params.release
        return {
            "suite": [self.name, self.version],
            "table": [table.task, table.bucket, table.part, table.rows],
            "release": [release.seed, release.language, release.reserved_template_tokens],
            "tokenizers": [tokenizer.fingerprint for tokenizer in self.inputs.tokenizers],
            **self.decides(self._plan(table.task)),
        }

    @abstractmethod
    def decides(self, plan: P) -> dict[str, Any]:
        """What of an entry and of its inputs decides the bytes of its tables, as JSON."""
