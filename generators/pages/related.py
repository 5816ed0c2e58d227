"""Questions to the pages of a search, shown among pages of other searches (docs/spec/longbench.md 2.4: dureader).

All pages that the search gave stand in every row, the ones that people answered from among them; a row is filled with pages that other
questions were given, drawn at random. The first of the golds stands at depths that any run of questions spreads evenly.

Left out, each counted: questions that nobody answered; yes and no that the people did not agree on; opinions that they do not share;
answers that no gold page says, or that do not fit the room for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from corpora.sources.dureader import TOLD
from corpora.stores.passages.store import Passages
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.base import PagesTask
from generators.pages.layout import Page
from generators.pages.placed import FindSettings, Placed
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row
from haymaker.core.params import Name, RefersTo
from haymaker.core.rows.schema import DEPTH_ERROR, Sample, Span, Spans
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import told, words

_REFUSED = MappingProxyType({
    "unanswered": "nobody answered it",
    "yes_no": "yes or no, and its answers settle neither",
    "opinion": "an opinion, and its answers have nothing in common",
})  # fmt: skip
_UNTOLD = "no page that it shows says an answer"
_TOO_LONG = "every answer is longer than the room for it"
_NO_GOLD = "its pages are much like those of another question"
_TITLE = re.compile(r"\s*【[^\n]*?】")
_ROOM = 4096  # tokens: questions are asked by the doublings of this that their pages need


class RelatedSettings(FindSettings):
    """Knobs of dureader.

    Attributes:
        questions: source of role questions; their evidence and what is shown beside it are passages of `passages`.
        set: of its questions.
        natural_passages: pages of a natural row; the reference has 20.
    """

    questions: Annotated[Name, RefersTo("sources", ("questions",))]
    set: Name = "dureader"
    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 20


class Asked(NamedTuple):
    """A question with its pages, by their numbers in the corpus: golds, and others that the search gave."""

    question: Question
    golds: tuple[int, ...]
    others: tuple[int, ...]


class Related(Placed[RelatedSettings]):
    """Rows that ask for a short answer from several pages."""

    settings_type: ClassVar[type[RelatedSettings]] = RelatedSettings
    patience = None

    def __init__(self, entry: Entry[RelatedSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._shown = lru_cache(maxsize=256)(self._pages_of)

    def check(self) -> None:
        """Refuse a set that the source does not have."""
        super().check()
        self.check_set(self.settings.questions, self.settings.set)

    # ------------------------------------------------------------------------------------------------- candidates

    @property
    def large(self) -> bool:
        return False

    def pool(self, part: Split) -> Pool[Asked]:
        asked = self._asked(part)
        return Pool(part, asked, lambda index: f"{self.entry.name}-{part}-{asked[index].question.question_id}")

    def _asked(self, part: Split) -> list[Asked]:
        """Questions of a part in their order, those whose pages are few first: the first rows of every length ask the same."""
        return self.inputs.shared((self.entry.where, part), lambda: self._load(part))

    def _load(self, part: Split) -> list[Asked]:
        settings = self.settings
        source, store = self.inputs.source(settings.questions), self.inputs.passages(settings.passages)
        found = source.questions(self.inputs.raw(settings.questions), settings.set, part)
        every = [Asked(each, _numbers(store, each.evidence), _numbers(store, each.shown)) for each in found]
        return sorted(self.stream(self.spec.name, part, "order").shuffled(every), key=lambda each: _rungs(store, each))

    def firsts(self, part: Split) -> tuple[int, ...]:
        """Golds of all questions, then what else their searches gave: of pages that are alike a gold stays."""
        asked = self._asked(part)
        return tuple(
            dict.fromkeys([n for each in asked for n in each.golds] + [n for each in asked for n in each.others])
        )

    @cached_property
    def _entry_of(self) -> dict[Split, dict[int, int]]:
        return {}

    def _pages_of(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """Entries of its golds and of the others, without those that are like an earlier page."""
        part, stock, asked = candidate.part, self.stock(candidate), self._asked(candidate.part)[candidate.number]
        entries = self._entry_of.setdefault(part, {number: at for at, number in enumerate(self.firsts(part))})
        golds, others = (
            [entries[n] for n in numbers if stock.ids[entries[n]] not in stock.alike] for numbers in asked[1:]
        )
        return golds, others

    def _answers(self, candidate: Candidate) -> tuple[list[str], str]:
        """Accepted answers that a gold says, those with room first; and why there is none."""
        tokenizer, texts = self.inputs.tokenizers[0], self.stock(candidate).texts
        golds, given = self._shown(candidate)[0], self._asked(candidate.part)[candidate.number].question.answers
        said = [each for each in given if any(told(each, texts[entry]) >= TOLD for entry in golds)]
        fits = [tokenizer.count_part(f" {each}") <= self.spec.max_new_tokens for each in said]
        in_order = [each for each, fit in zip(said, fits, strict=True) if fit]
        in_order += [each for each, fit in zip(said, fits, strict=True) if not fit]
        return in_order, "" if any(fits) else _TOO_LONG if said else _UNTOLD

    def rejection_reason(self, candidate: Candidate) -> str:
        """Why a question cannot be asked at any length."""
        question = self._asked(candidate.part)[candidate.number].question
        if question.kind in _REFUSED:
            return _REFUSED[question.kind]
        if question.evidence and not self._shown(candidate)[0]:
            return _NO_GOLD
        return self._answers(candidate)[1]

    # ------------------------------------------------------------------------------------------------------- rows

    def question(self, candidate: Candidate) -> str:
        return " ".join(self._asked(candidate.part)[candidate.number].question.text.split())

    def answer(self, candidate: Candidate, order: Ints) -> str:
        return self._answers(candidate)[0][0]

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        """All accepted answers."""
        return {"answers": self._answers(candidate)[0]}

    def gold(self, candidate: Candidate) -> int:
        return self._shown(candidate)[0][0]

    def fixed(self, candidate: Candidate) -> list[int]:
        """All pages of its search."""
        golds, others = self._shown(candidate)
        return [*others, *reversed(golds)]

    def shares(self, candidate: Candidate) -> list[int]:
        """The deciding gold's is its turn, the others' are drawn."""
        drawn = self.draws(candidate, "places of others").bulk(len(self.fixed(candidate)) - 1)
        return [*map(int, drawn), *super().shares(candidate)]

    def barred(self, candidate: Candidate) -> list[int]:
        """Its own pages, and those of other searches that are like an earlier page."""
        stock = self.stock(candidate)
        alike = (entry for entry in self._entry_of[candidate.part].values() if stock.ids[entry] in stock.alike)
        return list(dict.fromkeys([*self.fixed(candidate), *alike]))

    def natural_order(self, candidate: Candidate) -> Ints:
        """As many pages as the reference has, or its own and one more; in the order of longer rows."""
        more = max(1, self.settings.natural_passages - len(self.fixed(candidate)))
        return self._laid(candidate, np.arange(min(more, len(self.entries(candidate, more)))))

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap; what measures read."""
        stock, (golds, others) = self.stock(candidate), self._shown(candidate)
        ids, count, places = stock.ids[page.order].tolist(), len(page.order), self.places(candidate, len(page.order))
        question, at = self.question(candidate), dict(zip(places, [*others, *reversed(golds)], strict=True))
        asked, best = set(words(question)), int(np.argmax(stock.searched.kept(page.order).scores(question)))
        gold_places = {place for place, entry in at.items() if entry in golds}
        extra = {
            "pages": count, "golds": len(golds), "shown": len(others),
            "bm25_first": best in gold_places,
            "in_last_1k": not gold_places.isdisjoint(page.last().tolist()),
        }  # fmt: skip
        said = {word for entry in golds for word in words(stock.texts[entry])}
        return {
            "spans": _spans(page, at, gold_places, ids), "extra": extra, "n_distractors": count - len(golds),
            "depth": places[-1] / (count - 1), "depth_index": self.depth_index(candidate),
            "overlap": len(asked & said) / max(1, len(asked)),
        }  # fmt: skip

    def headings(self, row: Sample) -> list[tuple[int, int]]:
        """The number of each page, and its title where it has one."""
        text, every = row.text, super().headings(row)
        return [(start, found.end() if (found := _TITLE.match(text, end)) else end) for start, end in every]

    # ----------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        """No gold, none at the row's depth, an answer that none of them says."""
        yield from PagesTask.problems(self, row)
        shown = list(zip(checks.spans(row), checks.paragraphs(row), strict=True))
        golds = [(place, text) for place, (span, text) in enumerate(shown) if span["kind"] == "gold"]
        depths = [place / (row["n_units"] - 1) for place, _ in golds]
        if not any(abs(row["depth"] - depth) <= DEPTH_ERROR for depth in depths):
            yield f"gold at depths {depths}, the row says {row['depth']}"
        if row["n_units"] != row["n_unique_units"]:
            yield "a page stands there twice"
        if untold := [each for each in row["answers"] if not any(told(each, text) >= TOLD for _, text in golds)]:
            yield f"no gold page says {untold[0]!r:.60}"

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, float]:
        """How many rows have a gold first by shared words, how many at the end."""
        return {
            "bm25_first": sum(each["bm25_first"] for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }


def _numbers(store: Passages, evidence: Iterable[Evidence]) -> tuple[int, ...]:
    """Passages by their ids, or the only ones of articles; those that the corpus dropped (copies of others) are left out."""
    found = (_number(store, each) for each in evidence)
    return tuple(dict.fromkeys(number for number in found if number is not None))


def _number(store: Passages, evidence: Evidence) -> int | None:
    if evidence.passage_id:
        return store.by_id(evidence.passage_id)
    first, last = store.by_article(evidence.article_id) or (0, 0)
    return first if last == first + 1 else None


def _rungs(store: Passages, asked: Asked) -> int:
    """Doublings of the shortest bucket until its pages have room."""
    tokens = int(store.tokens([*asked.golds, *asked.others])[:, 0].sum()) if asked.golds or asked.others else 0
    return (tokens * 3 // 2 // _ROOM).bit_length()


def _spans(page: Page, at: dict[int, int], golds: set[int], ids: list[str]) -> list[Span | Spans]:
    """All pages in order: golds, others of the same search by their rank, and drawn ones."""
    found, start = list[Span | Spans](), 0
    for place in sorted(at):
        kind = "gold" if place in golds else "distractor"
        found += [page.spans("passage", start, place, ids), page.span(kind, place, ids[place])]
        start = place + 1
    return [*found, page.spans("passage", start, len(ids), ids)]
