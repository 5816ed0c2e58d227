"""Rows of numbered paragraphs: what counting them and finding one have in common (docs/spec/longbench.md 2.4).

Every paragraph of a row has a rank; a longer row takes more ranks. Where one stands is drawn by its rank, so a longer row holds a
shorter one in the same order. Everything is drawn from Stream(seed, "longbench", task, part, number, purpose), never by bucket.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.pieces import Ints
from generators.context.writer import Frame
from generators.inputs import Inputs
from generators.longbench import pages_checks as checks
from generators.longbench.pages_layout import Page, in_drawn_order, numbered, words_target
from generators.longbench.pages_material import P, PageMaterial
from generators.longbench.pages_stock import ENDING, OPENER
from generators.spec import Candidate, Entry, Row, Table
from haymaker.buckets import NATURAL
from haymaker.errors import BuildError
from haymaker.sample import Sample, Span

_AHEAD, _BACK = 72, 24  # ranks behind and before the budget's end that may be left or taken
_FIRST = 256
_NOT_FULL, _ENDS = "no choice of passages fills 99.5 %", "its passages end before the bucket is full"


class PagesTask(PageMaterial[P]):
    """Makes rows of numbered paragraphs."""

    prompts = Path(__file__).with_name("pages.yaml")

    def __init__(self, entry: Entry[P], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._made = lru_cache(maxsize=1)(self._make)

    def demand(self, table: Table) -> None:
        """Refuse a bucket beyond the passages, and natural rows whose numbers they would bend."""
        have, need = len(self._stock(table.part, 0)), self.natural_need
        if table.bucket == NATURAL and have < need:
            raise BuildError(
                f"part {table.part} of {self.settings.passages!r} has {have} passages, natural rows need {need}",
                where=f"{table.config} {table.part}", fix="give the corpus more passages, or lower natural_passages or min_words",
            )  # fmt: skip
        what = f"the passages of part {table.part} in {self.settings.passages!r} end at about {{limit}} tokens"
        self.demand_length(table, self.limit(table.part), what, "give the corpus more passages, or lower min_words")

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

    def short_of(self, table: Table, candidate: Candidate) -> str:
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
            table, candidate.key, page.frame, page.context, page.counts, question=self.question(candidate),
            answers=[self.answer(candidate, page.order)], n_units=len(shown), n_unique_units=len(set(shown)),
            haystack=self.settings.passages, sources=self.sources, doc_ids=list(dict.fromkeys(shown)),
            **self.columns(candidate, page),
        )  # fmt: skip

    def _frame(self, candidate: Candidate) -> Frame:
        """Instruction, paragraphs, what is asked, the instruction again, cue."""
        texts, question = self.words, self.question(candidate)
        asked = texts["input"].replace("{summary}", question) + "\n\n" if question else ""
        spans = [Span(0, len(texts["instruction"]), "instruction", token_start=0)]
        tail = f"\n\n{asked}{texts['again']}\n{texts['cue']}"
        head = f"{texts['instruction']}\n\n{OPENER}"
        return self.writer.frame(head, tail, cue=texts["cue"], opener=OPENER, spans=spans)

    def _make(self, table: Table, candidate: Candidate) -> Page | str:
        """The context of a row, or why there is none."""
        frame = self._frame(candidate)
        if not table.natural:
            return self._filled(table, candidate, frame)
        if table.bucket != NATURAL:
            order = self._by_words(table, candidate)
        else:
            enough = len(self.stock(candidate)) >= self.natural_need
            order = self.natural_order(candidate) if enough else None
        if order is None or not len(order):
            return _ENDS if order is None else f"no choice of passages has the words of {table.bucket}"
        context = self._context(candidate, order)
        asked = self.question(candidate), [self.answer(candidate, order)]
        counts = self.writer.count(frame, context.parts())
        return (
            self.wrong(candidate, order, natural=True)
            or self.writer.outside(table, frame, context, *asked)
            or Page(frame, order, context, counts)
        )

    def _context(self, candidate: Candidate, order: Ints) -> Context:
        return numbered(self.stock(candidate).pieces, self._numbers, order, self.inputs.tokenizers)

    def _by_words(self, table: Table, candidate: Candidate) -> Ints | None:
        """A row of so many words as its range allows: the first ranks that reach a drawn number of words."""
        sizes, fixed = self.stock(candidate).words + 2, self.fixed(candidate)  # each with "Paragraph 3:"
        more = len(self.question(candidate).split()) + 2 + int(sizes[fixed].sum())  # an answer has two words at most
        wanted, most = words_target(table.bucket, self.draws(candidate, "words"))
        count = _FIRST
        while (total := more + np.cumsum(sizes[self.entries(candidate, count)]))[-1:].max(initial=0) < wanted:
            if len(total) < count:
                return None
            count *= 2
        taken = int(np.searchsorted(total, wanted)) + 1
        return self._laid(candidate, np.arange(taken if total[taken - 1] < most else taken - 1))

    def _filled(self, table: Table, candidate: Candidate, frame: Frame) -> Page | str:
        """A row of as many tokens as its bucket has."""
        assert table.tokens is not None
        bucket, given_back = table.tokens, self.inputs.tokenizers[0].count_part(ENDING)
        if self._ranks(candidate, self.writer.room(table), bucket) is None:
            return _ENDS

        def fill(budget: int) -> tuple[Ints, Context]:
            ranks = self._ranks(candidate, budget + given_back, bucket)
            assert ranks is not None  # more was not too much
            order = self._laid(candidate, np.asarray(ranks, dtype=np.int64))
            return order, self._context(candidate, order)

        order, context, counts = self.writer.fitted(table, frame, fill)
        if not self.writer.is_full(table, counts):
            return _NOT_FULL
        return self.wrong(candidate, order, natural=False) or Page(frame, order, context, counts)

    def _ranks(self, candidate: Candidate, budget: int, bucket: int) -> list[int] | None:
        """Ranks, ascending, that fill `budget` tokens besides what every row shows; None where passages end before."""
        pieces, fixed = self.stock(candidate).pieces, self.fixed(candidate)
        numbers = self._numbers.tokens
        left = budget - int(pieces.tokens(fixed).sum()) - int(numbers(len(fixed)).sum())
        if left <= 0:
            raise BuildError("the paragraph asked for leaves no room", where=candidate.key, fix="drop the bucket")
        count = _FIRST
        while True:
            entries = self.entries(candidate, count)
            sizes = pieces.tokens(entries) + numbers(len(fixed) + len(entries))[len(fixed) :]
            sums = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
            if len(entries) < count or sums[count - _AHEAD] > left:
                return fit_ranked(sums.data, left, bucket, _BACK) if sums[-1] > left else None
            count = max(2 * count, int(1.02 * count * left / int(sums[-1])) + _AHEAD)

    def _laid(self, candidate: Candidate, ranks: Ints) -> Ints:
        """Entries in the order of a context."""
        entries = self.entries(candidate, int(ranks.max(initial=-1)) + 1)
        return self.lay(candidate, entries[in_drawn_order(ranks, self.draws(candidate, "places"))])

    # ----------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """The paragraphs against the prompt, each other and the corpus."""
        yield from checks.tiles(row)
        yield from checks.counts(row)
        yield from checks.within(row)
        if self.has_inputs():
            yield from checks.as_stored(row, self.inputs.passages(self.settings.passages))

    def background(self, row: Row) -> list[tuple[str, int, int]]:
        """The paragraphs in order, without the one that is placed by depth."""
        return [(span["ref"], 0, 1) for span in row["spans"] if span["kind"] == "passage"]
