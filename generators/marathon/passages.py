"""Marathon's passage retrieval: which of four paragraphs a summary was written from (docs/spec/marathon.md 1, 3.2).

The wrong options name the paragraphs that are nearest to the summary by BM25, of all that a row can have. They stand in the row at
every length, like the right one at drawn depths of their own, so neither number nor place tells it from them. The options come in
four orders, each the one before moved on by a letter, over the same text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import Field

from generators.context.pieces import Ints
from generators.documents.prompts import LETTERS, accepted, listed, listed_in
from generators.inputs import Inputs
from generators.marathon import leaks, letters
from generators.marathon.letters import MAX_NEW_TOKENS, METRICS, OPTIONS
from generators.pages import checks, oracle
from generators.pages.asked import Summarised, SummarisedSettings, Written, WrittenSettings
from generators.pages.find import FindSettings, PassageRetrieval, named
from generators.pages.layout import Page
from generators.spec import Candidate, Entry, Row, TaskSpec
from haymaker.core.rows.row_checks import Check

_STEPS = 0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0xA54FF53A5F1D36F1  # roots of 2, 3 and 7 of 2**64, as STEP in find.py
_RIGHT = OPTIONS - 1  # of what stands at depths of its own, the last


class OptionSettings(FindSettings):
    """Knobs of finding a paragraph by options.

    Attributes:
        natural_passages: paragraphs of a natural row; the reference has 30.
        rotations: orders of the options that a summary comes with, of which each is a row.
    """

    natural_passages: Annotated[int, Field(strict=True, ge=OPTIONS, le=10_000)] = 30
    rotations: Literal[1, 4] = 4
    shared_by: ClassVar[str] = letters.SHARED_BY

    @property
    def variants(self) -> int:
        """Orders of the options."""
        return self.rotations


class SummarisedOptionSettings(OptionSettings, SummarisedSettings):
    """Knobs of passage_retrieval."""


class WrittenOptionSettings(OptionSettings, WrittenSettings):
    """Knobs of summaries that are written here."""


K = TypeVar("K", bound=OptionSettings)


class Options(PassageRetrieval[K]):
    """Rows with four names of paragraphs, of which one is right."""

    answer_words = 6  # {"option": "B"}, B, B. Paragraph 12

    def __init__(self, entry: Entry[K], inputs: Inputs) -> None:
        super().__init__(entry, inputs)
        self._wrong = lru_cache(maxsize=64)(self._nearest)

    def point(self, variant: int) -> str:
        return letters.point(variant)

    # -------------------------------------------------------------------------------------------------- what is named

    def rejection_reason(self, candidate: Candidate) -> str:
        """Too few paragraphs for the options."""
        if len(self.stock(candidate)) - len(self.stock(candidate).alike) < OPTIONS:
            return f"there are fewer than {OPTIONS} paragraphs to choose from"
        return super().rejection_reason(candidate)

    def _alike(self, candidate: Candidate) -> list[int]:
        """Paragraphs like that of another summary: they may be like the right one."""
        stock = self.stock(candidate)
        return np.flatnonzero(np.isin(stock.ids, sorted(stock.alike))).tolist() if stock.alike else []

    def _nearest(self, candidate: Candidate) -> list[int]:
        """Entries of the wrong paragraphs, the nearest first; equally near ones in an order of the candidate's own."""
        order, barred = self.permutation(candidate), {self.gold(candidate), *self._alike(candidate)}
        scores = self.stock(candidate).said.looked_up(self.question(candidate))[order]
        count = min(len(order), OPTIONS + len(barred))
        near = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
        ranked = order[near[np.argsort(-scores[near], kind="stable")]].tolist()
        return [entry for entry in ranked if entry not in barred][: OPTIONS - 1]

    def fixed(self, candidate: Candidate) -> list[int]:
        """The wrong paragraphs and the right one."""
        return [*self._wrong(candidate), self.gold(candidate)]

    def barred(self, candidate: Candidate) -> list[int]:
        return [*self.fixed(candidate), *self._alike(candidate)]

    def shares(self, candidate: Candidate) -> list[int]:
        """All even, and together too: in any run of candidates the right one is as often the first of the four as the second."""
        draws = self.stream(self.spec.name, candidate.part, "depths of wrong ones")
        return [*((draws.word() + candidate.number * step) % (1 << 64) for step in _STEPS), *super().shares(candidate)]

    # ----------------------------------------------------------------------------------------------------- the options

    def _shown(self, candidate: Candidate, variant: int) -> list[int]:
        """Of each option, which of the four it names: an order of the candidate's own, moved on by `variant` letters."""
        block, at = divmod(candidate.number, OPTIONS)  # each letter once in every four candidates
        letter = int(self.stream(self.spec.name, candidate.part, "letters", block).permutation(OPTIONS)[at])
        first = self.draws(candidate, "options").shuffled(range(OPTIONS - 1))
        first.insert(letter, _RIGHT)
        return letters.moved(first, variant)

    def _choices(self, candidate: Candidate, count: int, variant: int) -> list[str]:
        places = self.places(candidate, count)
        return [named(places[each]) for each in self._shown(candidate, variant)]

    def behind(self, candidate: Candidate, count: int, variant: int) -> str:
        """Summary, question, options, how to answer."""
        texts = self.words
        asked = "\n".join([texts["question"], *listed(self._choices(candidate, count, variant))])
        said = texts["input"].replace("{summary}", self.question(candidate))
        return f"{said}\n\n{asked}\n\n{texts['demand']}"

    def answered(self, candidate: Candidate, order: Ints, variant: int) -> dict[str, Any]:
        """The options as shown; the right one in the form that is demanded, by its letter, by letter and name."""
        choices = self._choices(candidate, len(order), variant)
        right = self._shown(candidate, variant).index(_RIGHT)
        return {
            "answers": self._accepted(LETTERS[right], choices[right]), "choices": choices, "answer_index": right,
            "permutation": variant, "verified": "auto",  # every other paragraph is another one
        }  # fmt: skip

    def _accepted(self, letter: str, choice: str) -> list[str]:
        return accepted(self.words["form"], letter, choice)

    def columns(self, candidate: Candidate, page: Page) -> dict[str, Any]:
        """Besides those of any row, which of the four numbers is right: from 0, the smallest."""
        found, places = super().columns(candidate, page), self.places(candidate, len(page.order))
        rank = sorted(places).index(places[_RIGHT])
        return found | {"n_distractors": OPTIONS - 1, "extra": found["extra"] | {"number_rank": rank}}

    # ---------------------------------------------------------------------------------------------------------- checks

    def misnamed(self, row: Row, name: str) -> str:
        at = row["answer_index"]
        right = row["choices"][at] == name and row["answers"] == self._accepted(LETTERS[at], name)
        return "" if right else f"the gold is {name}, the answer {row['answers'][-1]}"

    def problems(self, row: Row) -> Iterator[str]:
        """Options that are not shown, or do not name the paragraphs that are marked."""
        yield from super().problems(row)
        behind = row["prompt"][row["context_end"] : row["cue_start"]]
        if listed_in(behind) != list(zip(LETTERS, row["choices"], strict=False)):
            yield "the options are not shown in order, each behind its letter"
        if self.words["demand"] not in behind or row["question"] not in behind:
            yield "the question, or how it is to be answered, does not stand behind the paragraphs"
        marked = {named(place) for place, span in enumerate(checks.spans(row)) if span["kind"] != "passage"}
        if set(row["choices"]) != marked or len(marked) != OPTIONS:
            yield "the options are not the four paragraphs that are marked"
        yield from letters.misnumbered(row, self.variants)

    def shortcuts(self, extras: list[dict[str, Any]]) -> dict[str, float]:
        """Also by the names alone: always the smallest of the four numbers, or the second, whichever is right most often."""
        ranks = Counter(each["number_rank"] for each in extras)
        return super().shortcuts(extras) | {"number_rank": max(ranks.values(), default=0)}

    def measures(self, rows: Iterable[Row]) -> dict[str, Any]:
        """Also what options give away by themselves."""
        every = list(rows)
        return super().measures(every) | leaks.measures(every)


