"""Rows of numbered paragraphs of a corpus (docs/spec/longbench.md 2.4).

Each paragraph of a row has a rank, and its place is drawn by the rank. Longer rows take more ranks, so they contain the shorter rows
in the same order. Some paragraphs are in every row, at depths of their own. No random stream depends on the length.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from generators.context.pieces import Ints
from generators.context.prompt import Part, framed
from generators.context.ranked import even_share, filling_ranks, in_drawn_order
from generators.context.units import PrefixedUnits, Units, openers
from generators.context.writer import Frame
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.page import Page, Placed
from generators.pages.stock import PagesSettings, Stock, Stocks, ending
from generators.pages.summaries import Asked, Quotations, SourceQuestions
from generators.pool import Pool, endless
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table
from generators.task import Task
from haymaker.core.errors import BuildError
from haymaker.core.lengths import NATURAL, WORD_RANGES
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.rows.span_columns import SpanColumns

_FIRST = 256  # ranks counted at first
_SHORTEST, _LONGEST = 1_000, 12_000  # words of rows of the first and of the last range
_ENDS = "its passages end before the length is full"
P = TypeVar("P", bound=PagesSettings)


class PagesTask(Task[P]):
    """Makes rows of numbered paragraphs.

    Attributes:
        questions: questions of the rows; None if the instruction contains the question.
        copies: whether a row shows a paragraph more than once.
        answer_words: largest number of words of all accepted answers together.
    """

    natural = True
    questions: SourceQuestions | Quotations | None = None
    copies: ClassVar[bool] = False
    answer_words: int = 2

    def __init__(self, entry: Entry[P], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.stocks = Stocks(self, self.firsts)
        self.permutation = lru_cache(maxsize=2)(  # entries of the stock of a candidate, by rank
            lambda candidate: self.draws(candidate, "passages").permutation(len(self.stock(candidate)))
        )
        self._page = lru_cache(maxsize=1)(self._make)  # the variants of a candidate follow one another
        self._columns = lru_cache(maxsize=1)(self.columns)

    @abstractmethod
    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        """Return the columns of the answer if the entries are in this order."""

    @abstractmethod
    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Return the other columns of a row that depend on the kind of task, `spans` and `metadata` among them."""

    def shortcuts(self, facts: list[dict[str, Any]]) -> dict[str, int]:
        """Return, from `metadata`, how many rows each shortcut answers right: the first paragraph by BM25, the last 1,024 tokens."""
        return {
            "bm25_first": sum(each["bm25_first"] if "bm25_first" in each else not each["bm25_rank"] for each in facts),
            "last_1k_tokens": sum(each["in_last_1k"] for each in facts),
        }

    def placed(self, candidate: Candidate) -> Placed:
        """Return the entries that every row of a candidate shows."""
        return Placed([], [])

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """Return the entries of the first `count` ranks, or all if there are fewer, without barred ones."""
        barred = self.barred(candidate)
        order = self.permutation(candidate)[: count + len(barred)]
        return order[~np.isin(order, barred)][:count]

    def barred(self, candidate: Candidate) -> list[int]:
        """Return the entries that fill no row of a candidate: those that every row shows, and passages that are like an earlier one."""
        return [*self.placed(candidate).entries, *self.stock(candidate).alike]

    @property
    def natural_need(self) -> int:
        """Largest number of different passages in a natural row."""
        return int(self.settings.natural_passages)

    def natural_order(self, candidate: Candidate) -> Ints:
        """Return the entries of a row of natural length, in order."""
        placed = self.placed(candidate)
        return placed.lay(self.entries(candidate, self.natural_need - len(placed.entries)))

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        """Return why a row of these entries is unusable, or an empty string."""
        return ""

    def request(self, candidate: Candidate, count: int, variant: int) -> str:
        """Return the text between `count` paragraphs and the cue."""
        texts, question = self.words, self.question(candidate)
        return (texts["input"].replace("{summary}", question) + "\n\n" if question else "") + str(texts["again"])

    def even_depth(self, candidate: Candidate) -> int:
        """Return a depth as a share of 2**64: the same at every length, evenly spread over consecutive candidates."""
        start = self.stream(self.spec.name, candidate.split, "depths").word()
        return even_share(start, candidate.number)

    def draws(self, candidate: Candidate, purpose: str) -> Stream:
        """Return the stream of a candidate for a purpose, the same at every length."""
        return self.stream(self.spec.name, candidate.split, candidate.number, purpose)

    def asked(self, candidate: Candidate) -> Asked:
        assert self.questions
        return self.questions.asked(candidate)

    def question(self, candidate: Candidate) -> str:
        """Return the question, or an empty string if the instruction contains it."""
        return " ".join(self.asked(candidate).question.text.split()) if self.questions else ""

    def firsts(self, split: Split) -> tuple[int, ...]:
        """Return the numbers of the passages that the rows of a split need: the first entries of its stock."""
        return self.questions.firsts(split) if self.questions else ()

    def pool(self, split: Split) -> Pool[Any]:
        """Return the questions, or endless candidates, named after the entry because its settings change the rows."""
        return self.questions.pool(split) if self.questions else endless(split, self.entry.name)

    def check_feasible(self, table: Table) -> None:
        """Refuse tables that need more passages than the split has."""
        have, need, split = len(self.stocks.of(table.split)), self.natural_need, f"split {table.split}"
        corpus, fix = repr(self.settings.passages), "give the corpus more passages, or lower min_words"
        if table.length == NATURAL and have < need:
            what = f"{split} of {corpus} has {have} passages, but natural rows need {need}"
            raise BuildError(what, where=f"{table.config} {table.split}", fix=f"{fix} or natural_passages")
        self._check_limit(table, f"the passages of {split} in {corpus} end at about {{limit}} tokens", fix)

    def limit(self, split: Split = "test") -> int | None:
        return self.stocks.of(split).tokens

    def stock(self, candidate: Candidate) -> Stock:
        return self.stocks.of(candidate.split, self.stocks.drawn_from(candidate)[0])

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        page = self._page(table, candidate)
        return page if isinstance(page, str) else ""

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        page = self._page(table, candidate)
        if isinstance(page, str):
            raise BuildError(page, where=f"{table.config} {candidate.key}", fix="use another length")
        return self.writer.sample(
            table, candidate.key, page.frames[variant], page.context, page.counts[variant],
            question=self.question(candidate), num_segments=len(page.ids), num_unique_segments=len(set(page.ids)),
            background_corpus=self.settings.passages, doc_ids=list(dict.fromkeys(page.ids)),
            **self.answered(candidate, page.order, variant) | self._columns(candidate, page),
        )  # fmt: skip

    def _make(self, table: Table, candidate: Candidate) -> Page | str:
        """Return the context of a row, or why there is none."""
        if not table.natural:
            return self._filled(table, candidate)
        if table.length == NATURAL:
            order = self.natural_order(candidate) if len(self.stock(candidate)) >= self.natural_need else None
        else:
            order = self._by_words(table, candidate)
        if order is None or not len(order):
            return _ENDS if order is None else f"no choice of passages has the words of {table.length}"
        page, answers = self._laid_out(candidate, order), self.answered(candidate, order, 0)["answers"]
        outside = self.writer.outside(table, page.frames[0], page.context, self.question(candidate), answers)
        return self.wrong(candidate, order, natural=True) or outside or page

    def _by_words(self, table: Table, candidate: Candidate) -> Ints | None:
        """Return the first ranks that reach a drawn number of words (docs/spec/longbench.md 3); None if the passages end before."""
        low, high = WORD_RANGES[table.length]
        wanted = self.draws(candidate, "words").between(max(low, _SHORTEST), (high or _LONGEST) - 1)
        sizes, count = self.stock(candidate).sizes + 2, _FIRST  # each with "Paragraph 3:"
        asked = len(self.question(candidate).split()) + self.answer_words
        fixed = asked + int(sizes[self.placed(candidate).entries].sum())
        while (total := fixed + np.cumsum(sizes[self.entries(candidate, count)]))[-1:].max(initial=0) < wanted:
            if len(total) < count:
                return None
            count *= 2
        taken = int(np.searchsorted(total, wanted)) + 1
        return self.laid(candidate, np.arange(taken if total[taken - 1] < (high or 2 * _LONGEST) else taken - 1))

    def _filled(self, table: Table, candidate: Candidate) -> Page | str:
        stock, room, fixed = self.stock(candidate), self.writer.room(table), self.placed(candidate).entries
        fixed_tokens = int((stock.pieces.tokens(fixed) + self.stocks.numbers.tokens(len(fixed))).sum())
        closing = self.inputs.tokenizers[0].count_part(ending(self.stocks.opener))
        expected = max(len(fixed), room * len(stock) // max(1, stock.tokens))
        around = max(frame.tokens for frame in self._frames(candidate, expected))
        if room - around <= fixed_tokens:
            return "what every row shows leaves no room for other paragraphs"

        ranks = partial(filling_ranks, partial(self._sizes, candidate), length=table.tokens or 0)

        def fill(budget: int) -> tuple[Page, list[list[int]]]:
            page = self._laid_out(candidate, self.laid(candidate, ranks(budget + closing - fixed_tokens)))
            return page, page.counts

        try:
            ranks(room - fixed_tokens)
        except BuildError:
            return _ENDS
        page, counts = self.writer.within(table, around, fill)
        if not all(self.writer.is_full(table, each) for each in counts):
            return "no choice of passages fills 99.5 %"
        return self.wrong(candidate, page.order, natural=False) or page

    def _sizes(self, candidate: Candidate, count: int) -> Ints:
        """Return the tokens of the first `count` ranks, with the largest numbers that they can have."""
        fixed, entries = len(self.placed(candidate).entries), self.entries(candidate, count)
        return self.stock(candidate).pieces.tokens(entries) + self.stocks.numbers.tokens(fixed + len(entries))[fixed:]

    def laid(self, candidate: Candidate, ranks: Ints) -> Ints:
        """Return the entries of some ranks and of every row in the order of a context."""
        entries, places = self.entries(candidate, int(ranks.max(initial=-1)) + 1), self.draws(candidate, "places")
        return self.placed(candidate).lay(entries[in_drawn_order(ranks, places)])

    def _laid_out(self, candidate: Candidate, order: Ints) -> Page:
        stock, tokenizers, gap = self.stock(candidate), self.inputs.tokenizers, ending(self.stocks.opener)
        units = Units(lambda _: PrefixedUnits.plain(stock.pieces), order, tokenizers, gap, self.stocks.numbers)
        frames, context = self._frames(candidate, len(order)), units.context(order)
        counts = [self.writer.count(frame, context.parts()) for frame in frames]
        return Page(frames, order, stock.ids[order].tolist(), context, counts)

    def _frames(self, candidate: Candidate, count: int) -> list[Frame]:
        """Return the text around `count` paragraphs, per variant; all begin with the same instruction."""
        opener, cue = self.stocks.opener, self.words["cue"]
        parts = [Part(self.words["instruction"], "instruction", gap=ending(opener), token_start=0)]
        tails = [f"\n\n{self.request(candidate, count, variant)}\n{cue}" for variant in range(self.variants)]
        return [framed(self.writer, parts, tail, cue=cue, opener=opener) for tail in tails]

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        return openers(row)

    def problems(self, row: Row) -> Iterator[str]:
        yield from checks.paragraphs_fit(row, self.stocks.opener, copies=self.copies)
        yield from checks.within(row)
        if self.inputs.are_here(self.uses()):
            yield from checks.as_stored(row, self.inputs.passages(self.settings.passages))

    def background(self, row: Row) -> BackgroundUnits:
        return SpanColumns.of(row["spans"]).of_kinds("passage").column("ref")

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        if not (facts := [json.loads(row["metadata"]) for row in rows]):
            return {}
        return {"shortcuts": {name: round(n / len(facts), 4) for name, n in self.shortcuts(facts).items()}}
