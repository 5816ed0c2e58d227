"""BABILong: the facts of a bAbI story scattered, in order, between sentences of books (arXiv 2406.10149).

Facts, constants and defects of the reference: spec/babilong.md. Which defect is excluded where: docs/defects/babilong.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from corpora.background import Background
from corpora.records import Part, StoryQuestion
from generators.babilong import oracle, proof, retrieval, retrieval_proof
from generators.babilong.groups import Group, group_id
from generators.babilong.params import BABILongParams, Plans
from generators.babilong.prompts import load_prompts
from generators.babilong.questions import pool
from generators.babilong.rows import RowBuilder
from generators.babilong.training import Draws
from generators.inputs import Inputs, Uses
from generators.task import Check, Suite, Table, TaskInfo
from haymaker.errors import BuildError, ParamsError
from haymaker.params import SuiteParams
from haymaker.sample import Sample

MAX_NEW_TOKENS = 20  # spec/babilong.md 7.4


class BABILong(Suite):
    """The suite (params key `suites.babilong`)."""

    name = "babilong"
    version = 2
    options_type = BABILongParams
    title = "BABILong: reasoning over facts scattered through books"
    defects = "docs/defects/babilong.md"

    @classmethod
    @cache
    def tasks(cls) -> dict[str, TaskInfo]:
        """qa1 .. qa20."""
        return {
            name: TaskInfo(
                name=name,
                title=prompt.title,
                category="reasoning",
                metrics=("babilong@strict", "babilong@official"),
                checks=frozenset(Check) - {Check.CLEAN},
                skips={Check.CLEAN: "answers are words that every story has; the oracle says which fact decides"},
                max_new_tokens=MAX_NEW_TOKENS,
                ends="where the text of the background corpus ends",
            )
            for name, prompt in load_prompts().items()
        }

    def __init__(self, params: SuiteParams, inputs: Inputs) -> None:
        super().__init__(params, inputs)
        self._plans = Plans(self.task_params, self.options, self.tasks())
        self._builders: dict[str, RowBuilder] = {}
        self._groups: dict[str, list[Group]] = {}
        self._accounts: dict[str, dict[str, Any]] = {}
        self._pools: dict[tuple[str, Part], tuple[list[StoryQuestion], Counter[str]]] = {}
        self._draws: dict[str, Draws] = {}
        self._solved: tuple[str, str, oracle.Solution] | None = None
        self._check_lookalikes()

    # ---------------------------------------------------------------------------------------- what is asked for

    def info(self, task: str) -> TaskInfo:
        """The bAbI task behind an entry."""
        return self.tasks()[self._plans[task].of]

    def uses(self) -> Uses:
        """The source of questions and the corpus."""
        return Uses((self.options.questions,), (self.options.background,)) if self._plans else Uses()

    def tables(self) -> list[Table]:
        """One per task, bucket and part."""
        return [
            Table(self.name, p.name, bucket, part, rows) for p in self._plans.values() for bucket, part, rows in p.rows
        ]

    def fingerprint(self, table: Table) -> dict[str, Any]:
        """Parameters, inputs and version that decide the table's bytes."""
        plan, release = self._plans[table.task], self.inputs.params.release
        return (
            {
                "suite": [self.name, self.version],
                "table": [table.task, table.bucket, table.part, table.rows],
                "task": [plan.of, plan.placement, plan.points, sorted(self._parts(plan.of))],
                "release": [release.seed, release.language, release.reserved_template_tokens],
                "tokenizers": [tokenizer.fingerprint for tokenizer in self.inputs.tokenizers],
                "questions": [self.options.questions, self.inputs.source_digest(self.options.questions)],
                "background": [self.options.background, self._sources(), self._store.digest] if table.tokens else None,
            }
            | ({} if self._vocabulary == "classic" else {"vocabulary": self._vocabulary})
            | ({} if plan.retrieval == "none" else {"retrieval": [plan.retrieval, retrieval.RETRIEVAL_VERSION]})
        )

    # -------------------------------------------------------------------------------------------------- groups

    @cached_property
    def _vocabulary(self) -> str:
        return self.inputs.source(self.options.questions).vocabulary_name()

    def _check_lookalikes(self) -> None:
        """Refuse a background in which hundreds of ordinary words may stand in sentences that look like facts.

        Raises:
            ParamsError: the questions are `large`, and the corpus keeps such sentences.
        """
        params, questions, corpus = self.inputs.params, self.options.questions, self.options.background
        if not self._plans or questions not in params.sources or corpus not in params.corpora:
            return  # nothing is asked for, or pipelines say which name is unknown
        if self._vocabulary == "large" and "babi_large" not in self.inputs.corpus(corpus).clean.drop_lookalikes:
            raise ParamsError(
                f"questions of {questions!r} are of the vocabulary large, the corpus keeps sentences that look like theirs",
                where=f"corpora.{corpus}.clean.drop_lookalikes", fix="add babi_large",
            )  # fmt: skip

    @cached_property
    def _store(self) -> Background:
        return self.inputs.background(self.options.background)

    def _sources(self) -> list[str]:
        return [self.options.questions, self.inputs.corpus(self.options.background).source]

    def _parts(self, of: str) -> set[Part]:
        asked: set[Part] = {part for plan in self._plans.values() if plan.of == of for _, part, _ in plan.rows}
        return asked | {"test"}

    def _builder(self, task: str) -> RowBuilder:
        if task not in self._builders:
            plan = self._plans[task]
            self._builders[task] = RowBuilder(
                plan, self.info(task), load_prompts(self._vocabulary)[plan.of], self.inputs.params.release, self.inputs.tokenizers,
                self._store, self.options.background, self._sources(), self.version,
            )  # fmt: skip
        return self._builders[task]

    def _pool(self, of: str, part: Part) -> tuple[list[StoryQuestion], Counter[str]]:
        if (of, part) not in self._pools:
            source, raw = self.inputs.source(self.options.questions), self.inputs.raw(self.options.questions)

            def read(task: str, part: Part) -> list[StoryQuestion]:
                return source.questions(raw, task, part)

            self._pools[of, part] = pool(
                read, of, part, seed=self.inputs.params.release.seed, apart_from=self._parts(of),
                vocabulary=self._vocabulary,
            )  # fmt: skip
        return self._pools[of, part]

    def groups(self, table: Table) -> list[Group]:
        """The rows-to-be of a table; a question that does not fit the bucket gives way to the next one.

        Raises:
            BuildError: there are not enough questions.
        """
        if table.key not in self._groups:
            self._groups.clear()  # tables are built one after another: never hold more than one
            self._check_room(table)
            plan, builder = self._plans[table.task], self._builder(table.task)
            questions, dropped = self._pool(plan.of, table.part)
            wanted = table.rows // plan.points
            picked: list[StoryQuestion] = []
            missing: dict[str, str] = {}
            for question in questions:
                if len(picked) == wanted:
                    break
                if not builder.leaves_room(table, question):
                    missing[group_id(plan.of, table.part, question)] = "facts and prompt leave no room for background"
                elif not all(builder.fills(table, group) for group in builder.groups(table.part, question)):
                    missing[group_id(plan.of, table.part, question)] = "no choice of sentences fills 99.5 %"
                else:
                    picked.append(question)
            if len(picked) < wanted:
                raise BuildError(
                    f"{wanted} different questions wanted, {len(picked)} to be had (left out: {dict(dropped)}, "
                    f"not fit for the bucket: {len(missing)})",
                    where=f"{table.config} {table.part}", fix=f"ask for {len(picked) * plan.points} rows or fewer",
                )  # fmt: skip
            self._groups[table.key] = [group for q in picked for group in builder.groups(table.part, q)]
            self._accounts[table.key] = {"dropped": dict(sorted(dropped.items())), "missing": missing}
        return self._groups[table.key]

    def rehearse(self, table: Table, count: int) -> tuple[RowBuilder, list[Group]]:
        """A builder and the first `count` groups of a table, for measuring single rows (haymaker bench)."""
        return self._builder(table.task), self.groups(replace(table, rows=count))

    def _held(self, part: Part) -> int:
        """Tokens of the corpus's documents of a part."""
        sums = self._store.tokens_at(self.inputs.tokenizers[0].fingerprint)
        return sum(sums[entry.last] - sums[entry.first] for entry in self._store.part(part))

    def limit(self, task: str) -> int | None:
        """Tokens of the corpus's test documents."""
        return self._held("test")

    def _check_room(self, table: Table) -> None:
        """Refuse a bucket that the corpus cannot fill, before any row is built.

        Raises:
            BuildError: its documents of that part hold fewer tokens than the bucket.
        """
        held = self._held(table.part)
        if table.tokens and held < table.tokens:
            raise BuildError(
                f"corpus {self.options.background!r} holds {held:,} tokens of {table.part} text, the bucket {table.tokens:,}",
                where=f"{table.config} {table.part}", fix="drop the bucket, or give the corpus more documents",
            )  # fmt: skip

    # ---------------------------------------------------------------------------------------------------- rows

    def account(self, table: Table) -> dict[str, Any]:
        """Questions dropped by reason; groups missing at this bucket and why."""
        self.groups(table)
        return self._accounts[table.key]

    def build(self, table: Table, first: int, last: int) -> Iterator[Sample]:
        """Rows first .. last - 1."""
        builder = self._builder(table.task)
        for group in self.groups(table)[first:last]:
            yield builder.row(table, group)

    def draw(self, task: str, bucket: str, seed: int, number: int, turn: int) -> Sample:
        """Row `number` of a training stream (generators/babilong/training.py)."""
        if task not in self._draws:
            questions, _ = self._pool(self._plans[task].of, "train")
            self._draws[task] = Draws(
                self._builder(task), questions, (self.inputs.params.release.seed, self.name, task)
            )
        return self._draws[task].row(Table(self.name, task, bucket, "train", 0), seed, number, turn)

    def measures(self, rows: Callable[[Table], Iterable[dict[str, Any]]]) -> dict[str, Any]:
        """Retrieval accuracy per task and bucket, of test rows."""
        found: dict[str, Any] = {}
        for table in self.tables():
            if table.part == "test" and self._plans[table.task].retrieval != "none":
                found.setdefault(table.task, {})[table.bucket] = retrieval.summary(rows(table))
        return {"retrieval": found} if found else {}

    def problems(self, row: dict[str, Any]) -> Iterator[str]:
        """Facts, supports and background, held against the prompt and the store."""
        here = (self.inputs.data / "corpora" / self.options.background / "meta.json").is_file()
        store, plan = self._store if here else None, self._plans[row["task"]]
        yield from proof.problems(row, plan.of, store, self._solution(plan.of, row["prompt"]), self._vocabulary)
        yield from retrieval_proof.problems(row, plan.retrieval, store, self.inputs.tokenizers[0])

    def identity(self, row: dict[str, Any]) -> str:
        """Facts and question."""
        return proof.identity(row)

    def background(self, row: dict[str, Any]) -> list[tuple[str, int, int]]:
        """Sentences of books, in order."""
        return proof.background(row)

    def solve(self, task: str, prompt: str) -> list[str] | None:
        """The exact solver's answer."""
        return [self._solution(self._plans[task].of, prompt).answer]

    def _solution(self, of: str, prompt: str) -> oracle.Solution:
        """What the oracle reads in a prompt; the last one is kept, since a row is proved in two checks."""
        if self._solved is None or self._solved[:2] != (of, prompt):
            self._solved = of, prompt, oracle.solve(of, prompt, strict=True, vocabulary=self._vocabulary)
        return self._solved[2]
