"""Whole documents as shots: a text with its question and answer, a dialogue with its summary, and one of them left open.

Facts of the reference: docs/spec/longbench.md 2.3, 3. Differs from it: no shot has the asked text, the asked question or an answer
that would be right; lines of a text stay lines, but blank ones stand between shots alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from generators.context import natural
from generators.context.pieces import Ints
from generators.context.writer import Frame
from generators.inputs import DocumentSet
from generators.pool import Pool
from generators.shots import examples_checks, filling
from generators.shots.deck import spans
from generators.shots.prompts import GAP
from generators.shots.worked import Headers, Worked
from generators.shots.worked_stock import Stock
from generators.spec import BackgroundUnits, Candidate, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.rows.question_checks import GIVEN_AWAY, gives_away
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.source_records import Split
from haymaker.core.rows.span_columns import SpanColumns

_TIGHT = 16 * 1024  # tokens of a bucket up to which whole shots may fail to fill it, or be too few


class ExampleSettings(TaskSettings):
    """Keys of a task whose shots are documents.

    Attributes:
        documents: the collection: part train gives the shots, test what is asked.
        natural_shots: fewest and most shots of a row of natural length, each number as likely; no row has fewer.
        words_below: texts of fewer words alone are shown and asked about.
    """

    documents: DocumentSet
    natural_shots: natural.Bounds
    words_below: Annotated[int, Field(strict=True, ge=1)] | None = None


class Examples(Task[ExampleSettings]):
    """Rows of worked examples and one that is open. A candidate's number is its place in the order of its part.

    Attributes:
        kind: which questions of a collection.
    """

    settings_type = ExampleSettings
    natural: ClassVar[bool] = True
    kind: ClassVar[Literal["qa", "summary"]]

    # ------------------------------------------------------------------------------------------------- material

    @cached_property
    def headers(self) -> Headers:
        """What opens the parts of a shot."""
        return Headers(*(str(self.words[key]) for key in ("opener", "question", "cue")))

    @cached_property
    def stock(self) -> Stock:
        """The collection; shared by the tasks that read it alike."""
        name, below, inputs = self.settings.documents, self.settings.words_below, self.inputs
        key = ("worked", name, self.kind, below, self.spec.wording)
        return inputs.shared(
            key, lambda: Stock(inputs.documents(name), name, self.kind, self.headers, below, inputs.tokenizers)
        )

    def order(self, candidate: Candidate) -> Ints:
        """Numbers of the examples for a candidate."""
        stream = self.stream(self.stock.name, candidate.key, "examples")
        return self.stock.order(self.item(candidate), stream)

    def frame(self, item: Worked) -> Frame:
        """The words around the shots, counted."""
        instruction, headers = str(self.words["instruction"]), self.headers
        tail = f"{GAP}{headers.opener} {item.shown(headers)}\n{headers.cue}"
        span = Span(0, len(instruction), "instruction", token_start=0)
        head = instruction + headers.ending
        return self.writer.frame(head, tail, cue=headers.cue, opener=headers.opener, spans=[span])

    @property
    def fewest(self) -> int:
        """Shots that every row has."""
        return self.settings.natural_shots[0]

    def limit(self, part: Split = "test") -> int:
        """All examples but the longest."""
        held, tokenizer = self.stock.held, self.inputs.tokenizers[0]
        return held + tokenizer.count(str(self.words["instruction"])) + self.writer.reserved

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket that the examples end before, or a collection with too few of them."""
        where, found = f"{table.config} {table.part}", len(self.stock.examples)
        if found < self.fewest:
            fix = f"prepare more (documents.{self.stock.name})"
            raise BuildError(f"{found} examples in part train, a row shows {self.fewest} or more", where=where, fix=fix)
        what = f"the examples of {self.stock.name!r} end at {{limit}} tokens"
        self._check_limit(table, what, f"prepare more (documents.{self.stock.name})")

    # ---------------------------------------------------------------------------------------------- candidates

    def _items(self, part: Split) -> list[Worked]:
        """What can be asked of a part, in the order of the release."""
        key = ("worked items", self.stock, part, self.entry.suite)
        stream = self.stream(self.stock.name, part, "questions")
        return self.inputs.shared(key, lambda: stream.shuffled(self.stock.read(part)[0]))

    def item(self, candidate: Candidate) -> Worked:
        """What a candidate asks."""
        return self._items(candidate.part)[candidate.number]

    def pool(self, part: Split) -> Pool[Worked]:
        """What a part can ask, by the id of its question; left out: of what is asked, and of the examples."""
        items, left_out = self._items(part), self.stock.read(part)[1].copy()
        if part != "train":
            left_out += Counter({f"no example: {why}": n for why, n in self.stock.read("train")[1].items()})
        return Pool(part, items, lambda index: f"{self.stock.name}-{items[index].name}", left_out=left_out)

    def _by_key(self, part: Split) -> dict[str, Candidate]:
        """All candidates of a part by the name that rows have of them."""
        every = map(self.pool(part).candidate, range(len(self._items(part))))
        key = ("worked keys", self.stock, part, self.entry.suite)
        return self.inputs.shared(key, lambda: {candidate.key: candidate for candidate in every})

    def rejection_reason(self, candidate: Candidate) -> str:
        """The answer must fit its room, and not stand in the question."""
        item = self.item(candidate)
        if gives_away(item.asked, item.answers):
            return GIVEN_AWAY
        tokens = self.inputs.tokenizers[0].count_part(f" {item.answers[0]}")
        return "the answer is longer than the room for it" if tokens > self.spec.max_new_tokens else ""

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Shots may be too few, or end before the bucket does; short buckets may not be filled by whole shots."""
        item = self.item(candidate)
        if self.writer.tokens(table) > _TIGHT:
            held = int(self.stock.rough[self.order(candidate)].sum())
            if held > 1.1 * self.writer.room(table):  # so that no long text is tokenised just to choose
                return ""
        try:
            found = self.filled(table, candidate, self.frame(item))
        except BuildError as error:
            return error.what
        if len(found.shots) < self.fewest:
            return f"fewer than {self.fewest} examples fit"
        loose = Check.FILL in self.spec.checks and not table.natural and not self.writer.is_full(table, found.counts)
        return "no choice of examples fills 99.5 %" if loose else ""

    # ---------------------------------------------------------------------------------------------------- rows

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The one row of a candidate."""
        item = self.item(candidate)
        frame = self.frame(item)
        shots, strip, context, counts = self.filled(table, candidate, frame)
        names = [self.stock.examples[number].name for number in shots.tolist()]
        return self.writer.sample(
            table, candidate.key, frame, context, counts,
            question=item.shown(self.headers),
            answers=list(item.answers),
            extra={"k": len(shots), "asked": item.asked},
            spans=[spans(strip, frame, self.headers.ending, names)],
            references=list(item.answers) if self.kind == "summary" else None,
            n_units=len(shots),
            n_unique_units=len(set(names)),
            haystack=self.stock.name,
            doc_ids=[item.doc_id],
        )  # fmt: skip

    def filled(self, table: Table, candidate: Candidate, frame: Frame) -> filling.Filled:
        """The shots of a row.

        Raises:
            BuildError: they end before the row is full, or none fits.
        """
        order, item, writer, stock = self.order(candidate), self.item(candidate), self.writer, self.stock
        if not table.natural:
            return filling.fitted(writer, table, stock, order, frame)

        def lengths(count: int) -> Ints:
            strip = stock.pieces.strip(order[:count])
            return natural.row_words(strip, self.headers.ending, frame, item.shown(self.headers), item.answers)

        stream = self.stream(candidate.key, "natural shots")
        count = natural.wanted(table.bucket, stream, self.settings.natural_shots, lengths)
        return filling.of(writer, stock, order[:count], frame)

    # -------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """Shots and question, read from the prompt, and held against the collection where it is here."""
        read = examples_checks.Read(row, self.headers)
        yield from examples_checks.of_prompt(read, self.kind)
        stream = self.stream(row["group_id"], "natural shots")
        yield from natural.problems(row["bucket"], stream, self.settings.natural_shots, len(read.spans))
        if self.inputs.are_here(self.uses()):
            yield from self._as_prepared(row, read)

    def _as_prepared(self, row: Row, read: examples_checks.Read) -> Iterator[str]:
        found = self._by_key(row["part"]).get(row["group_id"])
        if found is None:
            yield f"{row['group_id']} is not asked in part {row['part']} of {self.stock.name}"
            return
        order = self.order(found)
        shown = [self.stock.examples[number] for number in order.tolist()]
        yield from examples_checks.as_prepared(read, self.item(found), shown)
        if row["bucket_tokens"] is not None:
            pool, _ = self.stock.pool(order, row["bucket_tokens"])
            tokens = self.stock.pieces.tokens(pool).tolist()
            yield from examples_checks.nothing_fits(read, shown[: len(pool)], tokens)

    def identity(self, row: Row) -> str:
        """The text, and what is asked of it."""
        return str(row["question"]).casefold()

    def background(self, row: Row) -> BackgroundUnits:
        """Shots in order."""
        return SpanColumns.of(row["spans"]).of_kinds("shot").column("ref")


class Reading(Examples):
    """A short answer from a text."""

    kind = "qa"

    def order(self, candidate: Candidate) -> Ints:
        """As drawn, but that whole texts fill a short bucket."""
        return filling.primed(self.writer, self.stock, super().order(candidate), self.frame(self.item(candidate)))


class Summing(Examples):
    """A summary of a text."""

    kind = "summary"
