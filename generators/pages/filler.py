"""Contexts of numbered paragraphs, filled to a number of tokens, to a range of words, or as the reference does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from generators.context.context import Context
from generators.context.pieces import Ints
from generators.context.prompt import Part, framed
from generators.context.ranked import filling_ranks, in_drawn_order
from generators.context.units import Led, Numbers, Units
from generators.context.writer import Frame
from generators.pages.stock import ending
from generators.spec import Candidate, Table
from haymaker.core.buckets import NATURAL, WORD_RANGES
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Span, Spans

if TYPE_CHECKING:
    from generators.pages.task import PagesTask

_LAST = 1024  # tokens: the end of the context that measures look at
_FIRST = 256  # ranks counted at first
_SHORTEST, _LONGEST = 1_000, 12_000  # words of rows of the first and of the last range
_NOT_FULL, _ENDS = "no choice of passages fills 99.5 %", "its passages end before the bucket is full"
_NO_ROOM = "what every row shows leaves no room for other paragraphs"


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A finished context of numbered paragraphs, and the texts around it, per variant; all have the same head."""

    frames: Sequence[Frame]
    order: Ints  # entry of the stock of each paragraph
    context: Context  # its units are the texts without their numbers
    counts: list[list[int]]  # tokens of the whole prompt, per variant and tokenizer

    def spans(
        self, refs: Sequence[str], marks: Mapping[int, tuple[str, int | None]], labels: Sequence[str] | None = None
    ) -> list[Span | Spans]:
        """Return the spans of all paragraphs; `marks` is place -> kind and rank of those that are not plain passages."""
        starts, ends, tokens = self.frames[0].places(self.context)
        found, at = list[Span | Spans](), 0
        for place in (*sorted(marks), len(refs)):
            cut = slice(at, place)
            found.append(Spans("passage", starts[cut], ends[cut], tokens[cut], refs[cut], labels and labels[cut]))
            if place in marks:
                first, last, before = int(starts[place]), int(ends[place]), int(tokens[place])
                found.append(Span(first, last, marks[place][0], refs[place], before, rank=marks[place][1]))
            at = place + 1
        return found

    def last(self) -> Ints:
        """Return the places of the paragraphs that lie in the last 1,024 tokens of the context."""
        return np.flatnonzero(np.asarray(self.context.token_starts) >= self.context.tokens[0] - _LAST)


class Filler:
    """Fills the rows of a task, which decides the paragraphs of a row and their order."""

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
        page, answers = self._laid_out(candidate, order), task.answered(candidate, order, 0)["answers"]
        outside = task.writer.outside(table, page.frames[0], page.context, task.question(candidate), answers)
        return task.wrong(candidate, order, natural=True) or outside or page

    def _natural_order(self, table: Table, candidate: Candidate) -> Ints | None:
        """Return the entries of a row of natural length; None if there are too few passages."""
        task = self._task
        if table.bucket == NATURAL:
            return task.natural_order(candidate) if len(task.stock(candidate)) >= task.natural_need else None
        low, high = WORD_RANGES[table.bucket]  # the first ranks that reach a number of words (docs/spec/longbench.md 3)
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
        """Return a row of as many tokens as its bucket has, or why there is none."""
        writer, stock, bucket = self._task.writer, self._task.stock(candidate), table.tokens or 0
        room, closing = writer.room(table), self._tokenizers[0].count_part(ending(self._task.opener))
        expected = max(len(self._task.fixed(candidate)), room * len(stock) // max(1, stock.tokens))
        around = max(frame.tokens for frame in self._frames(candidate, expected))
        if self._left(candidate, room - around) <= 0:
            return _NO_ROOM
        try:
            self._ranks(candidate, room, bucket)
        except BuildError:
            return _ENDS

        def fill(budget: int) -> tuple[Page, list[list[int]]]:
            order = self.laid(candidate, self._ranks(candidate, budget + closing, bucket))
            return (page := self._laid_out(candidate, order)), page.counts

        page, counts = writer.within(table, around, fill)
        if not all(writer.is_full(table, each) for each in counts):
            return _NOT_FULL
        return self._task.wrong(candidate, page.order, natural=False) or page

    def _ranks(self, candidate: Candidate, budget: int, bucket: int) -> Ints:
        """Return the ranks, ascending, that fill `budget` tokens together with the entries of every row."""
        pieces, fixed = self._task.stock(candidate).pieces, len(self._task.fixed(candidate))
        if (left := self._left(candidate, budget)) <= 0:
            raise BuildError(_NO_ROOM, where=candidate.key, fix="drop the bucket")

        def sizes(count: int) -> Ints:
            entries = self._task.entries(candidate, count)
            return pieces.tokens(entries) + self._numbers.tokens(fixed + len(entries))[fixed:]

        return filling_ranks(sizes, left, bucket)

    def _left(self, candidate: Candidate, budget: int) -> int:
        """Return the tokens of `budget` besides the entries of every row."""
        fixed = self._task.fixed(candidate)
        taken = self._task.stock(candidate).pieces.tokens(fixed) + self._numbers.tokens(len(fixed))
        return budget - int(taken.sum())

    def laid(self, candidate: Candidate, ranks: Ints) -> Ints:
        """Return the entries of some ranks, and those of every row, in the order of a context."""
        entries = self._task.entries(candidate, int(ranks.max(initial=-1)) + 1)
        return self._task.lay(candidate, entries[in_drawn_order(ranks, self._task.draws(candidate, "places"))])

    def _laid_out(self, candidate: Candidate, order: Ints) -> Page:
        pieces, end = self._task.stock(candidate).pieces, ending(self._task.opener)
        units = Units(lambda _: Led.by_nothing(pieces), order, self._tokenizers, end, self._numbers)
        frames, context = self._frames(candidate, len(order)), units.context(order)
        return Page(frames, order, context, [self._task.writer.count(frame, context.parts()) for frame in frames])

    def _frames(self, candidate: Candidate, count: int) -> list[Frame]:
        """Return the text around `count` paragraphs, per variant; all begin with the same instruction."""
        task, texts = self._task, self._task.words
        parts = [Part(texts["instruction"], "instruction", gap=ending(task.opener), token_start=0)]
        tails = [f"\n\n{task.request(candidate, count, by)}\n{texts['cue']}" for by in range(task.variants)]
        return [framed(task.writer, parts, tail, cue=texts["cue"], opener=task.opener) for tail in tails]
