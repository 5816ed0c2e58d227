"""Tasks over passages: answering, re-ranking and citing, 4k to 1M (arXiv 2410.02694).

Everything comes from data/mined/<set>.parquet: questions, gold, ranked distractors. Facts and defects of the reference:
spec/helmet.md 5-7, 11-13; what differs here and why: docs/helmet.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from generators.inputs import Inputs, Uses, mined_file
from generators.passages import proof
from generators.passages.cite import Cite
from generators.passages.family import Family
from generators.passages.kinds import Kind
from generators.passages.params import TaskPlan, task_plans
from generators.passages.rag import Numbered, Rag
from generators.passages.rerank import Rerank
from generators.passages.rows import RowBuilder
from generators.passages.stock import Stock
from generators.planned import PlannedSuite
from generators.task import BucketParams, Check, Table, TaskInfo
from haymaker.buckets import USUAL, bucket_tokens
from haymaker.errors import BuildError, ParamsError
from haymaker.params import Section, SuiteParams
from haymaker.sample import Sample

_FAMILIES: dict[str, type[Family]] = {"rag": Rag, "numbered": Numbered, "rerank": Rerank, "cite": Cite}
_SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.APART: "all parts search one corpus, so they share passages; no question of test comes again in dev or train",
}
_GRADED = {Check.CLEAN: "no accepted answers: passages are graded"}


class PassageTasks(PlannedSuite[TaskPlan]):
    """The tasks over passages of a suite, which gives name, version, title, defects and catalogue."""

    options_type: ClassVar[type[Section]] = BucketParams
    kinds: ClassVar[Mapping[str, Kind]]

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """The tasks of the catalogue."""
        return {name: _info(name, kind) for name, kind in cls.kinds.items()}

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._plans = task_plans(self.name, self.kinds, self.task_params, self.options.buckets)
        self._check_examples()
        self._builders: dict[str, RowBuilder] = {}
        self._stocks: dict[str, Stock] = {}
        self._groups: dict[str, list[int]] = {}
        self._accounts: dict[str, dict[str, Any]] = {}

    # ---------------------------------------------------------------------------------------- what is asked for

    def _check_examples(self) -> None:
        """Refuse early what would fail after hours of mining.

        Raises:
            ParamsError: a task shows worked examples, and its set mines no question of part train.
        """
        for plan in self._plans.values():
            mined = self.inputs.params.mined.get(plan.mined)
            if plan.shots and isinstance(mined, dict) and not (mined.get("count") or {}).get("train"):
                raise ParamsError(
                    f"task {plan.name!r} shows {plan.shots} worked examples, the set mines none",
                    where=f"mined.{plan.mined}.count", fix="add train: 20, or set shots: 0 on the task",
                )  # fmt: skip

    def uses_of(self, task: str) -> Uses:
        """The entry's mined set."""
        return Uses(mined=(self._plan(task).mined,))

    def limit(self, task: str) -> int | None:
        """Tokens of the longest row that any question of the set reaches, about: all its passages."""
        mined = self._plan(task).mined
        if not mined_file(self.inputs.data, mined).is_file():
            return None
        stock = self._stock(mined)
        return max((sum(stock.stub(i).sizes) for i in stock.order("test")), default=None)

    def decides(self, plan: TaskPlan) -> dict[str, Any]:
        """Knobs and the mined set."""
        return {
            "task": [plan.of, plan.points, plan.order, plan.shots],
            "mined": [plan.mined, self.inputs.mined(plan.mined).digest],
        }

    # -------------------------------------------------------------------------------------------------- groups

    def _stock(self, name: str) -> Stock:
        if name not in self._stocks:
            tokenizers = [tokenizer.fingerprint for tokenizer in self.inputs.tokenizers]
            self._stocks[name] = Stock(self.inputs.mined(name), name, tokenizers, self.inputs.params.release.seed)
        return self._stocks[name]

    def _builder(self, task: str) -> RowBuilder:
        if task not in self._builders:
            plan, release = self._plan(task), self.inputs.params.release
            family = _FAMILIES[plan.kind.family](plan, (release.seed, self.name, plan.mined))
            self._builders.clear()  # tables are built one after another: hold one question, not one per task
            self._builders[task] = RowBuilder(
                family, self.info(task), self._stock(plan.mined), release, self.inputs.tokenizers, self.version
            )
        return self._builders[task]

    def groups(self, table: Table) -> list[int]:
        """The questions of a table, by number in the mined set; one that makes no row gives way to the next.

        Raises:
            BuildError: too few questions reach the bucket; names the longest that enough of them reach.
        """
        if table.key not in self._groups:
            plan, builder, stock = (
                self._plan(table.task),
                self._builder(table.task),
                self._stock(self._plan(table.task).mined),
            )
            wanted = table.rows // plan.points
            picked: list[int] = []
            dropped: Counter[str] = Counter()
            missing: dict[str, str] = {}
            for index in stock.order(table.part):
                if len(picked) == wanted:
                    break
                if reason := builder.unfit(index):
                    dropped[reason] += 1
                elif reason := builder.short_of(table, index):
                    missing[stock.group_id(index)] = reason
                else:
                    picked.append(index)
            if len(picked) < wanted:
                raise self._too_few(table, wanted, len(picked), dropped, Counter(missing.values()))
            self._groups[table.key] = picked
            self._accounts[table.key] = {"dropped": dict(sorted(dropped.items())), "missing": missing}
        return self._groups[table.key]

    def _too_few(
        self, table: Table, wanted: int, found: int, dropped: Counter[str], missing: Counter[str]
    ) -> BuildError:
        plan = self._plan(table.task)
        longest = next((b for b in USUAL if self._reach(table, b) >= wanted), None)
        why = ", ".join(f"{reason}: {count}" for reason, count in sorted((dropped + missing).items()))
        reached = (
            f"the longest bucket that {wanted} reach is {longest}" if longest else f"no shorter bucket has {wanted}"
        )
        fewer = f"ask for {found * plan.points} rows or fewer, or " if found else ""
        return BuildError(
            f"{wanted} questions wanted, {found} reach the bucket ({why or 'the set has no more'}); {reached}",
            where=f"{table.config} {table.part}",
            fix=f"{fewer}use {longest or 'a longer bucket'}, or mine more (mined.{plan.mined})",
        )

    def _reach(self, table: Table, bucket: str) -> int:
        """Questions of the table's task and part that make rows of a bucket."""
        builder, stock = self._builder(table.task), self._stock(self._plan(table.task).mined)
        if (bucket_tokens(bucket) or 0) >= (table.tokens or 0):
            return 0
        shorter = Table(table.suite, table.task, bucket, table.part, table.rows)
        usable = (i for i in stock.order(table.part) if not builder.unfit(i))
        return sum(not builder.short_of(shorter, i) for i in usable)

    # ---------------------------------------------------------------------------------------------------- rows

    def account(self, table: Table) -> dict[str, Any]:
        """Questions dropped at every length by reason; groups missing at this one and why."""
        self.groups(table)
        return self._accounts[table.key]

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1: the depths or orders of a question side by side, so that it is read once."""
        groups, points = self.groups(table), self._plan(table.task).points
        builder = self._builder(table.task)
        for row in range(first, last):
            yield builder.row(table, groups[row // points], row % points)

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Passages, gold, depth and examples, held against the prompt and the mined set."""
        plan = self._plan(row["task"])
        here = (self.inputs.data / "mined" / f"{plan.mined}.parquet").is_file()
        yield from proof.problems(row, plan, self._stock(plan.mined) if here else None)

    def intruders(self, row: dict[str, Any]) -> Iterator[str]:
        """Distractors that hold an answer."""
        yield from proof.intruders(row)

    def identity(self, row: dict[str, Any]) -> str:
        """The question and where it stands in its set."""
        return f"{row['group_id']}\n{row['question']}"

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Passages in order; without the gold where it is placed, since its place follows the length."""
        placed = self._plan(row["task"]).kind.placed
        golds = {span["ref"] for span in row["spans"] if span["kind"] == "gold"} if placed else set()
        return [(doc, 0, 1) for doc in row["doc_ids"] if doc not in golds]

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """No exact solver."""
        return None


def _info(name: str, kind: Kind) -> TaskInfo:
    skips = _SKIPS | (_GRADED if kind.family == "rerank" else {})
    return TaskInfo(
        name=name, title=kind.title, category=kind.category, metrics=kind.metrics,
        checks=frozenset(Check) - skips.keys(), skips=skips, max_new_tokens=kind.max_new_tokens,
        ends="where the passages mined for a question end",
    )  # fmt: skip
