"""Many-shot tasks: label a text by hundreds of shots, and count labels among them; 4k to 1M (arXiv 2410.02694).

Everything comes from data/examples/<set>.parquet. Facts and defects of the reference: spec/helmet.md 2, 9, 11-13; what differs
here and why: docs/many-shot.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from generators.helmet.shots import oracle, proof
from generators.helmet.shots.counting import Counting
from generators.helmet.shots.family import Family
from generators.helmet.shots.kinds import KINDS, Kind
from generators.helmet.shots.learning import Learning
from generators.helmet.shots.params import TaskPlan, task_plans
from generators.helmet.shots.stock import Stock
from generators.inputs import Inputs, Uses, examples_file
from generators.planned import PlannedSuite
from generators.rows import RowWriter
from generators.task import BucketParams, Check, Table, TaskInfo
from haymaker.buckets import longest_bucket
from haymaker.errors import BuildError
from haymaker.params import SuiteParams
from haymaker.sample import Sample

_FAMILIES: dict[str, type[Family]] = {"label": Learning, "aggregate": Counting}
_TRIED = 64  # groups in a row that may fail a short bucket before it is refused


class ShotTasks(PlannedSuite[TaskPlan]):
    """The five tasks of the reference, and one that counts."""

    name, version, title, defects = "helmet", 1, "HELMET: many-shot labels", "docs/defects/helmet.md"
    options_type = BucketParams

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """The tasks of the catalogue."""
        return {name: _info(name, kind) for name, kind in KINDS.items()}

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._plans = task_plans(self.name, self.task_params, self.options.buckets)
        self._stocks: dict[str, Stock] = {}
        self._families: dict[str, Family] = {}
        self._known: dict[str, proof.Known] = {}
        self._groups: dict[str, list[int]] = {}
        self._accounts: dict[str, dict[str, Any]] = {}

    def uses_of(self, task: str) -> Uses:
        """The entry's set."""
        return Uses(examples=(self._plan(task).examples,))

    def decides(self, plan: TaskPlan) -> dict[str, Any]:
        """Knobs and the set."""
        return {
            "task": [plan.of, plan.labels, plan.repeats, plan.balance_eval],
            "examples": [plan.examples, self.inputs.examples(plan.examples).digest],
        }

    # -------------------------------------------------------------------------------------------------- groups

    def _stock(self, name: str) -> Stock:
        if name not in self._stocks:
            key = (self.inputs.params.release.seed, self.name)
            self._stocks[name] = Stock(self.inputs.examples(name), name, self.inputs.tokenizers, key)
        return self._stocks[name]

    def _family(self, task: str) -> Family:
        if task not in self._families:
            plan = self._plan(task)
            writer = RowWriter(
                self.name, self.version, self.info(task), self.inputs.params.release, self.inputs.tokenizers
            )
            self._families[task] = _FAMILIES[plan.kind.family](plan, self._stock(plan.examples), writer)
        return self._families[task]

    def groups(self, table: Table) -> list[int]:
        """What a table asks, in the release's order; a group that makes no row gives way to the next.

        Raises:
            BuildError: the material ends before the bucket (names the longest that it reaches), or there are too few groups.
        """
        if table.key not in self._groups:
            family, picked, failed, missing = self._family(table.task), list[int](), 0, dict[str, str]()
            self._demand_length(table, family)
            for group in family.groups(table.part):
                if len(picked) == table.rows or failed == _TRIED:
                    break
                if reason := family.short_of(table, group):
                    missing[family.group_id(table.part, group)] = reason
                    failed += 1
                else:
                    picked.append(group)
                    failed = 0
            if len(picked) < table.rows:
                raise self._too_few(table, len(picked), Counter(missing.values()))
            self._groups[table.key] = picked
            self._accounts[table.key] = {"dropped": {}, "missing": missing}
        return self._groups[table.key]

    def _demand_length(self, table: Table, family: Family) -> None:
        limit, plan = family.limit(), self._plan(table.task)
        if limit is None or (table.tokens or 0) <= limit:
            return
        more = ", or repeats: true on the task" if plan.kind.family == "label" else ""
        raise BuildError(
            f"the texts of set {plan.examples!r} end at {limit:,} tokens",
            where=table.config,
            fix=f"use {longest_bucket(limit)} or shorter{more}",
        )

    def _too_few(self, table: Table, found: int, missing: Counter[str]) -> BuildError:
        why = ", ".join(f"{reason}: {count}" for reason, count in sorted(missing.items()))
        fix = f"ask for {found} rows or fewer" if found and not why else "use a longer bucket"
        return BuildError(
            f"{table.rows} rows wanted, {found} can be made ({why or 'the set has no more texts to ask for'})",
            where=f"{table.config} {table.part}", fix=fix,
        )  # fmt: skip

    def limit(self, task: str) -> int | None:
        """Where the labelled texts end; None without end, or when they are not here."""
        if not examples_file(self.inputs.data, self._plan(task).examples).is_file():
            return None
        return self._family(task).limit()

    # ---------------------------------------------------------------------------------------------------- rows

    def account(self, table: Table) -> dict[str, Any]:
        """Groups missing at this length and why; dropped texts are counted where the set is prepared."""
        self.groups(table)
        return self._accounts[table.key]

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1."""
        family = self._family(table.task)
        for group in self.groups(table)[first:last]:
            yield family.row(table, group)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Shots, labels and rounds, held against the prompt and the prepared set."""
        plan = self._plan(row["task"])
        yield from proof.problems(row, plan, self._prepared(plan.examples))

    def _prepared(self, name: str) -> proof.Known | None:
        if name not in self._known and examples_file(self.inputs.data, name).is_file():
            self._known[name] = proof.Known.of(self.inputs.examples(name))
        return self._known.get(name)

    def identity(self, row: dict[str, Any]) -> str:
        """The text whose label is asked for; of a question about counts also its group, since groups share wordings."""
        if self._plan(row["task"]).kind.family == "aggregate":
            return f"{row['group_id']}\n{row['question']}"
        text: str = row["question"].casefold()
        return text

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Shots in order."""
        return [(span["ref"], 0, 1) for span in row["spans"] if span["kind"] == "shot"]

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """The oracle of counting; labels have none."""
        return oracle.solve(prompt) if self._plan(task).kind.family == "aggregate" else None


def _info(name: str, kind: Kind) -> TaskInfo:
    return TaskInfo(
        name=name, title=kind.title, category=kind.category, metrics=kind.metrics, ends=kind.ends,
        checks=frozenset(Check) - kind.skips.keys(), skips=kind.skips, max_new_tokens=kind.max_new_tokens,
    )  # fmt: skip
