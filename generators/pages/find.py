"""Which of many paragraphs a summary was written from (docs/spec/longbench.md 2.4).

The paragraph asked for stands at depths that any run of candidates spreads evenly, the same at every length. Where summaries come
from: generators/pages/asked.py.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field

from generators.context.pieces import Ints
from generators.pages import checks
from generators.pages.base import PagesTask
from generators.pages.layout import Page
from generators.pages.material import PagesSettings
from generators.pages.stock import OPENER
from generators.pages.words import Words
from generators.spec import Candidate, Row
from haymaker.sample import DEPTH_ERROR, Span, Spans
from haymaker.text import words

_STEP = 0x9E3779B97F4A7C15  # golden ratio of 2**64: multiples of it spread evenly (Weyl), in whole numbers
_TENTHS = 10


class FindSettings(PagesSettings):
    """Knobs of finding a paragraph.

    Attributes:
        natural_passages: paragraphs of a natural row; the reference has 30.
    """

    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 30


F = TypeVar("F", bound=FindSettings)


class PassageRetrieval(PagesTask[F]):
    """Rows that ask for one paragraph."""

    # -------------------------------------------------------------------------------------------------- what is asked

    @abstractmethod
    def gold(self, candidate: Candidate) -> int:
        """Entry of the paragraph asked for."""

    def answer(self, candidate: Candidate, order: Ints) -> str:
        """Its number, in the form that the instruction asks for."""
        return self.named(self.places(candidate, len(order))[-1])

    def named(self, place: int) -> str:
        """What a paragraph is called; in Chinese no space stands before a number."""
        return f"{self.opener} {place + 1}" if self.opener.isascii() else f"{self.opener}{place + 1}"

    def fixed(self, candidate: Candidate) -> list[int]:
        """Paragraphs that stand at depths of their own; the last one is asked for."""
        return [self.gold(candidate)]

    def shares(self, candidate: Candidate) -> list[int]:
        """How deep each of these stands, of 2**64."""
        return [self._share(candidate)]

    def _share(self, candidate: Candidate) -> int:
        """How deep the paragraph stands, of 2**64."""
        start = self.stream(self.spec.name, candidate.part, "depths").word()
        return (start + candidate.number * _STEP) % (1 << 64)

    def places(self, candidate: Candidate, count: int) -> list[int]:
        """Where each of these stands among `count` paragraphs: put in one after the other, so that even depths make even orders."""
        shares, found = self.shares(candidate), list[int]()
        for size, share in enumerate(shares, count - len(shares) + 1):
            place = share * size >> 64
            found = [each + (each >= place) for each in found] + [place]
        return found

    def lay(self, candidate: Candidate, order: Ints) -> Ints:
        """These at their depths, the others around them in order."""
        fixed = self.fixed(candidate)
        laid = np.empty(len(order) + len(fixed), dtype=np.int64)
        places = self.places(candidate, len(laid))
        others = np.ones(len(laid), dtype=np.bool_)
        others[places] = False
        laid[places], laid[others] = fixed, order
        return laid

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """The other paragraphs by rank."""
        barred = self.barred(candidate)
        order = self.permutation(candidate)[: count + len(barred)]
        others: Ints = order[~np.isin(order, barred)][:count]
        return others

    def barred(self, candidate: Candidate) -> list[int]:
        """Those that have no rank: they stand at depths of their own, or not at all."""
        return self.fixed(candidate)

    @property
    def natural_need(self) -> int:
        return self.settings.natural_passages

    def natural_order(self, candidate: Candidate) -> Ints:
        """So many paragraphs as the reference has."""
        return self.lay(candidate, self.entries(candidate, self.settings.natural_passages - len(self.fixed(candidate))))

    # ----------------------------------------------------------------------------------------------------------- rows

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap; what measures read."""
        ids, count = self.stock(candidate).ids[page.order].tolist(), len(page.order)
        places, question = self.places(candidate, count), set(words(self.question(candidate)))
        place, text = places[-1], self.stock(candidate).texts[self.gold(candidate)]
        extra = {
            "answer_depends_on_length": True,  # the number does, not the paragraph
            "paragraphs": count,
            "bm25_rank": _rank(self.stock(candidate).said, page.order, self.question(candidate), place),
            "in_last_1k": place in page.last(),
        }
        return {
            "spans": _spans(page, places, ids), "extra": extra, "n_distractors": count - 1,
            "depth": place / (count - 1), "depth_index": self._share(candidate) * _TENTHS >> 64,
            "overlap": len(question & set(words(text))) / max(1, len(question)),
        }  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        """A gold that is not the one asked for, not at its depth, or there twice."""
        yield from super().problems(row)
        places = [place for place, span in enumerate(checks.spans(row)) if span["kind"] == "gold"]
        if len(places) != 1 or row["n_units"] != row["n_unique_units"]:
            yield "not one gold paragraph, or a paragraph stands there twice"
        elif said := self.misnamed(row, self.named(places[0])):
            yield said
        elif abs(row["depth"] - places[0] / (row["n_units"] - 1)) > DEPTH_ERROR:
            yield "depth is not where the gold stands"

    def misnamed(self, row: Row, name: str) -> str:
        """What is wrong with the answer of a row whose gold has this name; empty when all is well."""
        return "" if row["answers"] == [name] else f"the gold is {name}, the answer {row['answers'][0]}"

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, float]:
        """How many rows are right by shared words (BM25's first), how many by the end alone."""
        return {
            "bm25_first": sum(each["bm25_rank"] == 0 for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Rows that are answered right without reading."""
        extras = [json.loads(row["extra"]) for row in rows]
        right = self.shortcuts(extras)
        return {"shortcuts": {name: round(n / len(extras), 4) for name, n in right.items()}} if extras else {}


def named(place: int) -> str:
    """What a paragraph is called."""
    return f"{OPENER} {place + 1}"


def _spans(page: Page, places: list[int], ids: list[str]) -> list[Span | Spans]:
    """All paragraphs in order: the last of `places` is the gold, the others made to be taken for it, by rank."""
    found, at = list[Span | Spans](), 0
    for place, which in sorted(zip(places, range(len(places)), strict=True)):
        is_gold = which == len(places) - 1
        kind, rank = ("gold", None) if is_gold else ("distractor", which)
        found += [page.spans("passage", at, place, ids), page.span(kind, place, ids[place], rank)]
        at = place + 1
    return [*found, page.spans("passage", at, len(ids), ids)]


def _rank(said: Words, order: Ints, question: str, place: int) -> int:
    """Paragraphs that BM25 puts before the one at a place, or level with it, for the words of the question."""
    scores = said.kept(order).scores(question)
    return int(np.count_nonzero(scores >= scores[place])) - 1
