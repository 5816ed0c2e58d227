"""Questions on the pages that a search returned, among pages of other searches (docs/spec/longbench.md 2.4: dureader).

Every row shows the golds of its question, and is filled with pages of other searches, drawn at random. The other pages of the search,
and pages whose titles are nearly the question, are in no row of the question: many of them have an answer that is not accepted.
The depth of the first gold is even over any run of questions.
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
_TOO_LONG = "every answer nearly fills the output budget, or is longer"
_NO_GOLD = "its pages are much like those of another question"
_TITLE = re.compile(r"\s*【([^\n]*?)】")
_NEAR = 0.7  # share of a question's terms in the title of a page that answers it
_ROOM = 0.9  # share of the output budget that an answer may take


class SearchSettings(PagesSettings):
    """Settings of dureader.

    Attributes:
        questions: source of the questions; their evidence and further pages are passages of `passages`.
        set: question set of `questions`.
        natural_passages: number of pages of a row of natural length; the reference has 20.
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
        self._unmarked = lru_cache(maxsize=3)(self.questions.unmarked)
        self._not_shown = lru_cache(maxsize=256)(self._pages_not_shown)

    def _pages_of(self, candidate: Candidate) -> list[int]:
        """Return the entries of the golds, without pages that are like an earlier one."""
        alike = self.stock(candidate).alike
        return [entry for entry in self.asked(candidate).golds if entry not in alike]

    def barred(self, candidate: Candidate) -> list[int]:
        return self._not_shown(candidate)

    def _pages_not_shown(self, candidate: Candidate) -> list[int]:
        """Leave out the other pages of the search too, and pages whose titles are nearly the question."""
        question, others, titled = self.question(candidate), self.asked(candidate).others, self.stock(candidate).texts
        near = [entry for entry, text in enumerate(titled) if asks(question, text)]
        return [*super().barred(candidate), *self.asked(candidate).golds, *others, *near]

    def _answers(self, candidate: Candidate) -> tuple[list[str], str]:
        """Return the answers that a gold contains and that leave some of the output budget; and why there is none."""
        tokenizer, texts = self.inputs.tokenizers[0], self.stock(candidate).texts
        golds, given = self._pages(candidate), self.asked(candidate).question.answers
        found = [each for each in given if any(told(each, texts[entry]) >= TOLD for entry in golds)]
        short = [each for each in found if tokenizer.count_part(f" {each}") <= _ROOM * self.spec.max_new_tokens]
        return short, "" if short else _TOO_LONG if found else _UNTOLD

    def rejection_reason(self, candidate: Candidate) -> str:
        question = self.asked(candidate).question
        if question.kind in _REFUSED:
            return _REFUSED[question.kind]
        if question.evidence and not self._pages(candidate):
            return _NO_GOLD
        return self._answers(candidate)[1]

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        return {"answers": self._answers(candidate)[0]}

    def placed(self, candidate: Candidate) -> Placed:
        """Return the golds, at drawn depths; the depth of the first gold is even."""
        golds = self._pages(candidate)
        drawn = self.draws(candidate, "places of others").bulk(len(golds) - 1)
        return Placed([*reversed(golds)], [*map(int, drawn), self.even_depth(candidate)])

    def natural_order(self, candidate: Candidate) -> Ints:
        """Return as many pages as the reference has, or its own and one more, in the order of longer rows."""
        more = max(1, self.settings.natural_passages - len(self.placed(candidate).entries))
        return self.laid(candidate, np.arange(min(more, len(self.entries(candidate, more)))))

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        stock, placed, question = self.stock(candidate), self.placed(candidate), self.question(candidate)
        gold_places = placed.places(len(page.order))
        metadata = {
            "pages": len(page.order), "golds": len(gold_places),
            "bm25_first": int(np.argmax(stock.searched.scores(question, page.order))) in gold_places,
            "in_last_1k": not set(gold_places).isdisjoint(page.last().tolist()),
        }  # fmt: skip
        return page.marked(stock, question, placed, [("gold", None)] * len(gold_places)) | {"metadata": metadata}

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        text, every = row.text, super().headings(row)
        return [(start, found.end() if (found := _TITLE.match(text, end)) else end) for start, end in every]

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        kinds, texts = checks.spans(row).column("kind"), checks.paragraphs(row)
        golds = [place for place, kind in enumerate(kinds) if kind == "gold"]
        yield from at_depth(row, golds, row["num_segments"])
        unmarked = (
            self._unmarked(row["split"]).get(row["question"], set()) if self.inputs.are_here(self.uses()) else set()
        )
        for ref, kind, text in zip(checks.spans(row).column("ref"), kinds, texts, strict=True):
            if kind != "gold" and (ref in unmarked or asks(row["question"], text)):
                yield f"a page that is not gold may answer the question: {text:.60}"
        for answer in row["answers"]:
            if not any(told(answer, texts[place]) >= TOLD for place in golds):
                yield f"no gold page contains {answer!r:.60}"


def asks(question: str, page: str) -> bool:
    """Return whether the title of a page has most terms of a question, so that the page probably answers it."""
    title = _TITLE.match(page)
    return title is not None and told(question, title[1]) >= _NEAR
