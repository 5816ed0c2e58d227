"""HELMET's tasks on long documents: questions, choices, summaries; 4k to as long as documents are (arXiv 2410.02694).

Everything comes from data/readings/<name>/. Facts and defects of the reference: spec/helmet.md 8, 11-13; what differs here and
why: docs/reading.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

from generators.helmet.reading import proof
from generators.helmet.reading.catalogue import KINDS, Kind
from generators.helmet.reading.params import TaskPlan, task_plans
from generators.helmet.reading.rows import RowBuilder
from generators.helmet.reading.stock import Stock
from generators.inputs import Inputs, Uses
from generators.planned import PlannedSuite
from generators.rows import RowWriter
from generators.task import BucketParams, Check, Table, TaskInfo
from haymaker.buckets import bucket_tokens
from haymaker.errors import BuildError
from haymaker.params import Section, SuiteParams
from haymaker.sample import Sample

_LADDER = ("10M", "4M", "2M", "1M", "512k", "256k", "128k", "64k", "32k", "16k", "8k", "4k", "2k", "1k")
_ENDS = "the longest document"
_SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.CLEAN: "a text may say its answer again in other places; among others, the question names its text",
    Check.FILL: "texts are cut at sentence ends and never padded; the proof holds that no further sentence fits",
}


class ReadingTasks(PlannedSuite[TaskPlan]):
    """The five tasks of HELMET on long documents."""

    name, version, title, defects = "helmet", 1, "HELMET", "docs/defects/helmet.md"
    options_type: ClassVar[type[Section]] = BucketParams

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """The tasks of the catalogue."""
        return {name: _info(name, kind) for name, kind in KINDS.items()}

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._plans = task_plans(self.name, self.task_params, self.options.buckets)
        self._stocks: dict[str, Stock] = {}
        self._builders: dict[str, RowBuilder] = {}
        self._groups: dict[str, list[int]] = {}
        self._accounts: dict[str, dict[str, Any]] = {}

    # ---------------------------------------------------------------------------------------- what is asked for

    def uses_of(self, task: str) -> Uses:
        """The collection of an entry."""
        return Uses(readings=(self._plan(task).readings,))

    def decides(self, plan: TaskPlan) -> dict[str, Any]:
        """Knobs and the collection."""
        return {
            "task": [plan.of, plan.shots, plan.embedded, plan.cut],
            "readings": [plan.readings, self.inputs.readings(plan.readings).digest],
        }

    # -------------------------------------------------------------------------------------------------- groups

    def _stock(self, name: str) -> Stock:
        if name not in self._stocks:
            fingerprint, seed = self.inputs.tokenizers[0].fingerprint, self.inputs.params.release.seed
            self._stocks[name] = Stock(self.inputs.readings(name), name, fingerprint, seed)
        return self._stocks[name]

    def _builder(self, task: str) -> RowBuilder:
        if task not in self._builders:
            plan, info = self._plan(task), self.info(task)
            writer = RowWriter(self.name, self.version, info, self.inputs.params.release, self.inputs.tokenizers)
            sources = list(self.inputs.readings(plan.readings).meta["sources"])
            self._builders[task] = RowBuilder(plan, self._stock(plan.readings), writer, sources)
        return self._builders[task]

    def groups(self, table: Table) -> list[int]:
        """The questions of a table, by number in the order of their part; one that makes no row gives way to the next.

        Raises:
            BuildError: too few questions reach the bucket; names the longest that enough of them reach.
        """
        if table.key not in self._groups:
            builder, picked = self._builder(table.task), list[int]()
            dropped: Counter[str] = Counter()
            missing: dict[str, str] = {}
            for number, ask in enumerate(builder.candidates(table.part)):
                if len(picked) == table.rows:
                    break
                if reason := builder.unfit(table.part, ask):
                    dropped[reason] += 1
                elif reason := builder.short_of(table, number):
                    missing[ask.ask.ask_id] = reason
                else:
                    picked.append(number)
            if len(picked) < table.rows:
                raise self._too_few(table, len(picked), dropped + Counter(missing.values()))
            self._groups[table.key] = picked
            self._accounts[table.key] = {"dropped": dict(sorted(dropped.items())), "missing": missing}
        return self._groups[table.key]

    def _too_few(self, table: Table, found: int, reasons: Counter[str]) -> BuildError:
        plan = self._plan(table.task)
        shorter = (b for b in _LADDER if (bucket_tokens(b) or 0) < (table.tokens or 0))
        longest = next((b for b in shorter if self._reaching(replace(table, bucket=b)) >= table.rows), None)
        why = ", ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items()))
        reached = (
            f"the longest bucket that {table.rows} reach is {longest}" if longest else "no shorter bucket has them"
        )
        fewer = f"ask for {found} rows or fewer, or " if found else ""
        more = "" if plan.embedded else f", or set embedded: true on {plan.name}"
        return BuildError(
            f"{table.rows} questions wanted, {found} reach the bucket ({why or 'the set has no more'}); {reached}",
            where=f"{table.config} {table.part}",
            fix=f"{fewer}use {longest or 'a longer bucket'}{more}, or prepare more documents (readings.{plan.readings})",
        )

    def _reaching(self, table: Table) -> int:
        builder = self._builder(table.task)
        asks = enumerate(builder.candidates(table.part))
        return sum(not builder.unfit(table.part, ask) and not builder.short_of(table, number) for number, ask in asks)

    def account(self, table: Table) -> dict[str, Any]:
        """Questions dropped at every length by reason; groups missing at this one and why."""
        self.groups(table)
        return self._accounts[table.key]

    def limit(self, task: str) -> int | None:
        """Tokens of the longest row that a question of an entry's parts reaches; None where the collection is not here."""
        plan = self._plan(task)
        if not (self.inputs.data / "readings" / plan.readings / "meta.json").is_file():
            return None
        builder = self._builder(task)
        return max(
            (
                builder.reach(part, number)
                for part in dict.fromkeys(part for _, part, _ in plan.rows)
                for number, ask in enumerate(builder.candidates(part))
                if not builder.unfit(part, ask)
            ),
            default=0,
        )

    # ---------------------------------------------------------------------------------------------------- rows

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1."""
        builder = self._builder(table.task)
        for number in self.groups(table)[first:last]:
            yield builder.row(table, number)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Text, evidence, choices and examples, held against the prompt and the collection."""
        plan = self._plan(row["task"])
        here = (self.inputs.data / "readings" / plan.readings / "meta.json").is_file()
        stock = self._stock(plan.readings) if here else None
        yield from proof.problems(row, plan, stock)

    def identity(self, row: dict[str, Any]) -> str:
        """The question and what it is asked of."""
        return f"{row['group_id']}\n{row['question']}"

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """(document, first sentence, one past the last), in order."""
        return proof.background(row)

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """No exact solver."""
        return None


def _info(name: str, kind: Kind) -> TaskInfo:
    return TaskInfo(
        name=name, title=kind.title, category=kind.category, metrics=kind.metrics, ends=_ENDS,
        checks=frozenset(Check) - _SKIPS.keys(), skips=_SKIPS, max_new_tokens=kind.max_new_tokens,
    )  # fmt: skip