class SummarisedOptions(Options[SummarisedOptionSettings], Summarised[SummarisedOptionSettings]):
    """Summaries that a source brings."""

    settings_type: ClassVar[type[SummarisedOptionSettings]] = SummarisedOptionSettings


class WrittenOptions(Options[WrittenOptionSettings], Written[WrittenOptionSettings]):
    """Summaries that a writer makes of paragraphs drawn from the corpus."""

    settings_type: ClassVar[type[WrittenOptionSettings]] = WrittenOptionSettings


_CLEAN = "every paragraph is a distractor that the answer, a letter, cannot stand in"
_spec = partial(
    TaskSpec, category="passage-retrieval", metrics=METRICS, max_new_tokens=MAX_NEW_TOKENS, prompts=Path(__file__).with_suffix(".yaml"),
    ends="where the passages of a part end, or 32,768 of a larger corpus",
)  # fmt: skip

TASKS: tuple[TaskSpec, ...] = (
    _spec(
        "passage_retrieval", SummarisedOptions, "Which of four paragraphs, those nearest by words, a summary was written from",
        wording="find", imitates="Marathon", skips=MappingProxyType({Check.CLEAN: _CLEAN, Check.ORACLE: "the summary is in other words than its paragraph"}),
    ),
    _spec(
        "passage_retrieval_extractive", WrittenOptions, "Which of four paragraphs a quotation is from (words that both share find all)",
        wording="extract", variant="extractive", version=2, solver=oracle.choose, skips=MappingProxyType({Check.CLEAN: _CLEAN}),
    ),
)  # fmt: skip
