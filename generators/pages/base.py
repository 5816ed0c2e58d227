"""Rows of numbered paragraphs: what counting them and finding one have in common (docs/spec/longbench.md 2.4).

Every paragraph of a row has a rank; a longer row takes more ranks. Where one stands is drawn by its rank, so a longer row holds a
shorter one in the same order. Everything is drawn from Stream(seed, suite, task, part, number, purpose), never by bucket.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.ranked import filling_ranks, in_drawn_order
from generators.context.units import openers
from generators.context.writer import Frame
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.layout import Page, numbered, words_target
from generators.pages.material import P, PageMaterial
from generators.pages.stock import ending
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table
from haymaker.core.buckets import NATURAL
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample, Span
from haymaker.core.rows.span_columns import SpanColumns

_FIRST = 256
_NOT_FULL, _ENDS = "no choice of passages fills 99.5 %", "its passages end before the bucket is full"
_NO_ROOM = "what every row shows leaves no room for other paragraphs"


class PagesTask(PageMaterial[P]):
    """Makes rows of numbered paragraphs.

    Attributes:
        answer_words: at most, of all accepted answers together.
    """

    answer_words: ClassVar[int] = 2

    def __init__(self, entry: Entry[P], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._made = lru_cache(maxsize=1)(self._make)  # the variants of a candidate come side by side
        self._columns = lru_cache(maxsize=1)(self.columns)

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket beyond the passages, and natural rows whose numbers they would bend."""
        have, need = len(self._stock(table.part, 0)), self.natural_need
        if table.bucket == NATURAL and have < need:
            raise BuildError(
                f"part {table.part} of {self.settings.passages!r} has {have} passages, natural rows need {need}",
                where=f"{table.config} {table.part}", fix="give the corpus more passages, or lower natural_passages or min_words",
            )  # fmt: skip
        what = f"the passages of part {table.part} in {self.settings.passages!r} end at about {{limit}} tokens"
        self._check_limit(table, what, "give the corpus more passages, or lower min_words")

    # ------------------------------------------------------------------------------------------ what a task decides

    @abstractmethod
    def question(self, candidate: Candidate) -> str:
        """What is asked besides the instruction; may be empty."""

    @abstractmethod
    def answer(self, candidate: Candidate, order: Ints) -> str:
        """The answer where the entries stand in this order."""

    @abstractmethod
    def entries(self, candidate: Candidate, count: int) -> Ints:
        """Entries of the stock by rank: the first `count`, or fewer where they end."""

    @property
    @abstractmethod
    def natural_need(self) -> int:
        """Different passages that a natural row may have."""

    @abstractmethod
    def natural_order(self, candidate: Candidate) -> Ints:
        """Entries in the order of a row as the reference makes it."""

    @abstractmethod
    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Columns of a row that the task decides; `spans` and `extra` among them."""

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        """Columns of the answer."""
        return {"answers": [self.answer(candidate, order)]}

    def point(self, variant: int) -> str:
        """Which of a group's rows it is at one length, as its id says; empty for the only one."""
        return ""

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        """Why a row of these entries cannot be asked about; empty when it can."""
        return ""

    def fixed(self, candidate: Candidate) -> list[int]:
        """Entries that every row shows, besides those by rank."""
        return []

    def lay(self, candidate: Candidate, order: Ints) -> Ints:
        """The entries by rank, in their drawn order, with those that every row shows put in."""
        return order

    # ------------------------------------------------------------------------------------------------------- rows

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        """Passages that end, that fill a bucket badly, or whose words are not in a range."""
        made = self._made(table, candidate)
        return made if isinstance(made, str) else ""

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        """The row of a candidate.

        Raises:
            BuildError: it makes none in this bucket.
        """
        page = self._made(table, candidate)
        if isinstance(page, str):
            raise BuildError(page, where=f"{table.config} {candidate.key}", fix="use another bucket")
        shown = self.stock(candidate).ids[page.order].tolist()
        return self.writer.sample(
            table, candidate.key, page.frames[variant], page.context, page.counts[variant], point=self.point(variant),
            question=self.question(candidate), n_units=len(shown), n_unique_units=len(set(shown)),
            haystack=self.settings.passages, doc_ids=list(dict.fromkeys(shown)),
            **self.answered(candidate, page.order, variant) | self._columns(candidate, page),
        )  # fmt: skip

    def behind(self, candidate: Candidate, count: int, variant: int) -> str:
        """What stands behind that many paragraphs, before the cue: what is asked, the instruction again."""
        texts, question = self.words, self.question(candidate)
        asked = texts["input"].replace("{summary}", question) + "\n\n" if question else ""
        return f"{asked}{texts['again']}"

    def _frames(self, candidate: Candidate, count: int) -> list[Frame]:
        """Of each variant the words around that many paragraphs; all begin with the same instruction."""
        instruction, cue = self.words["instruction"], self.words["cue"]
        head, spans = f"{instruction}{ending(self.opener)}", [Span(0, len(instruction), "instruction", token_start=0)]
        tails = (f"\n\n{self.behind(candidate, count, variant)}\n{cue}" for variant in range(self.variants))
        return [self.writer.frame(head, tail, cue=cue, opener=self.opener, spans=spans) for tail in tails]

    def _counts(self, frames: Sequence[Frame], context: Context) -> list[list[int]]:
        parts = context.parts()
        return [self.writer.count(frame, parts) for frame in frames]

    def _make(self, table: Table, candidate: Candidate) -> Page | str:
        """The context of a row, or why there is none."""
        if not table.natural:
            return self._filled(table, candidate)
        if table.bucket != NATURAL:
            order = self._by_words(table, candidate)
        else:
            enough = len(self.stock(candidate)) >= self.natural_need
            order = self.natural_order(candidate) if enough else None
        if order is None or not len(order):
            return _ENDS if order is None else f"no choice of passages has the words of {table.bucket}"
        context = self._context(candidate, order)
        frames, answered = self._frames(candidate, len(order)), self.answered(candidate, order, 0)
        return (
            self.wrong(candidate, order, natural=True)
            or self.writer.outside(table, frames[0], context, self.question(candidate), answered["answers"])
            or Page(frames, order, context, self._counts(frames, context))
        )

    def _context(self, candidate: Candidate, order: Ints) -> Context:
        return numbered(self.stock(candidate).pieces, self._numbers, order, self.inputs.tokenizers, self.opener)

    def _by_words(self, table: Table, candidate: Candidate) -> Ints | None:
        """A row of so many words as its range allows: the first ranks that reach a drawn number of words."""
        sizes, fixed = self.stock(candidate).words + 2, self.fixed(candidate)  # each with "Paragraph 3:"
        more = len(self.question(candidate).split()) + self.answer_words + int(sizes[fixed].sum())
        wanted, most = words_target(table.bucket, self.draws(candidate, "words"))
        count = _FIRST
        while (total := more + np.cumsum(sizes[self.entries(candidate, count)]))[-1:].max(initial=0) < wanted:
            if len(total) < count:
                return None
            count *= 2
        taken = int(np.searchsorted(total, wanted)) + 1
        return self._laid(candidate, np.arange(taken if total[taken - 1] < most else taken - 1))

    def _filled(self, table: Table, candidate: Candidate) -> Page | str:
        """A row of as many tokens as its bucket has."""
        assert table.tokens is not None
        bucket, given_back = table.tokens, self.inputs.tokenizers[0].count_part(ending(self.opener))
        room = self.writer.room(table)
        around = max(frame.tokens for frame in self._frames(candidate, self._expected(table, candidate)))
        if self._left(candidate, room - around) <= 0:
            return _NO_ROOM
        if self._ranks(candidate, room, bucket) is None:
            return _ENDS

        def fill(budget: int) -> tuple[tuple[list[Frame], Ints, Context], list[list[int]]]:
            ranks = self._ranks(candidate, budget + given_back, bucket)
            assert ranks is not None  # more was not too much
            order = self._laid(candidate, ranks)
            frames, context = self._frames(candidate, len(order)), self._context(candidate, order)
            return (frames, order, context), self._counts(frames, context)

        (frames, order, context), counts = self.writer.within(table, around, fill)
        if not all(self.writer.is_full(table, each) for each in counts):
            return _NOT_FULL
        return self.wrong(candidate, order, natural=False) or Page(frames, order, context, counts)

    def _expected(self, table: Table, candidate: Candidate) -> int:
        """About how many paragraphs fill a bucket."""
        stock = self.stock(candidate)
        return max(len(self.fixed(candidate)), self.writer.room(table) * len(stock) // max(1, stock.tokens))

    def _ranks(self, candidate: Candidate, budget: int, bucket: int) -> Ints | None:
        """Ranks, ascending, that fill `budget` tokens besides what every row shows; None where passages end before."""
        pieces, fixed = self.stock(candidate).pieces, self.fixed(candidate)
        numbers, left = self._numbers.tokens, self._left(candidate, budget)
        if left <= 0:
            raise BuildError(_NO_ROOM, where=candidate.key, fix="drop the bucket")

        def sizes(count: int) -> Ints:
            entries = self.entries(candidate, count)
            return pieces.tokens(entries) + numbers(len(fixed) + len(entries))[len(fixed) :]

        try:
            return filling_ranks(sizes, left, bucket)
        except BuildError:
            return None

    def _left(self, candidate: Candidate, budget: int) -> int:
        """Tokens of `budget` besides what every row shows."""
        fixed = self.fixed(candidate)
        return budget - int(self.stock(candidate).pieces.tokens(fixed).sum() + self._numbers.tokens(len(fixed)).sum())

    def _laid(self, candidate: Candidate, ranks: Ints) -> Ints:
        """Entries in the order of a context."""
        entries = self.entries(candidate, int(ranks.max(initial=-1)) + 1)
        return self.lay(candidate, entries[in_drawn_order(ranks, self.draws(candidate, "places"))])

    # ----------------------------------------------------------------------------------------------------- checks

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The number and title of each."""
        return openers(row)

    def problems(self, row: Row) -> Iterator[str]:
        """The paragraphs against the prompt, each other and the corpus."""
        yield from checks.tiles(row, self.opener)
        yield from checks.counts(row)
        yield from checks.within(row)
        if self.inputs.are_here(self.uses()):
            yield from checks.as_stored(row, self.inputs.passages(self.settings.passages))

    def background(self, row: Row) -> BackgroundUnits:
        """The paragraphs in order, without the one that is placed by depth."""
        return SpanColumns.of(row["spans"]).of_kinds("passage").column("ref")
