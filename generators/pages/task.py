"""Rows of numbered paragraphs of a corpus (docs/spec/longbench.md 2.4).

Every paragraph of a row has a rank; a longer row has more ranks. The place of a paragraph is drawn by its rank, so a longer row
contains a shorter one in the same order. Some paragraphs are in every row, at depths of their own. Everything is drawn from
Stream(seed, suite, task, split, number, purpose), never by bucket.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from pydantic import Field, field_validator

from corpora.sources.splits import Shares
from generators.context.pieces import Ints
from generators.context.units import openers
from generators.inputs import Inputs, PassageCorpus
from generators.pages import checks
from generators.pages.filler import Filler, Page
from generators.pages.stock import OPENER, Stock, Wanted, is_large
from generators.pages.summaries import Asked, Quotations, SourceQuestions
from generators.pool import Pool, endless
from generators.spec import BackgroundUnits, Candidate, Entry, Row, Table, TaskSettings
from generators.task import Task
from haymaker.core.buckets import NATURAL
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Split
from haymaker.core.rows.span_columns import SpanColumns
from haymaker.core.text.strings import words

PER_SAMPLE = 4096  # consecutive candidates that share a sample of a large corpus
_SKIPS = 96  # bits of a number below the count of the candidates that a training stream skipped
_KEPT = 2  # stocks of one corpus
_STEP = 0x9E3779B97F4A7C15  # golden ratio of 2**64: its multiples are spread evenly (Weyl), in whole numbers


class PagesSettings(TaskSettings):
    """Settings of the tasks over numbered paragraphs.

    Attributes:
        passages: corpus.
        min_words: passages with fewer words are not used.
        parts: whole-number shares of the articles of the corpus (of its passages, if it has no articles); splits share none.
        natural_passages: paragraphs of a natural row.
    """

    passages: PassageCorpus
    min_words: Annotated[int, Field(strict=True, ge=8, le=5000)] = 40
    parts: Shares = Field(default={"test": 70, "dev": 10, "train": 20})
    natural_passages: Any

    @field_validator("parts")
    @classmethod
    def _not_nothing(cls, value: dict[Split, int]) -> dict[Split, int]:
        if not sum(value.values()):
            raise ValueError("the shares in `parts` add up to 0")
        return value


P = TypeVar("P", bound=PagesSettings)


class PagesTask(Task[P]):
    """Makes rows of numbered paragraphs.

    Attributes:
        questions: questions of the rows; None: the instruction asks.
        copies: whether a row shows a paragraph more than once.
        apart: whether rows show no passage that is like an earlier one of `firsts`, unless it is placed.
        answer_words: words of all accepted answers together, at most.
    """

    natural = True
    questions: SourceQuestions | Quotations | None = None
    copies: ClassVar[bool] = False
    apart: bool = False
    answer_words: int = 2

    def __init__(self, entry: Entry[P], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.permutation = lru_cache(maxsize=2)(  # all entries of the stock of a candidate, in an order of its own
            lambda candidate: self.draws(candidate, "passages").permutation(len(self.stock(candidate)))
        )
        self._columns = lru_cache(maxsize=1)(self.columns)  # the variants of a candidate follow one another

    @abstractmethod
    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        """Return the columns of the answer if the entries are in this order."""

    @abstractmethod
    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Return the other columns of a row that depend on the kind of task, `spans` and `extra` among them."""

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, int]:
        """Return how many rows each shortcut answers right, by `extra`: shared words (first by BM25), the end alone."""
        return {
            "bm25_first": sum(each["bm25_first"] if "bm25_first" in each else not each["bm25_rank"] for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }

    def placed(self, candidate: Candidate) -> list[tuple[int, int]]:
        """Return the entries that every row shows, each with its depth, of 2**64; the last one is asked for."""
        return []

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """Return the entries of the first `count` ranks, or fewer if there are no more."""
        barred = [*self.fixed(candidate), *(self.stock(candidate).alike if self.apart else ())]
        order = self.permutation(candidate)[: count + len(barred)]
        return order[~np.isin(order, barred)][:count]

    @property
    def natural_need(self) -> int:
        """Different passages that a natural row can have."""
        return int(self.settings.natural_passages)

    def natural_order(self, candidate: Candidate) -> Ints:
        """Return the entries in the order of a row as the reference makes it."""
        return self.lay(candidate, self.entries(candidate, self.natural_need - len(self.fixed(candidate))))

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        """Return why a row of these entries has no question, or an empty string."""
        return ""

    def request(self, candidate: Candidate, count: int, variant: int) -> str:
        """Return the text between `count` paragraphs and the cue."""
        texts, question = self.words, self.question(candidate)
        return (texts["input"].replace("{summary}", question) + "\n\n" if question else "") + str(texts["again"])

    def fixed(self, candidate: Candidate) -> list[int]:
        """Return the entries that every row shows."""
        return [entry for entry, _ in self.placed(candidate)]

    def even_depth(self, candidate: Candidate) -> int:
        """Return a depth, of 2**64: even over any run of candidates, and the same at every length."""
        start = self.stream(self.spec.name, candidate.part, "depths").word()
        return (start + candidate.number * _STEP) % (1 << 64)

    def places(self, candidate: Candidate, count: int) -> list[int]:
        """Return the places of the placed entries among `count`; they are inserted one by one, so even depths make even orders."""
        placed, found = self.placed(candidate), list[int]()
        for size, (_, depth) in enumerate(placed, count - len(placed) + 1):
            place = depth * size >> 64
            found = [each + (each >= place) for each in found] + [place]
        return found

    def lay(self, candidate: Candidate, order: Ints) -> Ints:
        """Return the entries in this order with the placed ones inserted at their depths."""
        fixed = self.fixed(candidate)
        laid = np.empty(len(order) + len(fixed), dtype=np.int64)
        others = np.ones(len(laid), dtype=np.bool_)
        others[places := self.places(candidate, len(laid))] = False
        laid[places], laid[others] = fixed, order
        return laid

    def marked(self, candidate: Candidate, page: Page, marks: Mapping[int, tuple[str, int | None]]) -> dict[str, Any]:
        """Return spans, depth, overlap and number of distractors of a row with golds; `marks` as in Page.spans."""
        stock, count = self.stock(candidate), len(page.order)
        golds = [page.order[place] for place, (kind, _) in marks.items() if kind == "gold"]
        asked = set(words(self.question(candidate)))
        shown = {word for entry in golds for word in words(stock.texts[entry])}
        return {
            "spans": page.spans(stock.ids[page.order].tolist(), marks), "n_distractors": count - len(golds),
            "depth": self.places(candidate, count)[-1] / (count - 1),
            "depth_index": self.even_depth(candidate) * 10 >> 64,
            "overlap": len(asked & shown) / max(1, len(asked)),
        }  # fmt: skip

    def draws(self, candidate: Candidate, purpose: str) -> Stream:
        """Return the stream of a candidate for a purpose, the same at every length."""
        return self.stream(self.spec.name, candidate.part, candidate.number, purpose)

    def asked(self, candidate: Candidate) -> Asked:
        """Return the question of a candidate, with its passages."""
        assert self.questions
        return self.questions.asked(candidate)

    def question(self, candidate: Candidate) -> str:
        """Return the question besides the instruction; may be empty."""
        return " ".join(self.asked(candidate).question.text.split()) if self.questions else ""

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Return the passages that the rows of a split need, by number; entry i of a stock is the i-th of them."""
        return self.questions.firsts(part) if self.questions else ()

    def pool(self, part: Split) -> Pool[Any]:
        """Return the questions, or candidates without end, named after the entry: other settings ask something else."""
        return self.questions.pool(part) if self.questions else endless(part, self.entry.name)

    def check_feasible(self, table: Table) -> None:
        """Refuse a bucket beyond the passages, and natural rows that need more passages than there are."""
        have, need, part = len(self.stock_of(table.part)), self.natural_need, f"part {table.part}"
        corpus, fix = repr(self.settings.passages), "give the corpus more passages, or lower min_words"
        if table.bucket == NATURAL and have < need:
            what = f"{part} of {corpus} has {have} passages, natural rows need {need}"
            raise BuildError(what, where=f"{table.config} {table.part}", fix=f"{fix} or natural_passages")
        self._check_limit(table, f"the passages of {part} in {corpus} end at about {{limit}} tokens", fix)

    def limit(self, part: Split = "test") -> int | None:
        """Tokens of a row of (nearly) all passages of a split."""
        return self.stock_of(part).tokens

    def sampled(self, part: Split) -> bool:
        """Return whether the corpus is too large to be read whole; then every few thousand candidates have a sample of it."""
        return not self.firsts(part) and is_large(self.inputs.passages(self.settings.passages))

    def drawn_from(self, candidate: Candidate) -> tuple[int, int]:
        """Return the sample of a candidate and its place in it; a candidate after a skipped one keeps the sample."""
        skipped, number = divmod(candidate.number, 1 << _SKIPS)
        sample, place = divmod(number, PER_SAMPLE) if self.sampled(candidate.part) else (0, number)
        return sample, place + skipped * PER_SAMPLE

    def stock(self, candidate: Candidate) -> Stock:
        """Return the passages that the rows of a candidate are made of."""
        return self.stock_of(candidate.part, self.drawn_from(candidate)[0])

    def stock_of(self, part: Split, sample: int = 0) -> Stock:
        """Return a stock, one for all tasks of a suite in this process that need the same; the last few are kept."""
        settings, corpus, firsts = self.settings, self.settings.passages, self.firsts(part)
        held = self.inputs.shared(("pages", self.entry.suite, corpus, firsts), dict[Any, Stock])
        wanted = Wanted(part, tuple(sorted(settings.parts.items())), settings.min_words, firsts, self.opener)
        if (found := held.pop((sample, wanted), None)) is None:
            draws = self.stream(corpus, part, sample, "sample")
            found = Stock(self.inputs.passages(corpus), wanted, draws, self.inputs.tokenizers)
        if not len(found):
            what, fix = f"no passage of part {part} has {wanted.min_words} words", "or change its `parts`"
            raise BuildError(what, where=f"passages.{corpus}", fix=f"lower min_words of {self.entry.where}, {fix}")
        held[sample, wanted] = found
        if len(held) > _KEPT:
            held.pop(next(iter(held)))
        return found

    @cached_property
    def filler(self) -> Filler:
        """Fills the rows."""
        return Filler(self)

    @cached_property
    def opener(self) -> str:
        """The word before the number of a paragraph, in the language of the prompt texts."""
        return str(self.words.get("opener", OPENER))

    def rejection_reason_at(self, table: Table, candidate: Candidate) -> str:
        page = self.filler.page(table, candidate)
        return page if isinstance(page, str) else ""

    def row(self, table: Table, candidate: Candidate, variant: int) -> Sample:
        page = self.filler.page(table, candidate)
        if isinstance(page, str):
            raise BuildError(page, where=f"{table.config} {candidate.key}", fix="use another bucket")
        shown = self.stock(candidate).ids[page.order].tolist()
        return self.writer.sample(
            table, candidate.key, page.frames[variant], page.context, page.counts[variant],
            question=self.question(candidate), n_units=len(shown), n_unique_units=len(set(shown)),
            haystack=self.settings.passages, doc_ids=list(dict.fromkeys(shown)),
            **self.answered(candidate, page.order, variant) | self._columns(candidate, page),
        )  # fmt: skip

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        return openers(row)

    def problems(self, row: Row) -> Iterator[str]:
        yield from checks.paragraphs_fit(row, self.opener, copies=self.copies)
        yield from checks.within(row)
        if self.inputs.are_here(self.uses()):
            yield from checks.as_stored(row, self.inputs.passages(self.settings.passages))

    def background(self, row: Row) -> BackgroundUnits:
        return SpanColumns.of(row["spans"]).of_kinds("passage").column("ref")

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Share of the rows that each shortcut answers right."""
        if not (extras := [json.loads(row["extra"]) for row in rows]):
            return {}
        return {"shortcuts": {name: round(n / len(extras), 4) for name, n in self.shortcuts(extras).items()}}
