"""Fills rows with numbered paragraphs: to a number of tokens, to a range of words, or as the reference does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.prompt import Part, framed
from generators.context.ranked import filling_ranks, in_drawn_order
from generators.context.units import Led, Numbers, Units
from generators.context.writer import Frame
from generators.pages.page import Page
from generators.pages.stock import ending
from generators.spec import Candidate, Table
from haymaker.core.buckets import NATURAL, WORD_RANGES
from haymaker.core.errors import BuildError

if TYPE_CHECKING:
    from generators.pages.task import PagesTask

_FIRST = 256  # ranks counted at first
_SHORTEST, _LONGEST = 1_000, 12_000  # words of rows of the first and of the last range
_NOT_FULL, _ENDS = "no choice of passages fills 99.5 %", "its passages end before the bucket is full"
_NO_ROOM = "what every row shows leaves no room for other paragraphs"


class Filler:
    """Fills the rows of a task.

    Args:
        task: decides which paragraphs a row shows and in which order.
    """

    def __init__(self, task: PagesTask[Any]) -> None:
        self._task, self._tokenizers = task, task.inputs.tokenizers
        self._numbers = task.inputs.shared(("page numbers",), lambda: Numbers(" {n}:", self._tokenizers))
        self.page = lru_cache(maxsize=1)(self._page)  # the variants of a candidate follow one another

    def _page(self, table: Table, candidate: Candidate) -> Page | str:
        """Return the context of a row, or why there is none."""
        if not table.natural:
            return self._filled(table, candidate)
        task, order = self._task, self._natural_order(table, candidate)
        if order is None or not len(order):
            return _ENDS if order is None else f"no choice of passages has the words of {table.bucket}"
        frames, context = self._frames(candidate, len(order)), self._context(candidate, order)
        return (
            task.wrong(candidate, order, natural=True)
            or task.writer.outside(
                table, frames[0], context, task.question(candidate), task.answered(candidate, order, 0)["answers"]
            )
            or Page(frames, order, context, self._counts(frames, context))
        )

    def laid(self, candidate: Candidate, ranks: Ints) -> Ints:
        """Return the entries of some ranks, and the fixed ones, in the order of a context."""
        entries = self._task.entries(candidate, int(ranks.max(initial=-1)) + 1)
        return self._task.lay(candidate, entries[in_drawn_order(ranks, self._task.draws(candidate, "places"))])

    def _natural_order(self, table: Table, candidate: Candidate) -> Ints | None:
        """Return the entries of a row of natural length; None if there are too few passages."""
        if table.bucket != NATURAL:
            return self._by_words(table, candidate)
        enough = len(self._task.stock(candidate)) >= self._task.natural_need
        return self._task.natural_order(candidate) if enough else None

    def _by_words(self, table: Table, candidate: Candidate) -> Ints | None:
        """Return the first ranks that reach a number of words, drawn in the range of the bucket (docs/spec/longbench.md 3)."""
        task, (low, high) = self._task, WORD_RANGES[table.bucket]
        wanted = task.draws(candidate, "words").between(max(low, _SHORTEST), (high or _LONGEST) - 1)
        sizes = task.stock(candidate).sizes + 2  # each with "Paragraph 3:"
        more = len(task.question(candidate).split()) + task.answer_words + int(sizes[task.fixed(candidate)].sum())
        count = _FIRST
        while (total := more + np.cumsum(sizes[task.entries(candidate, count)]))[-1:].max(initial=0) < wanted:
            if len(total) < count:
                return None
            count *= 2
        taken = int(np.searchsorted(total, wanted)) + 1
        return self.laid(candidate, np.arange(taken if total[taken - 1] < (high or 2 * _LONGEST) else taken - 1))

    def _filled(self, table: Table, candidate: Candidate) -> Page | str:
        """Return a row of as many tokens as its bucket has."""
        writer, stock, bucket = self._task.writer, self._task.stock(candidate), table.tokens or 0
        room, given_back = writer.room(table), self._tokenizers[0].count_part(ending(self._task.opener))
        expected = max(len(self._task.fixed(candidate)), room * len(stock) // max(1, stock.tokens))
        around = max(frame.tokens for frame in self._frames(candidate, expected))
        if self._left(candidate, room - around) <= 0:
            return _NO_ROOM
        try:
            self._ranks(candidate, room, bucket)
        except BuildError:
            return _ENDS

        def fill(budget: int) -> tuple[tuple[list[Frame], Ints, Context], list[list[int]]]:
            order = self.laid(candidate, self._ranks(candidate, budget + given_back, bucket))
            frames, context = self._frames(candidate, len(order)), self._context(candidate, order)
            return (frames, order, context), self._counts(frames, context)

        (frames, order, context), counts = writer.within(table, around, fill)
        if not all(writer.is_full(table, each) for each in counts):
            return _NOT_FULL
        return self._task.wrong(candidate, order, natural=False) or Page(frames, order, context, counts)

    def _ranks(self, candidate: Candidate, budget: int, bucket: int) -> Ints:
        """Return the ranks, ascending, that fill `budget` tokens together with the fixed entries.

        Raises:
            BuildError: there is no room for them, or the passages end before.
        """
        pieces, fixed = self._task.stock(candidate).pieces, len(self._task.fixed(candidate))
        if (left := self._left(candidate, budget)) <= 0:
            raise BuildError(_NO_ROOM, where=candidate.key, fix="drop the bucket")

        def sizes(count: int) -> Ints:
            entries = self._task.entries(candidate, count)
            return pieces.tokens(entries) + self._numbers.tokens(fixed + len(entries))[fixed:]

        return filling_ranks(sizes, left, bucket)

    def _left(self, candidate: Candidate, budget: int) -> int:
        """Return the tokens of `budget` besides those of the fixed entries."""
        fixed = self._task.fixed(candidate)
        taken = self._task.stock(candidate).pieces.tokens(fixed).sum() + self._numbers.tokens(len(fixed)).sum()
        return budget - int(taken)

    def _frames(self, candidate: Candidate, count: int) -> list[Frame]:
        """Return the text around `count` paragraphs, per variant; all begin with the same instruction."""
        task, texts = self._task, self._task.words
        parts = [Part(texts["instruction"], "instruction", gap=ending(task.opener), token_start=0)]
        tails = [f"\n\n{task.request(candidate, count, by)}\n{texts['cue']}" for by in range(task.variants)]
        return [framed(task.writer, parts, tail, cue=texts["cue"], opener=task.opener) for tail in tails]

    def _context(self, candidate: Candidate, order: Ints) -> Context:
        pieces, opener = self._task.stock(candidate).pieces, self._task.opener
        units = Units(lambda _: Led.by_nothing(pieces), order, self._tokenizers, ending(opener), self._numbers)
        return units.context(order)

    def _counts(self, frames: Sequence[Frame], context: Context) -> list[list[int]]:
        parts = context.parts()
        return [self._task.writer.count(frame, parts) for frame in frames]
