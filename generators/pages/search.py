"""Questions on the pages that a search returned, among pages of other searches (docs/spec/longbench.md 2.4: dureader).

Every row shows all pages of the search of its question, and is filled with pages of other searches, drawn at random. The depth of
the first gold is even over any run of questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from corpora.sources.dureader import TOLD
from generators.context.checks import at_depth
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.page import Page, Placed
from generators.pages.stock import PagesSettings
from generators.pages.summaries import SourceQuestions
from generators.pages.task import PagesTask
from generators.spec import Candidate, Entry, Row
from haymaker.core.params import Name, RefersTo
from haymaker.core.rows.schema import Sample
from haymaker.core.text.strings import told

_REFUSED = MappingProxyType({
    "unanswered": "nobody answered it",
    "yes_no": "yes or no, and its answers settle neither",
    "opinion": "an opinion, and its answers have nothing in common",
})  # fmt: skip
_UNTOLD = "no page that it shows says an answer"
_TOO_LONG = "every answer is longer than the room for it"
_NO_GOLD = "its pages are much like those of another question"
_TITLE = re.compile(r"\s*【[^\n]*?】")


class SearchSettings(PagesSettings):
    """Settings of dureader.

    Attributes:
        questions: source of role questions; their evidence and other pages are passages of `passages`.
        set: its question set.
        natural_passages: pages of a natural row; the reference has 20.
    """

    questions: Annotated[Name, RefersTo("sources", ("questions",))]
    set: Name = "dureader"
    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 20


class SearchPageQA(PagesTask[SearchSettings]):
    """Rows that ask for a short answer from several pages."""

    settings_type = SearchSettings

    def __init__(self, entry: Entry[SearchSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self.questions = SourceQuestions(self, self.settings.questions, single=False)
        self._pages = lru_cache(maxsize=256)(self._pages_of)

    def _pages_of(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """Return the entries of the golds and of the other pages, without pages that are like an earlier one."""
        alike, (_, golds, others) = self.stock(candidate).alike, self.asked(candidate)
        return [entry for entry in golds if entry not in alike], [entry for entry in others if entry not in alike]

    def _answers(self, candidate: Candidate) -> tuple[list[str], str]:
        """Return the answers that a gold contains, those within the output budget first; and why there is none."""
        tokenizer, texts = self.inputs.tokenizers[0], self.stock(candidate).texts
        golds, given = self._pages(candidate)[0], self.asked(candidate).question.answers
        found = [each for each in given if any(told(each, texts[entry]) >= TOLD for entry in golds)]
        fits = {each: tokenizer.count_part(f" {each}") <= self.spec.max_new_tokens for each in found}
        reason = "" if any(fits.values()) else _TOO_LONG if found else _UNTOLD
        return sorted(found, key=lambda each: not fits[each]), reason

    def rejection_reason(self, candidate: Candidate) -> str:
        question = self.asked(candidate).question
        if question.kind in _REFUSED:
            return _REFUSED[question.kind]
        if question.evidence and not self._pages(candidate)[0]:
            return _NO_GOLD
        return self._answers(candidate)[1]

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        return {"answers": self._answers(candidate)[0]}

    def placed(self, candidate: Candidate) -> Placed:
        """Return all pages of the search, at drawn depths; the depth of the first gold is even."""
        golds, others = self._pages(candidate)
        drawn = self.draws(candidate, "places of others").bulk(len(others) + len(golds) - 1)
        return Placed([*others, *reversed(golds)], [*map(int, drawn), self.even_depth(candidate)])

    def natural_order(self, candidate: Candidate) -> Ints:
        """Return as many pages as the reference has, or its own and one more, in the order of longer rows."""
        more = max(1, self.settings.natural_passages - len(self.placed(candidate).entries))
        return self.laid(candidate, np.arange(min(more, len(self.entries(candidate, more)))))

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        (golds, others), stock, placed = self._pages(candidate), self.stock(candidate), self.placed(candidate)
        question, gold_places = self.question(candidate), placed.places(len(page.order))[len(others) :]
        extra = {
            "pages": len(page.order), "golds": len(golds), "shown": len(others),
            "bm25_first": int(np.argmax(stock.searched.scores(question, page.order))) in gold_places,
            "in_last_1k": not set(gold_places).isdisjoint(page.last().tolist()),
        }  # fmt: skip
        marks = [("distractor", None)] * len(others) + [("gold", None)] * len(golds)
        return page.marked(stock, question, placed, marks) | {"extra": extra}

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        text, every = row.text, super().headings(row)
        return [(start, found.end() if (found := _TITLE.match(text, end)) else end) for start, end in every]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        kinds, texts = checks.spans(row).column("kind"), checks.paragraphs(row)
        golds = [place for place, kind in enumerate(kinds) if kind == "gold"]
        yield from at_depth(row, golds, row["n_units"])
        for answer in row["answers"]:
            if not any(told(answer, texts[place]) >= TOLD for place in golds):
                yield f"no gold page says {answer!r:.60}"
