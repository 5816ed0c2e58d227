"""passage_retrieval_en: which of many paragraphs a summary was written from (docs/spec/longbench.md 2.4).

The paragraph asked for stands at depths that any run of candidates spreads evenly, the same at every length. Where summaries come
from: generators/longbench/pages_asked.py.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field

from generators.context.pieces import Ints
from generators.longbench import pages_checks as checks
from generators.longbench.pages_base import PagesTask
from generators.longbench.pages_layout import Page
from generators.longbench.pages_material import PagesSettings
from generators.longbench.pages_words import Words
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
        return f"Paragraph {self._place(candidate, len(order)) + 1}"

    def fixed(self, candidate: Candidate) -> list[int]:
        """The paragraph asked for."""
        return [self.gold(candidate)]

    def _share(self, candidate: Candidate) -> int:
        """How deep the paragraph stands, of 2**64."""
        start = self.stream(self.spec.name, candidate.part, "depths").word()
        return (start + candidate.number * _STEP) % (1 << 64)

    def _place(self, candidate: Candidate, count: int) -> int:
        return self._share(candidate) * count >> 64

    def lay(self, candidate: Candidate, order: Ints) -> Ints:
        """The paragraph asked for at its depth."""
        place = self._place(candidate, len(order) + 1)
        return np.concatenate((order[:place], [self.gold(candidate)], order[place:]))

    def entries(self, candidate: Candidate, count: int) -> Ints:
        """The other paragraphs by rank."""
        order = self.permutation(candidate)[: count + 1]
        others: Ints = order[order != self.gold(candidate)][:count]
        return others

    @property
    def natural_need(self) -> int:
        return self.settings.natural_passages

    def natural_order(self, candidate: Candidate) -> Ints:
        """So many paragraphs as the reference has."""
        return self.lay(candidate, self.entries(candidate, self.settings.natural_passages - 1))

    # ----------------------------------------------------------------------------------------------------------- rows

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap; what measures read."""
        ids, count = self.stock(candidate).ids[page.order].tolist(), len(page.order)
        place, question = self._place(candidate, count), set(words(self.question(candidate)))
        text = self.stock(candidate).texts[self.gold(candidate)]
        gold = Span(
            page.frame.start + int(page.context.starts[place]), page.frame.start + int(page.context.ends[place]), "gold",
            ids[place], page.frame.tokens_before + int(page.context.token_starts[place]),
        )  # fmt: skip
        parts: list[Span | Spans] = [page.spans("passage", 0, place, ids), gold]
        extra = {
            "answer_depends_on_length": True,  # the number does, not the paragraph
            "paragraphs": count,
            "bm25_rank": _rank(self.stock(candidate).said, page.order, self.question(candidate), place),
            "in_last_1k": place in page.last(),
        }
        return {
            "spans": [*parts, page.spans("passage", place + 1, count, ids)], "extra": extra, "n_distractors": count - 1,
            "depth": place / (count - 1), "depth_index": self._share(candidate) * _TENTHS >> 64,
            "overlap": len(question & set(words(text))) / max(1, len(question)),
        }  # fmt: skip

    def problems(self, row: Row) -> Iterator[str]:
        """A gold that is not the one asked for, not at its depth, or there twice."""
        yield from super().problems(row)
        places = [place for place, span in enumerate(checks.spans(row)) if span["kind"] == "gold"]
        if len(places) != 1 or row["n_units"] != row["n_unique_units"]:
            yield "not one gold paragraph, or a paragraph stands there twice"
        elif row["answers"] != [f"Paragraph {places[0] + 1}"]:
            yield f"the gold is paragraph {places[0] + 1}, the answer {row['answers'][0]}"
        elif abs(row["depth"] - places[0] / (row["n_units"] - 1)) > DEPTH_ERROR:
            yield "depth is not where the gold stands"

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Rows that are answered right without reading: by shared words (BM25's first), by one number for all, by the end alone."""
        extras = [json.loads(row["extra"]) for row in rows]
        right = {
            "bm25_first": sum(each["bm25_rank"] == 0 for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }
        return {"shortcuts": {name: round(n / len(extras), 4) for name, n in right.items()}} if extras else {}


def _rank(said: Words, order: Ints, question: str, place: int) -> int:
    """Paragraphs that BM25 puts before the one at a place, or level with it, for the words of the question."""
    scores = said.kept(order).scores(question)
    return int(np.count_nonzero(scores >= scores[place])) - 1
