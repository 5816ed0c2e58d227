"""Rows over passages: head with worked examples, passages, question; filled to their bucket, counted exactly (arXiv 2410.02694).

Everything comes from data/mined/<set>.parquet: questions, gold, ranked distractors. Facts of the reference:
docs/spec/helmet.md 5, 6, 7, 12; what differs here and why: docs/suites/helmet.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from corpora.stores.columns import taken
from corpora.stores.mined import MinedQuestion
from corpora.stores.passages.store import OPENER
from corpora.tokenizers.tokenizer import CountedText
from generators.context.fit import fit_ranked
from generators.context.pieces import Ints
from generators.context.units import Numbers, Units, openers
from generators.context.writer import Frame
from generators.passages import checks, demos, leaks, prompts
from generators.passages.material import Material
from generators.passages.questions import P, QuestionTask
from generators.spec import Allowed, BackgroundUnits, Candidate, Row, Table
from haymaker.core.errors import BuildError
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample, Spans

ENDS = "where the passages mined for a question end"
SKIPS = {
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.APART: "all parts search one corpus, so they share passages; no question of test comes again in dev or train",
}
TWO_NAMED = {
    "closed_book": Allowed(
        40, "comparisons, a fifth of the questions, name both things: their own words hold the answer"
    )
}
_TIGHT = 8192  # tokens of a bucket up to which passages of 100 words may fail to fill it
_TIGHT_UNITS = 64  # likewise, in passages of any size
_LOOKED_AT = 2  # buckets of passages that a row may be chosen from
_NO_ROOM = "gold and worked examples leave no room"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with everything that its rows share, encoded and counted.

    Attributes:
        material: its passages.
        units: the same, encoded as far as rows show them.
        frame: the words around them.
        demo_ids: questions of the worked examples.
        taken: release tokens of the passages that every row shows, less what its last one gives back (more or less a seam).
        sums: prefix sums of the others, in order of priority.
        rows: per variant the passages in order, and the exact counts.
    """

    material: Material
    units: Units
    frame: Frame
    demo_ids: list[str]
    taken: int
    sums: memoryview
    rows: list[tuple[list[Ints], list[list[int]]]] = field(default_factory=list)


