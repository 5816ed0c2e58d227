"""A suite of branches: every entry goes to the branch that knows its task, and everything asked of it is the branch's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generators.composite import Composite
from generators.inputs import Inputs, Uses
from generators.task import Check, Suite, Table, TaskInfo
from haymaker.errors import ParamsError
from haymaker.params import SuiteParams
from haymaker.sample import Sample


class Branch(Suite):
    """Answers with its own name."""

    name, version, title, defects = "both", 1, "Both", ""
    options_type = Composite.options_type
    known: tuple[str, ...]
    reads: Uses

    @classmethod
    def tasks(cls) -> dict[str, TaskInfo]:
        return {name: TaskInfo(name, cls.__name__, "c", (), frozenset({Check.BUDGET}), {}, 1) for name in cls.known}

    def info(self, task: str) -> TaskInfo:
        values = self.task_params[task] or {}
        return self.tasks()[values.get("of", task)]

    def uses(self) -> Uses:
        return self.reads if self.task_params else Uses()

    def tables(self) -> list[Table]:
        return [Table(self.name, task, "4k", "test", 1) for task in self.task_params]

    def fingerprint(self, table: Table) -> dict[str, Any]:
        return {"branch": type(self).__name__}

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        return iter(())

    def account(self, table: Table) -> dict[str, Any]:
        return {"by": type(self).__name__}

    def limit(self, task: str) -> int | None:
        return len(type(self).__name__)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        yield type(self).__name__

    def identity(self, row: dict[str, Any]) -> str:
        return type(self).__name__

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        return [(type(self).__name__, 0, 1)]

    def solve(self, task: str, prompt: str) -> list[str] | None:
        return [type(self).__name__]


class One(Branch):
    known, reads = ("a", "b"), Uses(mined=("m",), corpora=("c",))


class Other(Branch):
    known, reads = ("x",), Uses(corpora=("c", "d"), examples=("e",))


class Both(Composite):
    name, version, title, defects = "both", 1, "Both", ""
    branches = (One, Other)


def suite(tasks: dict[str, Any]) -> Both:
    return Both(SuiteParams(tasks=tasks), Inputs(None, Path()))  # type: ignore[arg-type]


def test_entries_find_their_branch() -> None:
    built = suite({"x": {}, "a": None, "mine": {"of": "b"}})
    assert [table.task for table in built.tables()] == ["x", "a", "mine"]
    assert list(Both.tasks()) == ["a", "b", "x"]
    by = {task: built.solve(task, "") for task in ("x", "a", "mine")}
    assert by == {"x": ["Other"], "a": ["One"], "mine": ["One"]}
    for task, name in (("x", "Other"), ("mine", "One")):
        row, table = {"task": task}, Table("both", task, "4k", "test", 1)
        assert list(built.problems(row)) == [name] and built.identity(row) == name
        assert built.background(row) == [(name, 0, 1)] and built.account(table) == {"by": name}
        assert built.fingerprint(table) == {"branch": name, "of": ["both", 1]} and built.limit(task) == len(name)
        assert built.info(task).title == name


def test_what_any_branch_reads_is_named_once() -> None:
    assert suite({"a": {}, "x": {}}).uses() == Uses(corpora=("c", "d"), mined=("m",), examples=("e",))
    assert suite({"a": {}}).uses() == Uses(corpora=("c",), mined=("m",))
    assert suite({}).uses() == Uses()


@pytest.mark.parametrize("tasks", [{"y": {}}, {"mine": {"of": "y"}}, {"a": {"of": ["y"]}}])
def test_a_task_that_no_branch_knows(tasks: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match=r"unknown task .*y.*known: a, b, x"):
        suite(tasks)
