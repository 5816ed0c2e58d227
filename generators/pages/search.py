"""Questions on the pages that a search returned, among pages of other searches (docs/spec/longbench.md 2.4: dureader).

Every row shows all pages of the search of its question, and is filled with pages of other searches, drawn at random. The first gold
is at depths that any run of questions spreads evenly. Questions are left out, and counted, if nobody answered them, if their
answers disagree, if no gold page contains an answer, or if every answer exceeds the output budget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from corpora.sources.dureader import TOLD
from corpora.stores.passages.store import Passages
from generators.context.checks import at_depth
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.page import Page
from generators.pages.stock import numbers
from generators.pages.task import PagesSettings, PagesTask
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row
from haymaker.core.params import Name, RefersTo
from haymaker.core.rows.schema import Sample
from haymaker.core.rows.source_records import Question, Split
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
_ROOM = 4096  # tokens: questions are sorted by the doublings of this that their pages need


class SearchSettings(PagesSettings):
    """Settings of dureader.

    Attributes:
        questions: source of role questions; their evidence and their other pages are passages of `passages`.
        set: its question set.
        natural_passages: pages of a natural row; the reference has 20.
    """

    questions: Annotated[Name, RefersTo("sources", ("questions",))]
    set: Name = "dureader"
    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 20


class Asked(NamedTuple):
    """A question with its pages, by their numbers in the corpus: golds, and others of its search."""

    question: Question
    golds: tuple[int, ...]
    others: tuple[int, ...]


class SearchPageQA(PagesTask[SearchSettings]):
    """Rows that ask for a short answer from several pages."""

    settings_type = SearchSettings

    def __init__(self, entry: Entry[SearchSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._pages = lru_cache(maxsize=256)(self._pages_of)

    def check(self) -> None:
        super().check()
        self.check_set(self.settings.questions, self.settings.set)

    # ------------------------------------------------------------------------------------------------------- candidates

    def pool(self, part: Split) -> Pool[Asked]:
        asked, _ = self._loaded(part)
        return Pool(part, asked, lambda index: f"{self.entry.name}-{part}-{asked[index].question.question_id}")

    def firsts(self, part: Split) -> tuple[int, ...]:
        return tuple(self._loaded(part)[1])

    def _loaded(self, part: Split) -> tuple[list[Asked], dict[int, int]]:
        """Return the questions of a split in order, and the entries of their pages by their numbers in the corpus."""
        return self.inputs.shared((self.entry.where, part), lambda: self._load(part))

    def _load(self, part: Split) -> tuple[list[Asked], dict[int, int]]:
        """Read the questions, those with few pages first: so the first rows of every length have the same questions."""
        settings = self.settings
        source, store = self.inputs.source(settings.questions), self.inputs.passages(settings.passages)
        found = source.questions(self.inputs.raw(settings.questions), settings.set, part)
        every = [Asked(each, numbers(store, each.evidence), numbers(store, each.shown)) for each in found]
        asked = self.stream(self.spec.name, part, "order").shuffled(every)
        asked.sort(key=lambda each: _rungs(store, each))
        firsts = [n for each in asked for n in each.golds]  # golds first: of two pages that are alike the first stays
        firsts += [n for each in asked for n in each.others]
        return asked, {number: at for at, number in enumerate(dict.fromkeys(firsts))}

    def _asked(self, candidate: Candidate) -> Asked:
        return self._loaded(candidate.part)[0][candidate.number]

    def _pages_of(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """Return the entries of the golds and of the other pages, without those that are like an earlier page."""
        entries, alike, asked = self._loaded(candidate.part)[1], self.stock(candidate).alike, self._asked(candidate)
        golds, others = ([entries[n] for n in each if entries[n] not in alike] for each in (asked.golds, asked.others))
        return golds, others

    def _answers(self, candidate: Candidate) -> tuple[list[str], str]:
        """Return the answers that a gold contains, those within the output budget first; and why there is none."""
        tokenizer, texts = self.inputs.tokenizers[0], self.stock(candidate).texts
        golds, given = self._pages(candidate)[0], self._asked(candidate).question.answers
        found = [each for each in given if any(told(each, texts[entry]) >= TOLD for entry in golds)]
        fits = {each: tokenizer.count_part(f" {each}") <= self.spec.max_new_tokens for each in found}
        reason = "" if any(fits.values()) else _TOO_LONG if found else _UNTOLD
        return sorted(found, key=lambda each: not fits[each]), reason

    def rejection_reason(self, candidate: Candidate) -> str:
        question = self._asked(candidate).question
        if question.kind in _REFUSED:
            return _REFUSED[question.kind]
        if question.evidence and not self._pages(candidate)[0]:
            return _NO_GOLD
        return self._answers(candidate)[1]

    # ------------------------------------------------------------------------------------------------------------- rows

    def question(self, candidate: Candidate) -> str:
        return " ".join(self._asked(candidate).question.text.split())

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        return {"answers": self._answers(candidate)[0]}

    def fixed(self, candidate: Candidate) -> list[int]:
        """All pages of its search."""
        golds, others = self._pages(candidate)
        return [*others, *reversed(golds)]

    def shares(self, candidate: Candidate) -> list[int]:
        """The depth of the first gold is even; the others are drawn."""
        drawn = self.draws(candidate, "places of others").bulk(len(self.fixed(candidate)) - 1)
        return [*map(int, drawn), self.even_share(candidate)]

    def barred(self, candidate: Candidate) -> list[int]:
        """Its own pages, and pages that are like an earlier one."""
        return [*self.fixed(candidate), *self.stock(candidate).alike]

    @property
    def natural_need(self) -> int:
        return self.settings.natural_passages

    def natural_order(self, candidate: Candidate) -> Ints:
        """As many pages as the reference has, or its own and one more, in the order of longer rows."""
        more = max(1, self.settings.natural_passages - len(self.fixed(candidate)))
        return self.filler.laid(candidate, np.arange(min(more, len(self.entries(candidate, more)))))

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap, and the figures of `shortcuts`."""
        (golds, others), count = self._pages(candidate), len(page.order)
        kinds = ["distractor"] * len(others) + ["gold"] * len(golds)
        marks = {at: (kind, None) for at, kind in zip(self.places(candidate, count), kinds, strict=True)}
        best = np.argmax(self.stock(candidate).searched.kept(page.order).scores(self.question(candidate)))
        extra = {
            "pages": count, "golds": len(golds), "shown": len(others),
            "bm25_first": marks.get(int(best)) == ("gold", None),
            "in_last_1k": any(marks.get(at) == ("gold", None) for at in page.last().tolist()),
        }  # fmt: skip
        return self.marked(candidate, page, marks) | {"extra": extra}

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The number of each page, and its title if it has one."""
        text, every = row.text, super().headings(row)
        return [(start, found.end() if (found := _TITLE.match(text, end)) else end) for start, end in every]

    # ----------------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        kinds, texts = checks.spans(row).column("kind"), checks.paragraphs(row)
        golds = [place for place, kind in enumerate(kinds) if kind == "gold"]
        yield from at_depth(row, golds, row["n_units"])
        for answer in row["answers"]:
            if not any(told(answer, texts[place]) >= TOLD for place in golds):
                yield f"no gold page says {answer!r:.60}"

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, int]:
        """Rows with a gold first by shared words, and rows with a gold at the end."""
        return {
            "bm25_first": sum(each["bm25_first"] for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }


def _rungs(store: Passages, asked: Asked) -> int:
    """Return the doublings of the shortest bucket until it has room for the pages of a question."""
    tokens = int(store.tokens([*asked.golds, *asked.others])[:, 0].sum()) if asked.golds or asked.others else 0
    return (tokens * 3 // 2 // _ROOM).bit_length()
