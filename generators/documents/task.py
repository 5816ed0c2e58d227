"""Questions, choices and summaries on long documents: instruction, examples, text, question; the text cut to its bucket.

Everything comes from data/documents/<name>/. Facts of the reference: docs/spec/helmet.md 8, 12; what differs here and why:
docs/suites/helmet.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

from corpora.stores.documents.store import PreparedQuestion
from generators.context.context import Context
from generators.documents import checks, headings, layout, prompts
from generators.documents.layout import Shown, Subject
from generators.documents.prepared import Filled, Prepared
from generators.documents.prompts import PromptQuestion, Wording
from generators.documents.settings import DocumentSettings
from generators.documents.stock import KEYPOINTS, Stock
from generators.documents.text import Text
from generators.inputs import Inputs
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row, Table
from generators.task import Task
from haymaker.core.buckets import MIN_FILL
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

_LEAST = 4  # a context has at least 1/4 of its bucket
_SEAM = 4  # tokens that seams may cost
_SHORT = "the document ends before the bucket is full"
_FEW = "the other documents end before the bucket is full"
_WIDE = "the evidence is wider than the bucket"
_PART = "the document does not fit whole among others, and nobody knows where its evidence stands"
_BETWEEN = "the document fits behind the words of a beginning, but not behind those of a whole one"
_UNKNOWN = "the document is longer than the bucket, and nobody knows where its evidence stands"


class DocumentTask(Task[DocumentSettings]):
    """What all three kinds have in common.

    Attributes:
        kind: which questions of a collection it asks (haymaker/core/rows/source_records.DocumentQuestion.kind).
    """

    settings_type: ClassVar[type[DocumentSettings]] = DocumentSettings
    natural = True
    prompts = Path(__file__).with_name("prompts.yaml")
    kind: ClassVar[str]

    def __init__(self, entry: Entry[DocumentSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.prepared = lru_cache(maxsize=64)(self._prepare)

    @abstractmethod
    def query(self, question: PreparedQuestion, letter: int) -> PromptQuestion:
        """A question as shown, without the title of its text; `letter` is the place of the right choice, from 0."""

    def of_beginning(self, query: PromptQuestion, question: PreparedQuestion, share: float) -> PromptQuestion:
        """The query where that share of its text, its beginning, is shown, about; of an example as much of its own."""
        return replace(query, beginning=True)

    def answered(self, prepared: Prepared, text: Text) -> dict[str, Any]:
        """The accepted answers to what is shown, and columns that only this kind has."""
        return {"answers": list(prepared.question.source.answers)}

    @cached_property
    def wording(self) -> Wording:
        """Its texts."""
        return Wording(**self.words)

    @cached_property
    def stock(self) -> Stock:
        """Its collection; tasks of a suite share it."""
        key = self.release.stream_key, self.entry.suite, self.settings.documents
        return self.inputs.shared(
            ("documents", *key), lambda: Stock(self.inputs.documents(key[-1]), self.inputs.tokenizers, *key)
        )

    def order(self, part: Split) -> list[PreparedQuestion]:
        """What the collection asks of a part, in the order in which rows of a number of tokens take it."""
        return self.stock.order(part, self.kind)

    def pool(self, part: Split) -> Pool[PreparedQuestion]:
        """What the collection asks of a part."""
        every = self.order(part)
        return Pool(part, every, lambda index: f"{self.stock.name}-{every[index].source.question_id}")

    def candidate_order(self, table: Table) -> Iterable[int]:
        """Natural rows are a random sample, whatever the size of their documents; the same order for all ranges of words."""
        every = range(len(self.order(table.part)))
        return self.stock.stream(table.part, self.kind, "natural").shuffled(every) if table.natural else every

    def question_of(self, candidate: Candidate) -> PreparedQuestion:
        """The question of a candidate."""
        return self.order(candidate.part)[candidate.number]

    def rejection_reason(self, candidate: Candidate) -> str:
        """Documents that serve as examples are not asked about."""
        kept = self.stock.demo_documents(candidate.part, self.kind, self.settings.shots)
        return "its document is kept for examples" if self.question_of(candidate).source.doc_id in kept else ""

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """What does not fit, or does not suffice; of a natural row, that it is not in the range of words."""
        if table.natural:
            return self._out_of_range(table, candidate)
        document = self.stock.documents[self.question_of(candidate).source.doc_id]
        if not self.settings.embedded and self.stock.tokens(document) < self.writer.room(table) // _LEAST:
            return _SHORT
        prepared = self._fitting(table, candidate)
        budget = self._budget(table, prepared)
        if budget < self.writer.tokens(table) // _LEAST:
            return "instruction, examples and answer leave less than a quarter of the bucket"
        text = self._text(prepared, table.part, budget)
        if text is None:
            return _PART if prepared.subject.evidence is None else _WIDE
        if text.is_cut and (reason := self.unshown(text)):
            return reason
        if prepared.query.beginning and self.stock.tokens(document) <= budget + 2 * _SEAM:
            return _BETWEEN
        if text.found.missing > (1 - MIN_FILL) * (table.tokens or 0):
            return _FEW if self.settings.embedded else _SHORT
        return "" if text.has_evidence else "the evidence lies behind the cut"

    def unshown(self, text: Text) -> str:
        """Why a part cannot stand for its document."""
        return "" if text.question.units else _UNKNOWN

    def _out_of_range(self, table: Table, candidate: Candidate) -> str:
        prepared, text = self._whole(candidate)
        answers = self.answered(prepared, text)["answers"]
        return self.writer.outside(table, prepared.frame, text.woven(), self._asked(prepared), answers)

    def limit(self, part: Split = "test") -> int:
        """Of all parts that the entry asks for; to a few tokens."""
        parts = {split for _, split, _ in self.entry.rows} or {part}
        every = (pool.candidate(number) for pool in map(self.pool, parts) for number in range(pool.count or 0))
        return max((self._reach(each) for each in every if not self.rejection_reason(each)), default=0)

    def _reach(self, candidate: Candidate) -> int:
        prepared = self.prepared(candidate, beginning=0, embedded=self.settings.embedded)
        size = self.stock.tokens(prepared.subject.document)
        if self.settings.embedded:
            every = self._others(prepared, candidate.part)
            others = sum(self.stock.mark(each.doc_id) + self.stock.tokens(each.run) for each in every)
            size = size + others if size <= 3 * others else 2 * others if prepared.subject.evidence else 0
        return size + self.writer.reserved + prepared.frame.tokens

    def _fitting(self, table: Table, candidate: Candidate) -> Prepared:
        """A question with the words that are true of what the bucket shows: all of a text, or (of summaries) its beginning.

        Examples of beginnings are the shorter ones, so a text may stand whole behind them alone: that one is not asked (`short_of`).
        """
        whole = self.prepared(candidate, beginning=0, embedded=self.settings.embedded)
        if self.settings.embedded or not self.wording.beginning:
            return whole
        budget = self._budget(table, whole)
        fits = self.stock.tokens(whole.subject.document) <= budget
        return whole if fits else self.prepared(candidate, beginning=budget, embedded=False)

    def _whole(self, candidate: Candidate) -> tuple[Prepared, Text]:
        """A question with all of its document, alone: a natural row."""
        prepared = self.prepared(candidate, beginning=0, embedded=False)
        return prepared, Text(self.stock, prepared.question, layout.whole(prepared.subject), embedded=False)

    def _asked(self, prepared: Prepared) -> str:
        """What the column `question` has: the question or query, else the request for a summary."""
        return prepared.query.text or prompts.request(self.wording, prepared.query)

    def _budget(self, table: Table, prepared: Prepared) -> int:
        """Tokens that a bucket leaves for the text, whatever seams cost."""
        return self.writer.room(table) - prepared.frame.tokens - _SEAM

    def _prepare(self, candidate: Candidate, beginning: int, embedded: bool) -> Prepared:
        stock, part, number, question = self.stock, candidate.part, candidate.number, self.question_of(candidate)
        title = stock.titles[question.source.doc_id] if embedded else ""
        document = stock.documents[question.source.doc_id]

        def asked(each: PreparedQuestion, letter: int) -> PromptQuestion:
            query = self.query(each, letter)
            return self.of_beginning(query, each, beginning / stock.tokens(document)) if beginning else query

        query = replace(asked(question, stock.letter(part, number, max(1, len(question.source.choices)))), title=title)
        demos = stock.demos(question, part, self.settings.shots)
        letters = zip(demos, stock.demo_letters(question, demos), strict=True)
        shown = [(demo.source.question_id, asked(demo, letter)) for demo, letter in letters]
        head, spans = prompts.head(self.wording, query, shown)
        frame = self.writer.frame(head, prompts.tail(self.wording, query), cue=self.wording.cue, spans=spans)
        evidence = stock.evidence(question) if question.units and self.settings.cut == "window" else None
        subject = Subject(question.source.doc_id, document, evidence, *stock.shares(part, self.kind, number))
        return Prepared(question, query, subject, demos, frame)

    def _text(self, prepared: Prepared, part: Split, budget: int) -> Text | None:
        """A text of at most that many tokens; None where the evidence does not fit."""
        sums, subject, embedded = self.stock.sums[0], prepared.subject, self.settings.embedded
        closed = partial(headings.without, self.stock.store)
        if embedded:
            found = layout.among(sums, subject, budget, self._others(prepared, part), self.stock.mark, closed)
        else:
            found = layout.alone(sums, subject, budget, closed)
        return None if found is None else Text(self.stock, prepared.question, found, embedded)

    def _others(self, prepared: Prepared, part: Split) -> Iterator[Shown]:
        """Documents that may stand around the asked one: others than its own text and those of examples."""
        return self.stock.others(
            prepared.question, part, {prepared.question.text, *(demo.text for demo in prepared.demos)}
        )

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """Cut to the bucket; of natural length, all of the document."""
        return self._sample(table, candidate, self._filled(table, candidate))

    def _filled(self, table: Table, candidate: Candidate) -> Filled:
        """What a row shows."""
        if table.natural:
            prepared, text = self._whole(candidate)
            tokens, context = self._context(text)
            counts = self.writer.count(prepared.frame, context.parts())
        else:
            prepared = self._fitting(table, candidate)
            (text, tokens), context, counts = self._fitted(table, candidate, prepared)
        return Filled(prepared, text, tokens, context, counts)

    def _sample(
        self, table: Table, candidate: Candidate, filled: Filled, noted: dict[str, Any] | None = None, **more: Any
    ) -> Sample:
        """The finished row; `noted` goes into the column `extra`, `more` are further arguments of RowWriter.sample."""
        prepared, text, tokens, context, counts = filled
        before = self.writer.tokens_before(prepared.frame, context, tokens)
        scored = any(point.terms for point in text.points)
        return self.writer.sample(
            table, candidate.key, prepared.frame, context, counts,
            question=self._asked(prepared),
            metrics=[name for name in self.spec.metrics if scored or name != KEYPOINTS],
            extra=text.facts("beginning" if prepared.subject.evidence is None else "window", prepared.frame) | (noted or {}),
            spans=text.evidence_spans(prepared.frame, before),
            demo_ids=[demo.source.question_id for demo in prepared.demos],
            **self.answered(prepared, text), **text.columns(), **more,
        )  # fmt: skip

    def _context(self, text: Text) -> tuple[int, Context]:
        """Release tokens of a text by its units, and the text as it stands in a row."""
        woven = text.woven()
        return woven.tokens[0], woven.flush(self.inputs.tokenizers)

    def _fitted(
        self, table: Table, candidate: Candidate, prepared: Prepared, spare: int = 0
    ) -> tuple[tuple[Text, int], Context, list[int]]:
        """Text and context that fill a bucket but for so many tokens, and exact counts."""

        def fill(budget: int) -> tuple[tuple[Text, int], Context]:
            text = self._text(prepared, table.part, budget - spare)
            if text is None:
                raise BuildError(_WIDE, where=f"{table.config} {candidate.key}", fix="drop the bucket")
            tokens, context = self._context(text)
            return (text, tokens), context

        return self.writer.fitted(table, prepared.frame, fill)

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The line that opens each of several and its title; as they follow one another, whatever else a text holds."""
        titles = [self.stock.titles[doc] for doc in row.doc_ids] if row.variant == "embedded" else []
        return layout.openers(row.text, row.context_start, titles)

    def problems(self, row: Row) -> Iterator[str]:
        """Text, evidence, choices and examples, held against the prompt and the collection."""
        yield from checks.of_prompt(row, self.settings.shots, self.wording)
        if self.inputs.are_here(self.uses()):
            yield from checks.of_collection(row, self.kind, self.wording, self.stock, KEYPOINTS in self.spec.metrics)
