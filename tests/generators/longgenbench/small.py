"""The long outputs as tests set them up: no input but a tokenizer."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from generators.inputs import Inputs
from generators.longgenbench.suite import SUITE
from generators.longgenbench.task import LongOutput
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.rows.schema import to_table
from haymaker.core.rows.source_records import Split
from tests.generators import kit

TOKENIZERS = ("tekken",)
SPECS = tuple(spec.name for spec in SUITE.tasks)
WEEKLY = ("diary_week", "menu_week")
"""Their entries are the longest: 4k has no room for as many as hold all demands."""
Row = dict[str, Any]


def suite(tasks: dict[str, Any], tokenizers: tuple[str, ...] = TOKENIZERS, seed: int = 7) -> ReleaseSuite:
    """The suite with some entries."""
    release = kit.RELEASE | {"seed": seed}
    params = kit.params({"longgenbench": {"tasks": tasks}}, tokenizers, release=release)
    return ReleaseSuite(SUITE, params.suites["longgenbench"], Inputs(params, Path("nowhere")))


def task(name: str, *, tokenizers: tuple[str, ...] = TOKENIZERS, seed: int = 7, **entry: Any) -> LongOutput:
    """A task with the entry's settings."""
    built = suite({name: {"lengths": {"16k": 5}, **entry}}, tokenizers, seed).task(name)
    assert isinstance(built, LongOutput)
    return built


@cache
def plain(name: str) -> LongOutput:
    """A task as it is, once."""
    return task(name)


def shortest(name: str) -> tuple[str, ...]:
    """The length of 4k, where the task has room."""
    return () if name in WEEKLY else ("4k",)


def table(name: str, length: str, split: Split = "test", rows: int = 1) -> Table:
    """What Task.row asks for."""
    return Table("longgenbench", name, length, split, rows, of_output=True)


def row(task: LongOutput, length: str, group: int = 0, split: Split = "test") -> Row:
    """A finished row, as a reader of the file has it."""
    sample = task.row(table(task.entry.name, length, split), task.pool(split).candidate(group), 0)
    return to_table([sample]).to_pylist()[0]  # type: ignore[no-any-return]
