"""One row on a long document: instruction, examples, text, question; the text cut to its bucket, counted exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from corpora.readings import PreparedAsk
from corpora.tokenizer import Part as TextPart
from generators import pieces
from generators.haystack import Haystack, Needle, Run, weave
from generators.helmet.reading import layout, prompts
from generators.helmet.reading.catalogue import KEYPOINTS
from generators.helmet.reading.layout import MARK, Layout, Shown, Subject
from generators.helmet.reading.params import TaskPlan
from generators.helmet.reading.prompts import Asked
from generators.helmet.reading.stock import Stock
from generators.pieces import Filling
from generators.rows import Frame, RowWriter
from generators.task import Table
from haymaker.buckets import MIN_FILL
from haymaker.errors import BuildError
from haymaker.sample import Sample, Span

_LEAST = 4  # a context has at least 1/4 of its bucket
_SEAM = 4  # tokens that seams may cost
SHORT = "the document ends before the bucket is full"
FEW = "the other documents end before the bucket is full"
WIDE = "the evidence is wider than the bucket"
PART = "the document does not fit whole among others, and nobody knows where its evidence stands"
BEYOND = "the evidence lies behind the cut"
ROOMLESS = "instruction, examples and answer leave less than a quarter of the bucket"
LONG = "the answer is longer than the room for it"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question with everything that its rows share at every length.

    Attributes:
        ask: the question.
        asked: as a reader is shown it.
        subject: the document, and what must stay in it.
        demos: the examples.
        frame: the words around the text.
    """

    ask: PreparedAsk
    asked: Asked
    subject: Subject
    demos: list[PreparedAsk]
    frame: Frame


