"""Synthetic tasks: RULER's thirteen, the needle grid, JSON-KV, InfiniteBench's six; every length, one oracle each.

Facts and defects of the references: spec/synthetic.md; what differs here and why: docs/synthetic.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from generators.composite import Composite
from generators.passages.kinds import Kind as PassageKind
from generators.passages.suite import PassageTasks
from generators.rows import RowWriter
from generators.synthetic.catalogue import kinds
from generators.synthetic.family import Family, TaskPlan, Tools
from generators.synthetic.params import SyntheticParams, task_plans
from generators.task import Check, Inputs, Suite, Table, TaskInfo, Uses
from haymaker.errors import ParamsError
from haymaker.params import SuiteParams, nearest
from haymaker.sample import Sample

_TITLE = "Synthetic: RULER, needle in a haystack, JSON-KV, InfiniteBench"
_DEFECTS = "docs/defects/synthetic.md"
_SKIPS = {
    Check.CLEAN: "no passages: the oracle and the proof say that the answer stands where it should and nowhere else"
}


class Planted(Suite):
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

    def _plan(self, task: str) -> TaskPlan:
        if task not in self._plans:
            raise ParamsError(f"unknown task {task!r}", where="suites.synthetic", fix=nearest(task, self._plans))
        return self._plans[task]

    def _needs_background(self, plan: TaskPlan) -> bool:
        return plan.kind.family.needs_background(plan.settings)

    def info(self, task: str) -> TaskInfo:
        """The task behind an entry."""
        return self.tasks()[self._plan(task).of]

    def uses(self) -> Uses:
        """The corpus that needles are hidden in, if any task hides them in prose."""
        needed = any(map(self._needs_background, self._plans.values()))
        return Uses(corpora=(self.options.background,)) if needed else Uses()

    def uses_of(self, task: str) -> Uses:
        """The corpus, where the entry hides its needles in prose."""
        return Uses(corpora=(self.options.background,)) if self._needs_background(self._plan(task)) else Uses()

    def tables(self) -> list[Table]:
        """One per task, bucket and part."""
        return [
            Table(self.name, p.name, bucket, part, rows) for p in self._plans.values() for bucket, part, rows in p.rows
        ]

    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Parameters, corpus and version that decide the table's bytes."""
        plan, release = self._plan(table.task), self.inputs.params.release
        corpus = self.options.background
        used = self._needs_background(plan)
        return {
            "suite": [self.name, self.version],
            "table": [table.task, table.bucket, table.part, table.rows],
            "task": [plan.of, plan.settings.model_dump(mode="json")],
            "release": [release.seed, release.language, release.reserved_template_tokens],
            "tokenizers": [tokenizer.fingerprint for tokenizer in self.inputs.tokenizers],
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
        """Nothing is left out: what cannot be built is refused."""
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
            "rag", "qa", "rag", ("subem@strict", "subem@official", "subem_tokens@strict"), 32, True, 6, "shuffled", 0, 3,
        ),
        "qa_2": PassageKind(
            "RULER QA 2 (HotpotQA): an answer that takes two of many paragraphs",
            "rag", "qa", "rag", ("subem@strict", "subem@official", "subem_tokens@strict"), 32, False, 3, "shuffled", 0, 3,
        ),
    }  # fmt: skip


class Synthetic(Composite):
    """The suite (params key `suites.synthetic`)."""

    name, version, title, defects = "synthetic", 1, _TITLE, _DEFECTS
    options_type = SyntheticParams
    branches = (Planted, Documents)
