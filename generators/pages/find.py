"""Which of many paragraphs a summary was written from (docs/spec/longbench.md 2.4).

TaskSpec.kind is a FindKind: where the summaries come from (generators/pages/summaries.py), and how a row is answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from generators.context.checks import at_depth
from generators.context.pieces import Ints
from generators.inputs import Inputs
from generators.pages import checks
from generators.pages.page import Page
from generators.pages.summaries import Summaries
from generators.pages.task import PagesSettings, PagesTask
from generators.pool import Pool
from generators.spec import Candidate, Entry, Row
from haymaker.core.errors import ParamsError
from haymaker.core.params import Name, RefersTo
from haymaker.core.rows.source_records import Split

_STEPS = 0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0xA54FF53A5F1D36F1  # roots of 2, 3 and 7, of 2**64


class FindSettings(PagesSettings):
    """Settings of tasks that ask for one paragraph.

    Attributes:
        natural_passages: paragraphs of a natural row; the reference has 30.
        summaries: source of role questions: each a summary, its evidence a passage of `passages` (or an article of one passage).
        set: its question set.
        rotations: orders of the options of a summary; each is a row.
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
        summaries: creates the summaries of a task.
        answers: creates the form of its answers.
    """

    summaries: Callable[[FindParagraph], Summaries]
    answers: Callable[[FindParagraph], Names]


class Names:
    """The answer of a row is the name of the paragraph.

    Attributes:
        keys: settings that only this form uses.
        wrong: wrong paragraphs that every row shows and names, the nearest to the summary by BM25.
        words: of all accepted answers together, at most.
    """

    keys: ClassVar[frozenset[str]] = frozenset()
    wrong: ClassVar[int] = 0
    words: ClassVar[int] = 2

    def __init__(self, task: FindParagraph) -> None:
        self.task = task

    def request(self, candidate: Candidate, places: Sequence[int], variant: int) -> str:
        """Return the text between the paragraphs and the cue, if not as in other rows of paragraphs.

        Args:
            candidate: of the row.
            places: of the wrong paragraphs, then of the right one.
            variant: of the row.
        """
        return ""

    def answered(self, candidate: Candidate, places: Sequence[int], variant: int) -> dict[str, Any]:
        """Return the columns of the answer; arguments as in `request`."""
        return {"answers": [self.task.named(places[-1])]}

    def problems(self, row: Row, name: str) -> Iterator[str]:
        """Yield problems with the answer of a row whose right paragraph has this name."""
        if row["answers"] != [name]:
            yield f"the gold is {name}, the answer {row['answers'][0]}"

    def measures(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return figures of finished rows for Task.measures."""
        return {}