class PassageTask(QuestionTask[P]):
    """Makes the rows of a task over passages."""

    @cached_property
    def _numbers(self) -> Numbers | None:
        label, tokenizers = self.label, self.inputs.tokenizers
        return self.inputs.shared(("numbers", label), lambda: Numbers(label, tokenizers)) if label else None

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Why a question makes no row of this bucket; empty when it does. Long buckets need the passages' sizes alone."""
        stub, room = self.stock.stub(candidate.number), self.writer.room(table)
        golds = sum(stub.question.gold.tokens[0][i] for i in self.fixed(stub.question))
        tight = max(_TIGHT, _TIGHT_UNITS * sum(stub.sizes) // max(1, len(stub.sizes)))
        if self.writer.tokens(table) > tight and sum(stub.sizes) >= room and golds <= room // 2:
            return ""
        try:
            prepared = self._prepared(table, candidate)
        except BuildError as error:
            return error.what
        left = room - prepared.frame.tokens - prepared.taken
        if left < 0:
            return _NO_ROOM
        if prepared.sums[-1] <= left:
            return "its distractors end before the bucket is full"
        orders, counts = self._chosen(table, candidate)
        if self.placed and len(orders[0]) < self.variants:
            return "fewer passages than depths"
        return "" if self.writer.is_full(table, counts[0]) else "no choice of passages fills 99.5 %"

    def _prepared(self, table: Table, candidate: Candidate) -> Prepared:
        """The question that is kept: its rows are asked for side by side."""
        key = self.entry.where, candidate.key, table.bucket
        return self.inputs.held(key, lambda: self._prepare(candidate.number, table.tokens))

    def _prepare(self, number: int, bucket: int | None) -> Prepared:
        material = self.material(self.stock.mined.read(number))
        shown = demos.choose(self, material)
        hidden = frozenset[str]().union(*(demo.passages for demo in shown))
        ids = material.passages.passage_id[:]
        pool = [i for i in material.pool if ids[i] not in hidden] if hidden else material.pool
        if bucket:
            pool = pool[: _reach(material.passages.tokens[0], pool, bucket)]
        material = replace(material, pool=pool)
        head, spans = prompts.head(self.wording, material.question.question, shown)
        tail = prompts.tail(self.wording, material.question.question)
        frame = self.writer.frame(head + OPENER, tail, cue=self.wording.cue, opener=OPENER, spans=spans)
        units = material.units(self.inputs.tokenizers, self._numbers)
        fixed, sums = units.sums(material.fixed, pool)
        taken, demo_ids = fixed - units.closing_tokens(), [demo.question_id for demo in shown]
        return Prepared(material, units, frame, demo_ids, taken, sums)

    def _chosen(self, table: Table, candidate: Candidate) -> tuple[list[Ints], list[list[int]]]:
        """The passages of a question's rows, the same in each, in the order of each variant; and exact counts."""
        prepared = self._prepared(table, candidate)
        material, units = prepared.material, prepared.units

        def fill(budget: int) -> tuple[list[Ints], list[list[list[CountedText]]]]:
            left = budget - prepared.taken
            more = fit_ranked(prepared.sums, left, table.tokens or 0) if left >= 0 else []
            chosen = np.array([*material.fixed, *taken(material.pool, more)], dtype=np.int64)
            if left < 0 or not len(chosen):
                raise BuildError(_NO_ROOM, where=candidate.key, fix="drop the bucket")
            orders = [self.order(material, chosen, variant) for variant in range(self.variants)]
            return orders, [units.edges(order) for order in orders]

        if not prepared.rows:
            prepared.rows.append(self.writer.fitted_all(table, prepared.frame, fill))
        return prepared.rows[0]

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a question in a bucket, at a depth or in an order."""
        prepared, (orders, counts) = self._prepared(table, candidate), self._chosen(table, candidate)
        context, order, material = prepared.units.context(orders[variant]), orders[variant].tolist(), prepared.material
        kinds, labels = self.marks(material, order)
        passages, doc_ids = material.passages, taken(material.passages.passage_id, order)
        titles = [title or None for title in taken(passages.title, order)]
        others = titles, taken(passages.rank, order), taken(passages.score, order)
        spans = Spans(kinds, *prepared.frame.places(context), doc_ids, labels, *others)
        return self.writer.sample(
            table, candidate.key, prepared.frame, context, counts[variant],
            point=f"{'d' if self.placed else 'p'}{variant}",
            question=material.question.question,
            references=material.question.references or None,
            spans=[spans],
            demo_ids=prepared.demo_ids,
            gold_by=material.question.gold_by or None,
            haystack=self.stock.mined.meta.get("params", {}).get("passages"),
            n_distractors=(kinds if labels is None else labels).count("distractor" if labels is None else "0"),
            n_units=len(order),
            n_unique_units=len(set(taken(passages.text, order))),
            doc_ids=doc_ids,
            **self.answered(material, order) | {"depth_index" if self.placed else "permutation": variant},
        )  # fmt: skip

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The number and title of each."""
        return openers(row)

    def problems(self, row: Row) -> Iterator[str]:
        """Passages and examples, held against the prompt and the mined set."""
        spans = checks.passages(row)
        yield from checks.tiles(row, spans, self.label, graded=self.graded)
        yield from checks.counts(row, spans, self.settings.shots)
        yield from self.claims(row, spans)
        if not self.inputs.are_here(self.uses()):
            return
        number = self.stock.number_of.get(row["group_id"])
        if number is None:
            yield f"no question {row['group_id']} in the mined set"
            return
        question = self.inputs.held(("mined", row["group_id"]), lambda: self.stock.mined.read(number))
        yield from self.compared(row, spans, question)
        train = (f"{self.stock.name}-train-{demo}" in self.stock.number_of for demo in row["demo_ids"])
        if question.question_id in row["demo_ids"] or not all(train):
            yield "a worked example is not another question of part train"

    def claims(self, row: Row, spans: checks.Spans) -> Iterator[str]:
        """What is wrong with what a row says of its passages: depth, answer."""
        return iter(())

    def compared(self, row: Row, spans: checks.Spans, question: MinedQuestion) -> Iterator[str]:
        """What is wrong with a row beside its question as mined."""
        yield from checks.as_mined(row, spans, question, graded=self.graded)

    def answer_leaks(self, row: Row) -> Iterator[str]:
        """Distractors and worked examples that hold an answer."""
        return leaks.answer_leaks(row)

    def background(self, row: Row) -> BackgroundUnits:
        """Passages in order; without the gold where it is placed, since its place follows the length."""
        golds = {span["ref"] for span in row["spans"] if span["kind"] == "gold"} if self.placed else set()
        return [doc for doc in row["doc_ids"] if doc not in golds]


def _reach(tokens: Sequence[int], pool: list[int], bucket: int) -> int:
    """How many of the pool a row may choose among: what fills the bucket, and more than fit_ranked looks at behind it."""
    sizes = np.asarray(tokens, dtype=np.int64)[np.asarray(pool, dtype=np.int64)]
    return int(np.searchsorted(np.cumsum(sizes), _LOOKED_AT * bucket)) + 1
