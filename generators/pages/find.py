"""Find the paragraph that a summary was written from (docs/spec/longbench.md 2.4). TaskSpec.kind is a FindKind."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import accumulate, permutations
from math import comb, prod
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from generators.context.checks import at_depth
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.page import Page, Placed
from generators.pages.stock import PagesSettings
from generators.pages.summaries import GAP, VERSION, Quotations, SourceQuestions
from generators.pages.task import PagesTask
from generators.spec import Candidate, Entry, Row
from haymaker.core.errors import ParamsError
from haymaker.core.params import Name, RefersTo

_WHOLE = 1 << 64
_WRONG = 3  # wrong paragraphs that a row with options names


class FindSettings(PagesSettings):
    """Settings of tasks that ask for one paragraph.

    Attributes:
        natural_passages: number of paragraphs of a row of natural length; the reference has 30.
        summaries: source of summaries (role questions); the evidence of each is a passage of `passages`.
        set: question set of `summaries`.
        rotations: number of orders of the options; one row each.
    """

    natural_passages: Annotated[int, Field(strict=True, ge=2, le=10_000)] = 30
    summaries: Annotated[Name, RefersTo("sources", ("questions",))] | None = None
    set: Name = "passage_retrieval_en"
    rotations: Literal[1, 4] = 1
    shared_by: ClassVar[str] = "rotations of each question's options"

    @property
    def variants(self) -> int:
        return self.rotations


class FindKind(NamedTuple):
    """How tasks that ask for one paragraph differ.

    Attributes:
        quoted: whether summaries are quotations of drawn paragraphs; otherwise they are from a source.
        options: creates options that name paragraphs (generators/marathon/passages.py); None: the answer is the name itself.
    """

    quoted: bool = False
    options: Callable[[FindParagraph], Any] | None = None


def _likely(others: int, rank: int, depth: int) -> int:
    """Return how likely `rank` of some others are before a depth of 2**16."""
    before, after = depth + 1, 65_536 - depth
    return comb(others, rank) * prod([before] * rank + [after] * (others - rank))


class FindParagraph(PagesTask[FindSettings]):
    """Rows that ask for one paragraph."""

    settings_type = FindSettings

    def __init__(self, entry: Entry[FindSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        kind, where = self.spec.kind, entry.where
        if kind.quoted:
            self.questions = Quotations(self, self.stocks)
        elif self.settings.summaries:
            self.questions = SourceQuestions(self, self.settings.summaries, single=True)
        else:
            raise ParamsError("key 'summaries' is missing", where=f"{where}: summaries", fix=f"add it to {where}")
        self._options = kind.options and kind.options(self)
        self._wrong = _WRONG if self._options else 0
        self.answer_words = 6 if self._options else 2  # {"option": "B"}, B, B. Paragraph 12
        self._near = lru_cache(maxsize=64)(self._nearest)

    def check(self) -> None:
        super().check()
        unused = ["summaries", "set"] * self.spec.kind.quoted + ["rotations"] * (self._options is None)
        for key in self.settings.model_fields_set.intersection(unused):
            raise ParamsError(f"this task has no key {key!r}", where=f"{self.entry.where}: {key}", fix="remove it")

    def fingerprint(self) -> dict[str, Any]:
        return super().fingerprint() | ({"quotations": VERSION} if self.spec.kind.quoted else {})

    def rejection_reason(self, candidate: Candidate) -> str:
        stock, named = self.stock(candidate), self._wrong + 1
        if self._options and len(stock) - len(stock.alike) < named:
            return f"there are fewer than {named} paragraphs to choose from"
        if self.asked(candidate).golds[0] in stock.alike:
            return "its paragraph is much like that of another summary"
        return "" if self.question(candidate) else "no whole sentence of 8 to 40 words"

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        if not self.spec.kind.quoted:
            return ""
        parts, texts = self.question(candidate).split(GAP), self.stock(candidate).texts
        holding = sum(all(part in texts[entry] for part in parts) for entry in order.tolist())
        return "" if holding == 1 else "another paragraph has the same sentences"

    def placed(self, candidate: Candidate) -> Placed:
        """Return the wrong paragraphs that a row names, and the right one.

        The depth of the right one is even, and it has each rank among them once in every four candidates.
        """
        near, golds, own = self._near(candidate), self.asked(candidate).golds, self.even_depth(candidate)
        if not near:
            return Placed(golds, [own])
        rank, draws = self._rank(candidate), self.draws(candidate, "depths of wrong ones")
        before = [draws.word() * own >> 64 for _ in range(rank)]
        after = [own + (draws.word() * (_WHOLE - own) >> 64) for _ in range(rank, len(near))]
        return Placed([*near, *golds], [*draws.shuffled(before + after), own], rank)

    def _rank(self, candidate: Candidate) -> int:
        """Return the rank of the right paragraph among those named: each once in a block of candidates, the likely ones at its depth."""
        count, start = self._wrong + 1, candidate.number // (self._wrong + 1) * (self._wrong + 1)
        block = [self.even_depth(replace(candidate, number=start + each)) >> 48 for each in range(count)]
        orders = list(permutations(range(count)))
        weights = [prod(map(partial(_likely, self._wrong), order, block)) for order in orders]
        draw = self.stream(self.spec.name, candidate.split, "ranks", start).word() * sum(weights) >> 64
        return orders[bisect_right(list(accumulate(weights)), draw)][candidate.number - start]

    def _nearest(self, candidate: Candidate) -> list[int]:
        """Return the wrong paragraphs, the nearest by BM25 first; equally near ones in an order of the candidate."""
        if not (wrong := self._wrong):
            return []
        stock, order = self.stock(candidate), self.permutation(candidate)
        barred = {*self.asked(candidate).golds, *stock.alike}
        scores = stock.folded.scores(self.question(candidate))[order]
        count = min(len(order), wrong + 1 + len(barred))
        near = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
        ranked = order[near[np.argsort(-scores[near], kind="stable")]].tolist()
        return [entry for entry in ranked if entry not in barred][:wrong]

    def named(self, place: int) -> str:
        """Return the name of a paragraph; Chinese has no space before a number."""
        opener = self.stocks.opener
        return f"{opener} {place + 1}" if opener.isascii() else f"{opener}{place + 1}"

    def request(self, candidate: Candidate, count: int, variant: int) -> str:
        if not self._options:
            return super().request(candidate, count, variant)
        return str(self._options.request(candidate, self.placed(candidate).places(count), variant))

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        places = self.placed(candidate).places(len(order))
        own = self._options.answered(candidate, places, variant) if self._options else {}
        return {"answers": [self.named(places[-1])], **own}

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        stock, question, placed = self.stock(candidate), self.question(candidate), self.placed(candidate)
        *wrong, place = places = placed.places(len(page.order))
        scores = stock.searched.scores(question, page.order)
        metadata = {
            "answer_depends_on_length": True,  # the number does, the paragraph does not
            "paragraphs": len(page.order),
            "bm25_rank": int(np.count_nonzero(scores >= scores[place])) - 1,
            "in_last_1k": place in page.last(),
        }
        marks = [*(("distractor", rank) for rank in range(len(wrong))), ("gold", None)]
        found = page.marked(stock, question, placed, marks) | {"metadata": metadata}
        if self._options:
            metadata["number_rank"] = sorted(places).index(place)  # of the right number among those named
            found["num_distractors"] = len(wrong)
        return found

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        places = [place for place, kind in enumerate(checks.spans(row).column("kind")) if kind == "gold"]
        if len(places) != 1:
            yield "not one gold paragraph"
            return
        yield from at_depth(row, places, row["num_segments"])
        name = self.named(places[0])
        if self._options:
            yield from self._options.problems(row, name)
        elif row["answers"] != [name]:
            yield f"the gold is {name}, the answer {row['answers'][0]}"

    def shortcuts(self, facts: list[dict[str, Any]]) -> dict[str, int]:
        """With options, also choose the same rank of the four numbers in every row."""
        ranks = Counter(each["number_rank"] for each in facts if self._options)
        return super().shortcuts(facts) | ({"number_rank": max(ranks.values())} if ranks else {})

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        every = list(rows)
        return super().measures(every) | (self._options.measures(every) if self._options else {})
