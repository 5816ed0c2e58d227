"""Rows over passages: worked examples, passages, question (arXiv 2410.02694).

Questions, golds and ranked distractors are read from data/retrieval_sets/<set>.parquet. TaskSpec.kind creates a Kind (kinds.py).
For the reference see docs/spec/helmet.md 5, 6, 7, 12; for differences and their reasons docs/suites/helmet.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from corpora.stores.columns import taken
from corpora.stores.mined import MinedQuestion
from corpora.tokenizers.tokenizer import CountedText
from generators.context.fit import fit_ranked
from generators.context.pieces import Ints
from generators.context.units import Numbers, Units, openers
from generators.context.writer import Frame
from generators.passages import checks, prompts
from generators.passages.kinds import Kind
from generators.passages.material import Material, Stock
from generators.passages.prompts import WorkedExample
from generators.passages.settings import P, PermutedSettings
from generators.pool import Pool
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample, Spans
from haymaker.core.rows.source_records import Split

ENDS = "where the passages mined for a question end"
SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.APART: "all splits search one corpus, so they share passages; no question of test comes again in dev or train",
}
_COMPARISONS = "comparisons, a fifth of the questions, name both things: their own words hold the answer"
TWO_NAMED = {"closed_book": Allowed(40, _COMPARISONS)}
_TIGHT = 8192  # largest length in tokens that passages of 100 words may fail to fill
_TIGHT_UNITS = 64  # the same limit in passages of any size
_LOOKED_AT = 2  # tokens of the passages that a row is chosen from, in lengths
_NO_ROOM = "gold and worked examples leave no room"

Orders = tuple[list[Ints], list[list[int]]]
"""Passages of each variant in order, and the exact counts of each."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with everything that its rows share, encoded and counted."""

    material: Material
    units: Units  # its passages, encoded as far as rows show them
    frame: Frame
    fewshot_ids: list[str]  # questions of the worked examples
    taken: int  # tokens of the passages in every row without the last ending, except for token boundaries
    sums: memoryview  # prefix sums of the tokens of the others, in order of priority
    rows: list[Orders] = field(default_factory=list)  # orders and counts, once they are known