class RowBuilder:
    """Builds the rows of one task.

    Args:
        plan: the task entry.
        stock: the collection.
        writer: counts and writes rows.
        sources: names of the sources used.
    """

    def __init__(self, plan: TaskPlan, stock: Stock, writer: RowWriter, sources: list[str]) -> None:
        self._plan, self._stock, self._writer, self._sources = plan, stock, writer, sources
        self._tokenizers = writer.tokenizers
        self._sums = [stock.store.tokens_at(t.fingerprint) for t in self._tokenizers]
        self._wording = prompts.wordings()[plan.kind.prompt]
        self.prepared = lru_cache(maxsize=64)(self._prepare)
        self._mark = cache(self._count_mark)

    # -------------------------------------------------------------------------------------------------- questions

    def candidates(self, part: str) -> list[PreparedAsk]:
        """What a part asks, in the order in which rows take it."""
        return self._stock.order(part, self._plan.kind.asks)

    def unfit(self, part: str, ask: PreparedAsk) -> str:
        """Why a question is asked at no length; empty when it can be."""
        if ask.ask.doc_id in self._stock.demo_documents(part, self._plan.kind.asks, self._plan.shots):
            return "its document is kept for examples"
        if ask.ask.kind == "qa":
            answer = self._tokenizers[0].count_part(f" {ask.ask.answers[0]}")
            return LONG if answer > self._plan.kind.max_new_tokens else ""
        return ""

    def short_of(self, table: Table, number: int) -> str:
        """Why question `number` makes no row of this bucket; empty when it does."""
        ask = self.candidates(table.part)[number]
        document = self._stock.tokens(self._stock.document(ask.ask.doc_id))
        if not self._plan.embedded and document < self._writer.room(table) // _LEAST:
            return SHORT
        prepared = self._fitting(table, number)
        budget = self._budget(table, prepared)
        if budget < (table.tokens or 0) // _LEAST:
            return ROOMLESS
        made = self._layout(prepared, table.part, budget)
        if made is None:
            return PART if prepared.subject.evidence is None else WIDE
        found, enough = made
        if not enough and (budget - self._size(found)) > (1 - MIN_FILL) * (table.tokens or 0):
            return FEW if self._plan.embedded else SHORT
        first, last = self._evidence(prepared.ask)
        return "" if found.own.first <= first and last <= found.own.last else BEYOND

    def _fitting(self, table: Table, number: int) -> Prepared:
        """A question with the words that are true of what the bucket shows: all of a text, or (of summaries) its beginning.

        The words for a beginning are the longer ones, so a text that does not stand whole behind the others does not behind them.
        """
        whole = self.prepared(table.part, number, beginning=False)
        if self._plan.embedded or not self._wording.beginning:
            return whole
        fits = self._stock.tokens(whole.subject.document) <= self._budget(table, whole)
        return whole if fits else self.prepared(table.part, number, beginning=True)

    def _budget(self, table: Table, prepared: Prepared) -> int:
        """Tokens that a bucket leaves for the text, whatever seams cost."""
        return self._writer.room(table) - prepared.frame.heads[0].tokens - prepared.frame.tails[0].tokens - _SEAM

    def _evidence(self, ask: PreparedAsk) -> tuple[int, int]:
        """Units of the store from the first to the last of the evidence; of the document's first one, where it is unknown."""
        start = self._stock.document(ask.ask.doc_id).first
        first, last = ask.bounds
        return start + first, start + last

    def reach(self, part: str, number: int) -> int:
        """Tokens of the longest row of a question, to a few."""
        prepared = self.prepared(part, number, beginning=False)
        own = self._stock.tokens(prepared.subject.document)
        if self._plan.embedded:
            others = sum(self._mark(s.doc_id) + self._stock.tokens(s.run) for s in self._others(prepared, part))
            own = own + others if own <= 3 * others else 2 * others if prepared.subject.evidence else 0
        frame, info = prepared.frame, self._writer.info
        around = self._writer.release.reserved_template_tokens + info.max_new_tokens
        return own + around + frame.heads[0].tokens + frame.tails[0].tokens

    def _prepare(self, part: str, number: int, beginning: bool) -> Prepared:
        plan, stock, ask = self._plan, self._stock, self.candidates(part)[number]
        asked = stock.asked(ask, plan, stock.letter(part, number, max(1, len(ask.ask.choices))))
        title = stock.titles[ask.ask.doc_id] if plan.embedded else ""
        asked = replace(asked, title=title, beginning=beginning)
        demos = stock.demos(ask, part, plan.shots)
        letters = zip(demos, stock.demo_letters(ask, demos), strict=True)
        shown = [(demo.ask.ask_id, stock.asked(demo, plan, letter)) for demo, letter in letters]
        head, spans = prompts.head(self._wording, asked, shown)
        frame = self._writer.frame(head, prompts.tail(self._wording, asked), cue=self._wording.cue, spans=spans)
        evidence = Run(*self._evidence(ask)) if ask.units and plan.cut == "window" else None
        share, place = (draw(part, plan.kind.asks, number) for draw in (stock.share, stock.place))
        subject = Subject(ask.ask.doc_id, stock.document(ask.ask.doc_id), evidence, share, place)
        return Prepared(ask, asked, subject, demos, frame)

    # --------------------------------------------------------------------------------------------------- contexts

    def _layout(self, prepared: Prepared, part: str, budget: int) -> tuple[Layout, bool] | None:
        """Documents of a context of at most that many tokens, and whether there were enough; None where the evidence does not fit."""
        sums, subject = self._sums[0], prepared.subject
        if self._plan.embedded:
            return layout.among(sums, subject, budget, self._others(prepared, part), self._mark)
        found = layout.alone(sums, subject, budget)
        return None if found is None else (found, found.own != subject.document)

    def _others(self, prepared: Prepared, part: str) -> Iterator[Shown]:
        """Documents that may stand around the asked one, in order of priority: others than its own text and those of examples."""
        stock = self._stock
        barred = {prepared.ask.text, *(demo.text for demo in prepared.demos)}
        entries = stock.store.part(part)
        for at in stock.stream(prepared.ask.ask.ask_id, "others").walk(len(entries)):
            entry = entries[at]
            if stock.texts.get(entry.doc_id, "") not in barred and entry.doc_id != prepared.ask.ask.doc_id:
                yield Shown(entry.doc_id, Run(entry.first, entry.last))

    def _count_mark(self, doc_id: str) -> int:
        return self._tokenizers[0].count_units([MARK.format(title=self._stock.titles[doc_id])])[0]

    def _size(self, found: Layout) -> int:
        marks = sum(self._mark(each.doc_id) for each in found.shown) if self._plan.embedded else 0
        return marks + sum(self._stock.tokens(each.run) for each in found.shown)

    def _woven(self, found: Layout) -> Haystack:
        """The text, each of several documents behind the line that opens it."""
        needles, at = [], 0
        for each in found.shown if self._plan.embedded else ():
            text = MARK.format(title=self._stock.titles[each.doc_id])
            counts = tuple(t.count_units([text])[0] for t in self._tokenizers)
            needles.append(Needle(text.encode(), counts, len(text), at))
            at += each.run.last - each.run.first
        hay = weave(self._stock.store, [each.run for each in found.shown], needles, self._sums)
        return replace(hay, words=hay.words + len(needles))  # the empty line inside a mark parts words as a space does

    # ------------------------------------------------------------------------------------------------------- rows

    def row(self, table: Table, number: int) -> Sample:
        """The row of question `number` in a bucket.

        Raises:
            BuildError: the question does not reach the bucket.
        """
        prepared = self._fitting(table, number)

        def fill(budget: int) -> tuple[tuple[Layout, Haystack], Filling]:
            made = self._layout(prepared, table.part, budget)
            if made is None:
                raise BuildError(WIDE, where=f"{table.config} {prepared.ask.ask.ask_id}", fix="drop the bucket")
            hay = self._woven(made[0])
            return (made[0], hay), pieces.flush(
                Filling(hay.text, hay.tokens, hay.characters, hay.words), self._tokenizers
            )

        (found, hay), filling, counts = self._writer.fitted(table, prepared.frame, fill)
        source, asked = prepared.ask.ask, prepared.asked
        spans = list(self._evidence_spans(prepared, found, hay))
        summary = source.kind == "summary"
        sample = self._writer.sample(
            table, f"{self._stock.name}-{source.ask_id}", prepared.frame, filling, counts,
            question=asked.question or prompts.request(self._wording, asked),
            answers=self._answers(prepared),
            extra=self._extra(prepared, found),
            spans=spans,
            variant="embedded" if self._plan.embedded else None,
            references=list(source.references) if summary else None,
            choices=list(asked.choices) or None,
            answer_index=prompts.LETTERS.index(asked.answer) if asked.choices else None,
            depth=self._depth(prepared, found),
            n_units=found.units,
            n_unique_units=self._stock.different(each.run for each in found.shown),
            n_distractors=len(found.shown) - 1 if self._plan.embedded else None,
            haystack=self._stock.name,
            sources=self._sources,
            doc_ids=[each.doc_id for each in found.shown],
            demo_ids=[demo.ask.ask_id for demo in prepared.demos],
        )  # fmt: skip
        if not any(point.terms for point in source.key_points):
            sample.metrics = [name for name in sample.metrics if name != KEYPOINTS]
        return sample

    def _answers(self, prepared: Prepared) -> list[str]:
        asked = prepared.asked
        if asked.choices:
            return [asked.answer, f"{asked.answer}. {asked.choices[prompts.LETTERS.index(asked.answer)]}"]
        return list(prepared.ask.ask.answers) or [asked.answer]

    def _evidence_spans(self, prepared: Prepared, found: Layout, hay: Haystack) -> Iterator[Span]:
        """The sentences of the evidence in prompt coordinates (the context's own first space is not in the prompt)."""
        store, own, frame = self._stock.store, found.own, prepared.frame
        characters, tokens = self._before(found, hay)
        part = self._tokenizers[0].drop_leading_space(TextPart(hay.tokens[0], utf8=hay.text))
        seam = self._tokenizers[0].joined([frame.heads[0], part]) - hay.tokens[0]  # what joining costs is in it
        start = self._stock.document(prepared.ask.ask.doc_id).first
        for i, (first, last) in enumerate(prepared.ask.units):
            at, end = store.char_at[start + first], store.char_at[start + last]
            where = frame.start + characters - store.char_at[own.first]
            before = tokens + self._sums[0][start + first] - self._sums[0][own.first]
            told = seam + before if before else frame.tokens_before
            yield Span(where + at, where + end - 1, "gold", f"evidence:{i}", told)

    def _before(self, found: Layout, hay: Haystack) -> tuple[int, int]:
        """Characters and tokens of the woven text before the asked document's first unit."""
        if not self._plan.embedded:
            return 0, 0
        placed, title = hay.placed[found.at], MARK.format(title=self._stock.titles[found.shown[found.at].doc_id])
        return placed.end, placed.token_start + self._tokenizers[0].count_units([title])[0]

    def _depth(self, prepared: Prepared, found: Layout) -> float | None:
        """Of the last sentence of the evidence, by unit index."""
        if not prepared.ask.units:
            return None
        before = sum(each.run.last - each.run.first for each in found.shown[: found.at])
        return (before + self._evidence(prepared.ask)[1] - 1 - found.own.first) / max(1, found.units - 1)

    def _extra(self, prepared: Prepared, found: Layout) -> dict[str, object]:
        document, own = prepared.subject.document, found.own
        whole = own == document
        extra: dict[str, object] = {
            "kind": prepared.ask.ask.kind,
            "evidence": prepared.ask.evidence,
            "cut": "whole" if whole else "beginning" if prepared.subject.evidence is None else "window",
            "shown": round((own.last - own.first) / (document.last - document.first), 4),
            "background": [
                [s.doc_id, s.run.first - self._first(s.doc_id), s.run.last - self._first(s.doc_id)] for s in found.shown
            ],
        }
        if units := prepared.ask.units:
            extra["evidence_sentences"] = sum(last - first for first, last in units)
            extra["evidence_span"] = self._stock.span(prepared.ask)
        if prepared.asked.title:
            extra["title"] = prepared.asked.title
        if points := prepared.ask.ask.key_points:
            extra["key_points"] = [{"text": p.text, "terms": p.terms, "origin": p.origin} for p in points]
        return extra

    def _first(self, doc_id: str) -> int:
        return self._stock.document(doc_id).first
