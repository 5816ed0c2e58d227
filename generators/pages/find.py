"""Which of many paragraphs a summary was written from (docs/spec/longbench.md 2.4).

The paragraph asked for stands at depths that any run of candidates spreads evenly, the same at every length. Where summaries come
from: generators/pages/asked.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from generators.context.pieces import Ints
from generators.pages import checks
from generators.pages.layout import Page
from generators.pages.placed import F, FindSettings, Placed
from generators.pages.stock import OPENER
from generators.pages.words import Words
from generators.spec import Candidate, Row
from haymaker.core.rows.schema import DEPTH_ERROR, Span, Spans
from haymaker.core.text.strings import words

__all__ = ["FindSettings", "PassageRetrieval", "named"]


class PassageRetrieval(Placed[F]):
    """Rows that ask for one paragraph."""

    # -------------------------------------------------------------------------------------------------- what is asked

    def answer(self, candidate: Candidate, order: Ints) -> str:
        """Its number, in the form that the instruction asks for."""
        return self.named(self.places(candidate, len(order))[-1])

    def named(self, place: int) -> str:
        """What a paragraph is called; in Chinese no space stands before a number."""
        return f"{self.opener} {place + 1}" if self.opener.isascii() else f"{self.opener}{place + 1}"

    # ----------------------------------------------------------------------------------------------------------- rows

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap; what measures read."""
        ids, count = self.stock(candidate).ids[page.order].tolist(), len(page.order)
        places, question = self.places(candidate, count), set(words(self.question(candidate)))
        place, text = places[-1], self.stock(candidate).texts[self.gold(candidate)]
        extra = {
            "answer_depends_on_length": True,  # the number does, not the paragraph
            "paragraphs": count,
            "bm25_rank": _rank(self.stock(candidate).searched, page.order, self.question(candidate), place),
            "in_last_1k": place in page.last(),
        }
        return {
            "spans": _spans(page, places, ids), "extra": extra, "n_distractors": count - 1,
            "depth": place / (count - 1), "depth_index": self.depth_index(candidate),
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
