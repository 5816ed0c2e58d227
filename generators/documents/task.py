"""Questions, choices and summaries on long documents that are cut to the length of the row.

Data: data/documents/<name>/. Facts about the reference: docs/spec/helmet.md 8, 12; differences and their reasons: docs/suites/helmet.md.
TaskSpec.kind is a kinds.Asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

from corpora.stores.documents.store import PreparedQuestion
from generators.context.prompt import framed
from generators.documents import checks, layout, prompts
from generators.documents.cuts import without_headings
from generators.documents.kinds import Asks, DocumentSettings, Kind
from generators.documents.layout import Layout, Shown, Subject
from generators.documents.prompts import PromptQuestion, Wording
from generators.documents.stock import KEYPOINTS, Stock
from generators.documents.text import Filled, Prepared, Text
from generators.inputs import Inputs
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row, Table
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.lengths import MIN_FILL
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split

_LEAST = 4  # a context fills at least 1/4 of its length
_SEAM = 4  # tokens that token boundaries may cost
_SHORT = "the document ends before the length is full"
_FEW = "the other documents end before the length is full"
_WIDE = "the evidence is wider than the length"
_PART = "the document does not fit whole among others, and the place of its evidence is unknown"
_BETWEEN = "the document fits behind the words of a beginning, but not behind those of a whole one"


class DocumentTask(Task[DocumentSettings]):
    """Rows with a question about one document."""

    settings_type: ClassVar[type[DocumentSettings]] = DocumentSettings
    natural = True
    prompts = Path(__file__).with_name("prompts.yaml")

    def __init__(self, entry: Entry[DocumentSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.asks: Asks = self.spec.kind
        self.order = cache(self._order)
        self.prepared = lru_cache(maxsize=64)(self._prepare)
        self.filled = lru_cache(maxsize=1)(self._filled)  # the rows of a question are built one after another

    @cached_property
    def wording(self) -> Wording:
        """Prompt texts."""
        return Wording(**self.words)

    @cached_property
    def stock(self) -> Stock:
        """Collection, shared by the tasks of a suite."""
        inputs, key = self.inputs, (self.release.stream_key, self.entry.suite, self.settings.documents)
        return inputs.shared(("documents", *key), lambda: Stock(inputs.documents(key[-1]), inputs.tokenizers, *key))

    @cached_property
    def kind(self) -> Kind:
        """Kind of the questions."""
        return self.asks.kind(self.stock, self.wording, self.settings, self.spec.max_new_tokens)

    # ------------------------------------------------------------------------------------------------ candidates

    @cached_property
    def share(self) -> tuple[int, int]:
        """Index of this task among the tasks of the suite with the same questions, and their number.

        These tasks take disjoint shares of the documents, so that the mean of a suite counts no question twice. Published
        items are not shared: their tasks ask all of them.
        """
        mine = self.asks, self.settings.documents
        found = [each for each in self.entry.siblings.values() if isinstance(each.settings, DocumentSettings)]
        alike = {each.spec.name for each in found if (each.spec.kind, each.settings.documents) == mine}
        names = [self.spec.name] if self.asks.item else sorted(alike | {self.spec.name})
        return names.index(self.spec.name), len(names)

    def fingerprint(self) -> dict[str, Any]:
        index, count = self.share
        return super().fingerprint() | ({"share": [index, count]} if count > 1 else {})

    def _order(self, split: Split) -> list[PreparedQuestion]:
        every, (index, count) = self.stock.order(split, self.kind.name, self.asks.item), self.share
        if count == 1 or split == "train":  # training rows enter no mean, and there are few documents
            return every
        return [each for each in every if self.stock.dealt(split)[each.text] % count == index]

    def pool(self, split: Split) -> Pool[PreparedQuestion]:
        every = self.order(split)
        return Pool(split, every, lambda index: f"{self.stock.name}-{every[index].source.question_id}")

    def candidate_order(self, table: Table) -> Iterable[int]:
        """Natural rows have documents of any size in random order, the same for all ranges of words."""
        every = range(len(self.order(table.split)))
        return self.stock.stream(table.split, self.kind.name, "natural").shuffled(every) if table.natural else every

    def question_of(self, candidate: Candidate) -> PreparedQuestion:
        """Return the question of a candidate."""
        return self.order(candidate.split)[candidate.number]

    def rejection_reason(self, candidate: Candidate) -> str:
        question = self.question_of(candidate)
        if self.asks.item and (reason := self.kind.item_rejection_reason(question)):
            return reason
        if question.source.doc_id in self.stock.example_documents(candidate.split, self.kind.name, self.settings.shots):
            return "its document is kept for examples"
        return self.kind.rejection_reason(question, candidate.split)

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        if table.natural:
            return self._out_of_range(table, candidate)
        size = self.stock.tokens(self.stock.documents[self.question_of(candidate).source.doc_id])
        if not self.settings.distractor_documents and size < self.writer.room(table) // _LEAST:
            return _SHORT
        prepared = self._fitting(table, candidate)
        budget = self._budget(table, prepared)
        if budget < self.writer.tokens(table) // _LEAST:
            return "instruction, examples and answer leave less than a quarter of the length"
        text = self._text(prepared, budget)
        if text is None:
            return _PART if prepared.subject.evidence is None else _WIDE
        if text.is_cut and (reason := self.kind.cut_rejection_reason(text)):
            return reason
        if prepared.queries[0].beginning and size <= budget + 2 * _SEAM:
            return _BETWEEN
        if text.found.missing > (1 - MIN_FILL) * (table.tokens or 0):
            return _FEW if self.settings.distractor_documents else _SHORT
        return self._not_full(table, candidate) if text.has_evidence else "the evidence lies behind the cut"

    def _not_full(self, table: Table, candidate: Candidate) -> str:
        try:
            full = all(self.writer.is_full(table, counts) for counts in self.filled(table, candidate).counts)
        except BuildError as error:
            return error.what
        return "" if full else "no sentence end fills 99.5 %"

    def _out_of_range(self, table: Table, candidate: Candidate) -> str:
        prepared, text = self._whole(candidate)
        query, frame = prepared.queries[0], prepared.frames[0]
        answers = self.kind.columns(query, text, 0)["answers"]
        return self.writer.outside(table, frame, text.joined(), self._shown(query), answers)

    def limit(self, split: Split = "test") -> int:
        """The longest of all splits of the entry, to a few tokens."""
        splits = {own for _, own, _ in self.entry.rows} or {split}
        every = (pool.candidate(number) for pool in map(self.pool, splits) for number in range(pool.count or 0))
        return max((self._reach(each) for each in every if not self.rejection_reason(each)), default=0)

    def _reach(self, candidate: Candidate) -> int:
        prepared = self.prepared(candidate, 1.0, self.settings.distractor_documents)
        size = self.stock.tokens(prepared.subject.document)
        if self.settings.distractor_documents:
            others = sum(self.stock.mark(each.doc_id) + self.stock.tokens(each.run) for each in self._others(prepared))
            size = size + others if size <= 3 * others else 2 * others if prepared.subject.evidence else 0
        return size + self.writer.reserved + prepared.around

    # ------------------------------------------------------------------------------------------------------ rows

    def _prepare(self, candidate: Candidate, share: float, embedded: bool) -> Prepared:
        """A question on that share of its document; summaries in examples are of the same share."""
        stock, kind, split, number = self.stock, self.kind, candidate.split, candidate.number
        question = self.question_of(candidate)
        doc_id, letter = question.source.doc_id, stock.letter(split, number, max(1, len(question.source.choices)))
        query = replace(kind.query(question, letter, share), title=stock.titles[doc_id] if embedded else "")
        examples = stock.examples(question, split, self.settings.shots)
        letters = zip(examples, stock.example_letters(question, examples), strict=True)
        shown = [(example.source.question_id, kind.query(example, letter, share)) for example, letter in letters]
        queries, wording = tuple(kind.orders(query)), self.wording
        frames = (
            framed(self.writer, prompts.parts(wording, each, shown), prompts.tail(wording, each), cue=wording.cue)
            for each in queries
        )
        evidence = stock.evidence(question) if question.units and self.settings.cut == "window" else None
        subject = Subject(doc_id, stock.documents[doc_id], evidence, *stock.shares(split, kind.name, number))
        return Prepared(question, subject, examples, queries, tuple(frames))

    def _fitting(self, table: Table, candidate: Candidate) -> Prepared:
        """A question with the instruction for a whole text, or (summaries that do not fit) for its beginning."""
        whole = self.prepared(candidate, 1.0, self.settings.distractor_documents)
        if self.settings.distractor_documents or not self.wording.beginning:
            return whole
        budget, size = self._budget(table, whole), self.stock.tokens(whole.subject.document)
        return whole if size <= budget else self.prepared(candidate, budget / size, False)

    def _whole(self, candidate: Candidate) -> tuple[Prepared, Text]:
        """A question and its whole document without others: a natural row."""
        prepared = self.prepared(candidate, 1.0, False)
        found = Layout((Shown(prepared.subject.doc_id, prepared.subject.document),), 0)
        return prepared, Text(self.stock, prepared.question, found, embedded=False)

    def _shown(self, query: PromptQuestion) -> str:
        """Column `question`: the question or query, or the request for a summary."""
        return query.text or prompts.request(self.wording, query)

    def _budget(self, table: Table, prepared: Prepared) -> int:
        """Tokens that a length certainly leaves for the text."""
        return self.writer.room(table) - prepared.around - _SEAM

    def _text(self, prepared: Prepared, budget: int) -> Text | None:
        """A text of at most that many tokens; None if the evidence does not fit."""
        stock, subject, trim = self.stock, prepared.subject, partial(without_headings, self.stock.store)
        if self.settings.distractor_documents:
            found = layout.among(stock.sums[0], subject, budget, self._others(prepared), stock.mark, trim)
        else:
            found = layout.alone(stock.sums[0], subject, budget, trim)
        return None if found is None else Text(stock, prepared.question, found, self.settings.distractor_documents)

    def _others(self, prepared: Prepared) -> Iterator[Shown]:
        """Documents that may be around the main one; their texts differ from it and the examples."""
        question, excluded = (
            prepared.question,
            {prepared.question.text, *(example.text for example in prepared.examples)},
        )
        return self.stock.others(question, question.source.split, excluded, self.asks.item)

    def _filled(self, table: Table, candidate: Candidate) -> Filled:
        if table.natural:
            return self._counted(*self._whole(candidate))
        prepared = self._fitting(table, candidate)

        def fill(budget: int) -> tuple[Filled, list[list[int]]]:
            text = self._text(prepared, budget)
            if text is None:
                raise BuildError(_WIDE, where=f"{table.config} {candidate.key}", fix="drop the length")
            filled = self._counted(prepared, text)
            return filled, filled.counts

        return self.writer.within(table, prepared.around, fill)[0]

    def _counted(self, prepared: Prepared, text: Text) -> Filled:
        joined = text.joined()
        context = joined.flush(self.inputs.tokenizers)
        counts = [self.writer.count(frame, context.parts()) for frame in prepared.frames]
        return Filled(prepared, text, joined.tokens[0], context, counts)

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        prepared, text, tokens, context, counts = self.filled(table, candidate)
        query, frame = prepared.queries[variant], prepared.frames[variant]
        columns = self.kind.columns(query, text, variant)
        facts = text.facts("beginning" if prepared.subject.evidence is None else "window", frame)
        scored = any(point.terms for point in text.points)
        return self.writer.sample(
            table, candidate.key, frame, context, counts[variant],
            question=self._shown(query),
            metrics=[name for name in self.spec.metrics if scored or name != KEYPOINTS],
            metadata=facts | columns.pop("metadata", {}),
            spans=text.evidence_spans(frame, self.writer.tokens_before(frame, context, tokens)),
            fewshot_ids=[example.source.question_id for example in prepared.examples],
            **columns, **text.columns(),
        )  # fmt: skip

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The title lines; searched in order because a text may contain such lines."""
        text, at, found = row.text, row.context_start, list[tuple[int, int]]()
        for doc_id in row.doc_ids if row.variant == "distractor_documents" else ():
            opener = layout.MARK.format(title=self.stock.titles[doc_id]).strip()
            start = text.index(opener, at)
            at = start + len(opener)
            found.append((start, at))
        return found

    # ---------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        yield from checks.of_prompt(row, self.settings.shots, self.wording)
        if self.inputs.are_here(self.uses()):
            scores_points = KEYPOINTS in self.spec.metrics
            yield from checks.of_collection(row, self.kind.name, self.wording, self.stock, scores_points)
