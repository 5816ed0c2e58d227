"""What a benchmark is: a suite of tasks that turns prepared inputs into rows, and the rules its rows declare.

A suite is one class registered in `SUITES`; nothing else needs to know it. Pipelines ask it for tables (task, bucket,
part, rows), hand table slices to workers, and prove the finished rows by the checks the task declares.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from corpora.records import Part
from generators.inputs import Inputs, Uses
from haymaker.buckets import bucket_order, bucket_tokens
from haymaker.errors import BuildError, ParamsError
from haymaker.params import Bucket, Section, SuiteParams, nearest, parse
from haymaker.sample import Sample

Rows = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Buckets = dict[
    Bucket,
    Annotated[
        dict[Part, Rows],
        BeforeValidator(lambda rows: {"test": rows} if isinstance(rows, int) else rows),
        Field(min_length=1),
    ],
]
"""Rows per bucket and part, as parameters have them; a number means test rows."""


class BucketParams(Section):
    """Keys of a suite that all its tasks share.

    Attributes:
        buckets: rows per bucket, for tasks that give none of their own; a number means test rows.
    """

    buckets: Buckets = Field(default_factory=dict)


def bucket_rows(buckets: Buckets, points: int, shared_by: str, where: str) -> tuple[tuple[str, Part, int], ...]:
    """(bucket, part, rows), shortest bucket first.

    Args:
        buckets: of a task.
        points: rows that belong together.
        shared_by: what they are, e.g. "depths".
        where: key of the task, for the error line.

    Raises:
        ParamsError: rows that the points cannot share.
    """
    rows = tuple((b, part, n) for b in sorted(buckets, key=bucket_order) for part, n in buckets[b].items())
    for bucket, part, count in rows:
        if count % points:
            raise ParamsError(f"{count} {part} rows cannot be shared by {points} {shared_by}",
                              where=f"{where}.buckets.{bucket}", fix=f"use a multiple of {points}")  # fmt: skip
    return rows


class Check(StrEnum):
    """Rules of design section 2 that finished rows are held to."""

    BUDGET = "prompt, reserved and slack tokens add up to the bucket; recounted with the real tokenizer"
    FILL = "at least 99.5 % of the bucket is used in every row with background"
    NESTED = "a longer context of the same group holds the shorter one in order"
    VERBATIM = "spans stand verbatim at their offsets, in order"
    ORACLE = "the exact solver reads only the finished prompt and returns the stored answer"
    STRICT = "under the strict metric the stored answer scores 100 and the empty output 0"
    CLEAN = "no distractor, in text or title, holds an accepted answer as whole words"
    UNIQUE = "no row, question or background unit comes twice where it must not"
    APART = "train, dev and test share no question and no document"


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What people and pipelines may know of a task without building it.

    Attributes:
        name: within the suite.
        title: one line.
        category: ability asked for.
        metrics: ids, the primary one first.
        checks: rules that its rows are held to.
        skips: rule -> why it is not held to it.
        max_new_tokens: tokens to generate.
        ends: what ends its longest honest bucket, in a few words.
    """

    name: str
    title: str
    category: str
    metrics: tuple[str, ...]
    checks: frozenset[Check]
    skips: Mapping[Check, str]
    max_new_tokens: int
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one task, bucket and part."""

    suite: str
    task: str
    bucket: str
    part: Part
    rows: int

    @property
    def key(self) -> str:
        """Name of its work folder."""
        return f"{self.suite}-{self.task}-{self.bucket}-{self.part}"

    @property
    def tokens(self) -> int | None:
        """Tokens of a row; None for 0k."""
        return bucket_tokens(self.bucket)

    @property
    def config(self) -> str:
        """Name a reader loads it by."""
        return f"{self.suite}_{self.task}_{self.bucket}"


class Suite(ABC):
    """A published system: its tasks, its own parameters, its rows.

    Args:
        params: the suite's block of the parameter file.
        inputs: prepared inputs.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    options_type: ClassVar[type[Section]]
    title: ClassVar[str]
    defects: ClassVar[str]

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        self.inputs = inputs
        self.options: Any = parse(self.options_type, params.options, where=f"suites.{self.name}")
        self.task_params = params.tasks

    @classmethod
    @abstractmethod
    def tasks(cls) -> dict[str, TaskInfo]:
        """Every task the suite can build."""

    @abstractmethod
    def info(self, task: str) -> TaskInfo:
        """The task behind a name of the parameter file."""

    @abstractmethod
    def uses(self) -> Uses:
        """What it reads; nothing when no task is asked for."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """What the parameters ask for; needs no data."""

    @abstractmethod
    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Everything that decides the bytes of a table, as JSON."""

    @abstractmethod
    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1 of a table."""

    def draw(self, task: str, bucket: str, seed: int, number: int, turn: int) -> Sample:
        """Row `number` of the training stream `seed`: of part train, never the same twice where there is background, of any task and length.

        Args:
            task: an entry of the parameters, or any task of the suite.
            bucket: any length, whether the release has it or not.
            seed: of the stream; the row depends on it, on the release and on `number`.
            number: of the row, from 0.
            turn: rows of that task that the stream gave before; decides which question it is.

        Raises:
            ParamsError: no such task.
            BuildError: no training text or question that fits; or the suite has no training rows at all.
        """
        raise BuildError("this suite gives no training stream", where=f"suite {self.name}")

    def uses_of(self, task: str) -> Uses:
        """What the rows of one entry are made of; suites whose tasks differ in this say so."""
        return self.uses()

    def limit(self, task: str) -> int | None:
        """Tokens of the longest honest row of an entry, from the prepared inputs; None where nothing ends it, or they are not here."""
        return None

    @abstractmethod
    def account(self, table: Table) -> dict[str, Any]:
        """What was left out of a table and why: counts by reason, missing groups."""

    def measures(self, rows: Callable[[Table], Iterable[dict[str, Any]]]) -> dict[str, Any]:
        """Figures of the finished rows for reports and card, by name; most suites have none.

        Args:
            rows: gives the rows of a table, with the column `extra` alone.
        """
        return {}

    @abstractmethod
    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """What is wrong with a finished row's spans and context, as only the suite can say; nothing when all is well."""

    def intruders(self, row: dict[str, Any]) -> Iterator[str]:
        """Distractors of a finished row that hold an answer, found by a matcher that mining does not know (Check.CLEAN)."""
        return iter(())

    @abstractmethod
    def identity(self, row: dict[str, Any]) -> str:
        """What must not come twice in a table, nor in two parts."""

    @abstractmethod
    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """(document, first unit, one past the last) of the background in order; for the nesting check."""

    @abstractmethod
    def solve(self, task: str, prompt: str) -> list[str] | None:
        """The oracle's answers from the finished prompt alone; None where a task has no oracle."""


SUITES = {
    "babilong": "generators.babilong.suite:BABILong",
    "helmet": "generators.helmet.suite:HELMET",
    "synthetic": "generators.synthetic.suite:Synthetic",
}


def suite_class(name: str) -> type[Suite]:
    """The class of a suite.

    Raises:
        ParamsError: nobody registered that name.
    """
    if name not in SUITES:
        raise ParamsError(f"unknown suite {name!r}", where="suites", fix=nearest(name, SUITES))
    module, _, attribute = SUITES[name].partition(":")
    found: type[Suite] = getattr(importlib.import_module(module), attribute)
    return found


def suite(name: str, inputs: Inputs) -> Suite:
    """A suite, set up with the parameters' block of its name."""
    return suite_class(name)(inputs.params.suites[name], inputs)
