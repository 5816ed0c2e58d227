"""What every family of synthetic tasks gives: material drawn by key, rows, an oracle that reads only the prompt.

A group is one thing asked: the same content, question and relative depths at every length; a longer context holds the shorter one
in order. A group's rows stand side by side: its points (depths, variants). Everything is drawn from
`Stream(seed, "synthetic", task, part, group, purpose)`, never by bucket, never by row.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from corpora.background import Background
from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.rows import RowWriter
from generators.task import Check, Table
from haymaker.params import ReleaseParams, Section, parse
from haymaker.rng import Stream, digest
from haymaker.sample import Sample


@dataclass(frozen=True, slots=True)
class Kind:
    """What a task is.

    Attributes:
        title: one line.
        family: makes its rows.
        category: ability asked for.
        metrics: ids, the primary one first.
        max_new_tokens: room for the answer.
        ends: what ends its longest honest bucket, in a few words.
        settings: the family's knobs as this task has them, before the parameters change any.
        skips: rules that its rows are not held to, and why (beside CLEAN).
    """

    title: str
    family: type[Family]
    category: str
    metrics: tuple[str, ...]
    max_new_tokens: int
    ends: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    skips: Mapping[Check, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task entry with nothing left open.

    Attributes:
        name: as published.
        of: the task of the catalogue.
        kind: what that task is.
        settings: the family's knobs, checked.
        rows: (bucket, part, rows), shortest bucket first.
    """

    name: str
    of: str
    kind: Kind
    settings: Any
    rows: tuple[tuple[str, Part, int], ...]


@dataclass(frozen=True, slots=True)
class Tools:
    """What a family works with.

    Attributes:
        writer: counts and writes rows.
        release: seed and language.
        tokenizers: release tokenizer first.
        store: background sentences; None where the release names no corpus, or it is not built.
        corpus: its name.
        sources: names of the sources that the background comes from.
    """

    writer: RowWriter
    release: ReleaseParams
    tokenizers: Sequence[Tokenizer]
    store: Background | None
    corpus: str
    sources: list[str]


class Family(ABC):
    """How the rows of a task are made and solved again.

    Args:
        plan: the task entry.
        tools: what it works with.
    """

    settings_type: ClassVar[type[Section]] = Section
    paired: ClassVar[frozenset[str]] = frozenset()
    """Settings that leave a group's question and answer as they are: rows that differ in them alone share a group."""

    def __init__(self, plan: TaskPlan, tools: Tools) -> None:
        self.plan, self.tools, self.settings = plan, tools, plan.settings

    @classmethod
    def points(cls, settings: Any) -> int:
        """Rows per group: depths, variants."""
        return 1

    @classmethod
    def needs_background(cls, settings: Any) -> bool:
        """Whether rows are made of the background corpus."""
        return False

    @abstractmethod
    def row(self, table: Table, group: int, point: int) -> Sample:
        """The row of a group in a bucket at a point.

        Args:
            table: of the row.
            group: number from 0, within the part.
            point: from 0.

        Raises:
            BuildError: the bucket is too short for the task, or the material ends before it.
        """

    @classmethod
    @abstractmethod
    def solve(cls, prompt: str) -> list[str]:
        """The oracle: `answers` as stored, from the finished prompt alone, by code that shares nothing with the builder.

        Raises:
            ValueError: the prompt is not as the task says.
        """

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """What is wrong with a finished row that the oracle cannot see: spans not verbatim, keys twice, answer elsewhere too."""
        return iter(())

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Units of the context in order, without what is placed by depth, for the nesting check: by default its lines."""
        lines = row["prompt"][row["context_start"] : row["context_end"]].split("\n")
        return [(line, 0, 1) for line in lines]

    def limit(self) -> int | None:
        """Tokens of the longest honest row; None where nothing ends it."""
        return None

    def stream(self, part: str, group: int, purpose: str) -> Stream:
        """Draws of a group for a purpose, the same at every length."""
        return Stream(self.tools.release.seed, "synthetic", self.asked, part, group, purpose)

    def group_id(self, part: str, group: int) -> str:
        """Name of a group in every row that asks it."""
        return f"{self.asked}-{part}-{group:05d}"

    @cached_property
    def asked(self) -> str:
        """Name of what is asked: the task's, with a mark of the settings that make it another question."""
        usual = parse(self.settings_type, self.plan.kind.settings, where=self.plan.of).model_dump(mode="json")
        here = self.settings.model_dump(mode="json")
        changed = sorted((k, v) for k, v in here.items() if k not in self.paired and v != usual[k])
        return f"{self.plan.of}.{digest(json.dumps(changed), size=3).hex()}" if changed else self.plan.of