class FindParagraph(PagesTask[FindSettings]):
    """Rows that ask for one paragraph."""

    settings_type = FindSettings

    def __init__(self, entry: Entry[FindSettings], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        kind: FindKind = self.spec.kind
        self.summaries, self.answers = kind.summaries(self), kind.answers(self)
        self.answer_words = self.answers.words
        self._near = lru_cache(maxsize=64)(self._nearest)

    def check(self) -> None:
        super().check()
        self.summaries.check()
        used = self.summaries.keys | self.answers.keys
        for key in sorted({"summaries", "set", "rotations"} & self.settings.model_fields_set - used):
            raise ParamsError(f"this task has no key {key!r}", where=f"{self.entry.where}: {key}", fix="remove it")

    def fingerprint(self) -> dict[str, Any]:
        return super().fingerprint() | self.summaries.fingerprint()

    # ------------------------------------------------------------------------------------------------------- candidates

    def pool(self, part: Split) -> Pool[Any]:
        return self.summaries.pool(part)

    def firsts(self, part: Split) -> tuple[int, ...]:
        return self.summaries.firsts(part)

    def rejection_reason(self, candidate: Candidate) -> str:
        stock, named = self.stock(candidate), self.answers.wrong + 1
        if named > 1 and len(stock) - len(stock.alike) < named:
            return f"there are fewer than {named} paragraphs to choose from"
        return self.summaries.rejection_reason(candidate)

    def wrong(self, candidate: Candidate, order: Ints, *, natural: bool) -> str:
        return self.summaries.wrong(candidate, order)

    # ------------------------------------------------------------------------------------------------------- paragraphs

    @property
    def natural_need(self) -> int:
        return self.settings.natural_passages

    def fixed(self, candidate: Candidate) -> list[int]:
        """The wrong paragraphs that a row names, and the right one."""
        return [*self._near(candidate), self.gold(candidate)]

    def barred(self, candidate: Candidate) -> list[int]:
        alike = self.stock(candidate).alike if self.answers.wrong else ()  # they can be like the right one
        return [*self.fixed(candidate), *alike]

    def shares(self, candidate: Candidate) -> list[int]:
        """All are even, and together too: in any run of candidates the right one is equally often first, second ... of all."""
        draws, steps = self.stream(self.spec.name, candidate.part, "depths of wrong ones"), _STEPS[: self.answers.wrong]
        return [*((draws.word() + candidate.number * step) % (1 << 64) for step in steps), self.even_share(candidate)]

    def gold(self, candidate: Candidate) -> int:
        """Return the entry of the right paragraph."""
        return self.summaries.asked(candidate)[0]

    def _nearest(self, candidate: Candidate) -> list[int]:
        """Return the entries of the wrong paragraphs, the nearest first; equally near ones in an order of the candidate."""
        if not (wrong := self.answers.wrong):
            return []
        stock, order = self.stock(candidate), self.permutation(candidate)
        barred = {self.gold(candidate), *stock.alike}
        scores = stock.folded.looked_up(self.question(candidate))[order]
        count = min(len(order), wrong + 1 + len(barred))
        near = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
        ranked = order[near[np.argsort(-scores[near], kind="stable")]].tolist()
        return [entry for entry in ranked if entry not in barred][:wrong]

    # ------------------------------------------------------------------------------------------------------------- rows

    def question(self, candidate: Candidate) -> str:
        return self.summaries.asked(candidate)[1]

    def named(self, place: int) -> str:
        """Return the name of a paragraph; Chinese has no space before a number."""
        return f"{self.opener} {place + 1}" if self.opener.isascii() else f"{self.opener}{place + 1}"

    def request(self, candidate: Candidate, count: int, variant: int) -> str:
        own = self.answers.request(candidate, self.places(candidate, count), variant)
        return own or super().request(candidate, count, variant)

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        return self.answers.answered(candidate, self.places(candidate, len(order)), variant)

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Spans, depth, overlap, and the figures of `shortcuts`; `number_rank`: rank of the right number among those named."""
        *wrong, place = places = self.places(candidate, len(page.order))
        scores = self.stock(candidate).searched.kept(page.order).scores(self.question(candidate))
        extra = {
            "answer_depends_on_length": True,  # the number does, the paragraph does not
            "paragraphs": len(page.order),
            "bm25_rank": int(np.count_nonzero(scores >= scores[place])) - 1,
            "in_last_1k": place in page.last(),
        }
        marks = {at: ("distractor", rank) for rank, at in enumerate(wrong)} | {place: ("gold", None)}
        found = self.marked(candidate, page, marks) | {"extra": extra}
        if wrong:
            extra["number_rank"] = sorted(places).index(place)
            found["n_distractors"] = len(wrong)
        return found

    # ----------------------------------------------------------------------------------------------------------- checks

    def problems(self, row: Row) -> Iterator[str]:
        yield from super().problems(row)
        places = [place for place, kind in enumerate(checks.spans(row).column("kind")) if kind == "gold"]
        if len(places) != 1:
            yield "not one gold paragraph"
        else:
            yield from at_depth(row, places, row["n_units"])
            yield from self.answers.problems(row, self.named(places[0]))

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, int]:
        """Shared words (the first paragraph by BM25), the end alone, and the names alone: always the same rank of the numbers."""
        right = {
            "bm25_first": sum(each["bm25_rank"] == 0 for each in extras),
            "last_1k_tokens": sum(each["in_last_1k"] for each in extras),
        }
        if self.answers.wrong:
            right["number_rank"] = max(Counter(each["number_rank"] for each in extras).values())
        return right

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        every = list(rows)
        return super().measures(every) | self.answers.measures(every)
