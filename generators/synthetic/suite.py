"""Synthetic tasks: RULER's thirteen, the needle grid, JSON-KV, InfiniteBench's six; every length, one oracle each.

Facts and defects of the references: spec/synthetic.md; what differs here and why: docs/synthetic.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from generators.composite import Composite
from generators.inputs import Inputs, Uses
from generators.passages.kinds import Kind as PassageKind
from generators.passages.suite import PassageTasks
from generators.planned import PlannedSuite
from generators.rows import RowWriter
from generators.synthetic.catalogue import kinds
from generators.synthetic.family import Family, TaskPlan, Tools
from generators.synthetic.params import SyntheticParams, task_plans
from generators.task import Check, Table, TaskInfo
from haymaker.buckets import longest_bucket
from haymaker.errors import BuildError
from haymaker.params import SuiteParams
from haymaker.sample import Sample

_TITLE = "Synthetic: RULER, needle in a haystack, JSON-KV, InfiniteBench"
_STOCK_TOKENS = 1_000_000  # every stock of drawn texts holds more
_DEFECTS = "docs/defects/synthetic.md"
_SKIPS = {
    Check.CLEAN: "no passages: the oracle and the proof say that the answer stands where it should and nowhere else"
}


class Planted(PlannedSuite[TaskPlan]):
    """All tasks whose content is drawn here."""

    name, version, title, defects = "synthetic", 1, _TITLE, _DEFECTS
    options_type = SyntheticParams

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """The tasks of every family."""
        return {
            name: TaskInfo(
                name=name, title=k.title, category=k.category, metrics=k.metrics, ends=k.ends,
                checks=frozenset(Check) - _SKIPS.keys() - k.skips.keys(), skips={**_SKIPS, **k.skips},
                max_new_tokens=k.max_new_tokens,
            )
            for name, k in kinds().items()
        }  # fmt: skip

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._plans = task_plans(kinds(), self.task_params, self.options)
        self._families: dict[str, Family] = {}

    def _needs_background(self, plan: TaskPlan) -> bool:
        return plan.kind.family.needs_background(plan.settings)

    def uses_of(self, task: str) -> Uses:
        """The corpus, where the entry hides its needles in prose."""
        return Uses(corpora=(self.options.background,)) if self._needs_background(self._plan(task)) else Uses()

    def decides(self, plan: TaskPlan) -> dict[str, Any]:
        """Settings, and the corpus where it is used."""
        corpus, used = self.options.background, self._needs_background(plan)
        return {
            "task": [plan.of, plan.settings.model_dump(mode="json")],
            "background": [corpus, self._sources(), self.inputs.background(corpus).digest] if used else None,
        }

    def _sources(self) -> list[str]:
        return [self.inputs.corpus(self.options.background).source]

    def _family(self, task: str) -> Family:
        if task not in self._families:
            plan, release = self._plan(task), self.inputs.params.release
            corpus, used = self.options.background, self._needs_background(plan)
            here = used and (self.inputs.data / "corpora" / corpus / "meta.json").is_file()
            writer = RowWriter(self.name, self.version, self.info(task), release, self.inputs.tokenizers)
            tools = Tools(
                writer, release, self.inputs.tokenizers, self.inputs.background(corpus) if here else None,
                corpus, self._sources() if used else [],
            )  # fmt: skip
            self._families[task] = plan.kind.family(plan, tools)
        return self._families[task]

    def account(self, table: Table) -> dict[str, Any]:
        """Nothing is left out: what cannot be built is refused.

        Raises:
            BuildError: the material of the task ends before the bucket.
        """
        family, long = self._family(table.task), (table.tokens or 0) > _STOCK_TOKENS
        limit = family.limit() if long or self._needs_background(self._plan(table.task)) else None
        if limit is not None and (table.tokens or 0) > limit:
            raise BuildError(
                f"the material ends at about {limit:,} tokens: {family.plan.kind.ends}", where=table.config,
                fix=f"use {longest_bucket(limit)}, or give it more material",
            )  # fmt: skip
        return {"dropped": {}, "missing": {}}

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1: the points of a group side by side."""
        family, points = self._family(table.task), self._points(table.task)
        for row in range(first, last):
            yield family.row(table, row // points, row % points)

    def _points(self, task: str) -> int:
        plan = self._plan(task)
        return plan.kind.family.points(plan.settings)

    def draw(self, task: str, bucket: str, seed: int, number: int, turn: int) -> Sample:
        """Row `turn` of the task's train part (training rows never end)."""
        points = self._points(task)
        table = Table(self.name, task, bucket, "train", 0)
        group = turn // points + (seed << 32)
        return self._family(task).row(table, group, turn % points)

    def limit(self, task: str) -> int | None:
        """Where the material of an entry ends."""
        return self._family(task).limit()

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Spans stand verbatim; then what the family knows."""
        for span in row["spans"]:
            if not 0 <= span["start"] < span["end"] <= len(row["prompt"]):
                yield f"span {span['ref']} lies outside the prompt"
        if self.inputs.tokenizers[0].count(row["answers"][0]) > row["max_new_tokens"]:
            yield f"the stored answer takes more than the {row['max_new_tokens']} tokens that a model may write"
        yield from self._family(row["task"]).problems(row)

    def identity(self, row: dict[str, Any]) -> str:
        """The group, what it asks and in which variant."""
        return f"{row['group_id']}\n{row['question']}\n{row['variant'] or ''}"

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Units of the context in order."""
        return self._family(row["task"]).background(row)

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """The oracle's answers."""
        return self._plan(task).kind.family.solve(prompt)


class Documents(PassageTasks):
    """RULER's two tasks over paragraphs (spec/synthetic.md A1, A3)."""

    name, version, title, defects = "synthetic", 1, _TITLE, _DEFECTS
    options_type = SyntheticParams
    kinds = {  # noqa: RUF012
        "qa_1": PassageKind(
            "RULER QA 1 (SQuAD): an answer in one of many paragraphs",
            "numbered", "qa", "rag", ("subem@strict", "subem@official", "subem_tokens@strict"), 32, True, 6, "shuffled", 0, 3,
        ),
        "qa_2": PassageKind(
            "RULER QA 2 (HotpotQA): an answer that takes two of many paragraphs",
            "numbered", "qa", "rag", ("subem@strict", "subem@official", "subem_tokens@strict"), 32, False, 3, "shuffled", 0, 3,
        ),
    }  # fmt: skip


class Synthetic(Composite):
    """The suite (params key `suites.synthetic`)."""

    name, version, title, defects = "synthetic", 1, _TITLE, _DEFECTS
    options_type = SyntheticParams
    branches = (Planted, Documents)