class PassageTask(Task[P]):
    """Makes rows over passages: permutations of all passages of a question."""

    settings_type: ClassVar[type[TaskSettings]] = PermutedSettings
    prompts = Path(__file__).with_name("prompts.yaml")
    placed: ClassVar[bool] = False  # whether the only gold is at chosen depths

    def check(self) -> None:
        """Also refuse several permutations of one order, and worked examples from a set without train questions."""
        super().check()
        settings, mined = self.settings, self.inputs.params.retrieval_sets.get(self.settings.retrieval_set)
        if not self.placed and settings.order == "retrieval" and self.variants > 1:
            raise ParamsError(
                f"{self.variants} permutations of passages in the order of retrieval would be identical rows",
                where=f"{self.entry.where}.order", fix="use order: shuffled, or permutations: 1",
            )  # fmt: skip
        if settings.shots and isinstance(mined, dict) and not (mined.get("count") or {}).get("train"):
            raise ParamsError(
                f"task {self.entry.name!r} uses {settings.shots} worked examples, but the set contains none",
                where=f"retrieval_sets.{settings.retrieval_set}.count", fix="add train: 20, or set shots: 0 on the task",
            )  # fmt: skip

    @cached_property
    def kind(self) -> Kind:
        """Kind of the questions."""
        kind: Kind = self.spec.kind(partial(self.stream, self.settings.retrieval_set), self.placed)
        return kind

    @cached_property
    def stock(self) -> Stock:
        """Mined set, shared by all tasks that use it."""
        name, key = self.settings.retrieval_set, self.release.stream_key
        return self.inputs.shared(("mined stock", name), lambda: Stock(self.inputs.mined(name), name, key))

    def limit(self, split: Split = "test") -> int | None:
        return max((sum(self.stock.stub(i).sizes) for i in self.stock.order(split)), default=None)

    def pool(self, split: Split) -> Pool[int]:
        order = self.stock.order(split)
        return Pool(split, order, lambda index: self.stock.group_id(order[index]), order.__getitem__)

    def rejection_reason(self, candidate: Candidate) -> str:
        if reason := self.kind.rejects(self.stock.stub(candidate.number).question):
            return reason
        found, shots = len(self._examples(candidate.number)), self.settings.shots
        return f"only {found} of {shots} worked examples fit" if found < shots else ""

    def _examples(self, number: int, material: Material | None = None) -> list[WorkedExample]:
        """Return the worked examples of a question; `material` saves reading it again."""

        def choose() -> list[WorkedExample]:
            own = material or self.kind.material(self.stock.mined.read(number))
            return prompts.choose(self.kind, self.stock, prompts.Wording(**self.words), own, self.settings)

        key = "worked examples", self.entry.where, number
        return self.inputs.shared(key, choose) if self.settings.shots else []

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Decide long lengths by the sizes of golds, worked examples and passages only."""
        stub, room = self.stock.stub(candidate.number), self.writer.room(table)
        golds = sum(stub.question.gold.tokens[0][i] for i in self.kind.fixed(stub.question))
        around = golds + sum(
            self.inputs.tokenizers[0].count_part(example.text) for example in self._examples(candidate.number)
        )
        tight = max(_TIGHT, _TIGHT_UNITS * sum(stub.sizes) // max(1, len(stub.sizes)))
        if self.writer.tokens(table) > tight and sum(stub.sizes) >= room and around <= room // 2:
            return ""
        try:
            prepared = self._prepared(table, candidate)
        except BuildError as error:
            return error.what
        left = room - prepared.frame.tokens - prepared.taken
        if left < 0:
            return _NO_ROOM
        if prepared.sums[-1] <= left:
            return "its distractors end before the length is full"
        orders, counts = self._chosen(table, candidate)
        if self.placed and len(orders[0]) < self.variants:
            return "fewer passages than depths"
        if not self.writer.is_full(table, counts[0]):
            return "no choice of passages fills 99.5 %"
        return self.kind.unusable(prepared.material, orders[0].tolist())

    def _prepared(self, table: Table, candidate: Candidate) -> Prepared:
        """Return the question of a candidate, cached while its rows are requested one after another."""
        key = self.entry.where, candidate.key, table.length
        return self.inputs.held(key, lambda: self._prepare(candidate.number, table.tokens))

    def _prepare(self, number: int, length: int | None) -> Prepared:
        wording, tokenizers, label = prompts.Wording(**self.words), self.inputs.tokenizers, self.kind.label
        material = self.kind.material(self.stock.mined.read(number))
        shown = self._examples(number, material)
        hidden = frozenset[str]().union(*(example.passages for example in shown))
        ids = material.passages.passage_id[:]
        pool = [i for i in material.pool if ids[i] not in hidden] if hidden else material.pool
        if length:  # enough passages to fill it, and more than fit_ranked looks at
            sizes = np.asarray(material.passages.tokens[0], dtype=np.int64)[np.asarray(pool, dtype=np.int64)]
            pool = pool[: int(np.searchsorted(np.cumsum(sizes), _LOOKED_AT * length)) + 1]
        material = replace(material, pool=pool)
        frame = wording.frame(self.writer, material.question.question, shown)
        numbers = self.inputs.shared(("numbers", label), lambda: Numbers(label, tokenizers)) if label else None
        units = material.units(tokenizers, numbers)
        fixed, sums = units.sums(material.fixed, pool)
        fewshot_ids = [example.question_id for example in shown]
        return Prepared(material, units, frame, fewshot_ids, fixed - units.closing_tokens(), sums)

    def order(self, material: Material, chosen: Ints, variant: int) -> Ints:
        """Return the passages of a row, first to last."""
        if self.settings.order == "retrieval":
            ranks = taken(material.passages.rank, chosen.tolist())
            places = np.array([-1 if rank is None else rank for rank in ranks])  # golds that were not found are first
        else:
            draws = self.kind.draws(material.question, "order", variant)
            places = np.array(draws.shuffled(range(len(material.passages))), dtype=np.int64)[chosen]
        found: Ints = chosen[np.lexsort((chosen, places))]
        return found

    def _orders(self, prepared: Prepared, chosen: Sequence[int]) -> tuple[list[Ints], list[list[list[CountedText]]]]:
        """Return the chosen passages in the order of each variant, and these contexts as parts per tokenizer."""
        at = np.array(chosen, dtype=np.int64)
        orders = [self.order(prepared.material, at, variant) for variant in range(self.variants)]
        return orders, [prepared.units.edges(order) for order in orders]

    def _chosen(self, table: Table, candidate: Candidate) -> Orders:
        """Return the passages of a question, the same in all its rows, in the order of each variant."""
        prepared = self._prepared(table, candidate)
        if not prepared.rows:
            prepared.rows.append(self._filled(table, candidate.key, prepared))
        return prepared.rows[0]

    def _filled(self, table: Table, where: str, prepared: Prepared) -> Orders:
        material = prepared.material

        def fill(budget: int) -> tuple[list[Ints], list[list[list[CountedText]]]]:
            left = budget - prepared.taken
            more = fit_ranked(prepared.sums, left, table.tokens or 0) if left >= 0 else []
            chosen = [*material.fixed, *taken(material.pool, more)]
            if left < 0 or not chosen:
                raise BuildError(_NO_ROOM, where=where, fix="drop the length")
            return self._orders(prepared, chosen)

        return self.writer.fitted_all(table, prepared.frame, fill)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        prepared, (orders, counts) = self._prepared(table, candidate), self._chosen(table, candidate)
        context, order, material = prepared.units.context(orders[variant]), orders[variant].tolist(), prepared.material
        kinds, labels = self.kind.marks(material, order)
        question, passages, doc_ids = material.question, material.passages, taken(material.passages.passage_id, order)
        titles = [title or None for title in taken(passages.title, order)]
        others = titles, taken(passages.rank, order), taken(passages.score, order)
        return self.writer.sample(
            table, candidate.key, prepared.frame, context, counts[variant], point=f"{'d' if self.placed else 'p'}{variant}",
            question=question.question, references=question.references or None, gold_source=question.gold_source or None,
            spans=[Spans(kinds, *prepared.frame.places(context), doc_ids, labels, *others)],
            fewshot_ids=prepared.fewshot_ids, doc_ids=doc_ids, background_corpus=self.stock.mined.meta.get("params", {}).get("passages"),
            num_segments=len(order), num_unique_segments=len(set(taken(passages.text, order))),
            num_distractors=(kinds if labels is None else labels).count("distractor" if labels is None else "0"),
            **self.kind.answered(material, order) | {"depth_index" if self.placed else "order_index": variant},
        )  # fmt: skip

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        return openers(row)

    def problems(self, row: Row) -> Iterator[str]:
        spans = checks.passages(row)
        yield from checks.tiles(row, spans, self.kind.label, graded=self.kind.graded)
        yield from checks.numbers(row, spans, self.settings.shots)
        yield from self.kind.problems(row, spans)
        if not self.inputs.are_here(self.uses()):
            return
        number = self.stock.number_of.get(row["group_id"])
        if number is None:
            yield f"no question {row['group_id']} in the mined set"
            return
        question = self.inputs.held(("mined", row["group_id"]), lambda: self.stock.mined.read(number))
        yield from self.compared(row, spans, question)
        train = (f"{self.stock.name}-train-{example}" in self.stock.number_of for example in row["fewshot_ids"])
        if question.question_id in row["fewshot_ids"] or not all(train):
            yield "a worked example is not another question of split train"

    def compared(self, row: Row, spans: checks.Spans, question: MinedQuestion) -> Iterator[str]:
        """Yield differences between a row and its question as mined."""
        yield from checks.as_mined(row, spans, question, self.priority(question), graded=self.kind.graded)

    def priority(self, question: MinedQuestion) -> list[int]:
        """Return the numbers of the distractors in the order in which longer contexts take them."""
        golds = len(question.gold)
        return [i - golds for i in self.kind.ranked(question) if i >= golds]

    def answer_leaks(self, row: Row) -> Iterator[str]:
        return checks.answer_leaks(row)

    def background(self, row: Row) -> BackgroundUnits:
        golds = {span["ref"] for span in row["spans"] if span["kind"] == "gold"} if self.placed else set()
        return [doc for doc in row["doc_ids"] if doc not in golds]
