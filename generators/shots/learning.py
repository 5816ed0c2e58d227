"""Shots to learn from: the five tasks of the reference (docs/spec/helmet.md 9).

Differs from the reference: a text is shown once (unless `repeats` is set), so that a label without unused texts drops out of
later rounds and the material ends; shots are chosen by tokens, not by a number per length (docs/defects/helmet.md D5);
questions are taken in rounds of one per label (docs/defects/helmet.md D15). As in it, every question has its own numbers for
labels and its own order of shots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from corpora.stores.labelled import ANSWER, OPENER
from generators.shots import checks, prompts
from generators.shots.base import SEAMS, ShotQuery, ShotSettings, ShotTask
from generators.shots.deck import Deck, Shots
from generators.shots.rounds import ENDLESS, Blocks, draw
from generators.spec import Candidate, Row
from haymaker.records import Split
from haymaker.rng import Stream


class LearningSettings(ShotSettings):
    """Keys of the five tasks of the reference.

    Attributes:
        labels: shown as numbers that each row deals out anew, or by their names.
        repeats: start a label's texts over when all were shown, as the reference does; else the label drops out, and the
            material ends when all texts were shown.
        balance_eval: take the questions in rounds of one per label; else in random order.
    """

    labels: Literal["numbers", "natural"] = "numbers"
    repeats: bool = False
    balance_eval: bool = True


@dataclass(frozen=True, slots=True)
class Query(ShotQuery):
    """A text whose label is asked for; the label's number as shown."""

    label: int


class Learning(ShotTask[LearningSettings, Query]):
    """Rows that ask for the label of a text. A candidate's number is that of the text within its part."""

    settings_type: ClassVar[type[LearningSettings]] = LearningSettings
    more = "repeats: true on the task"
    opener, cue = OPENER, ANSWER

    @property
    def repeats(self) -> bool:
        """As set."""
        return self.settings.repeats

    @property
    def variant(self) -> str | None:
        """Labels by name, texts more than once."""
        named = ["natural"] * (self.settings.labels == "natural") + ["repeats"] * self.repeats
        return "-".join(named) or None

    def told(self) -> Any:
        """Its words, and what codes in labels stand for."""
        return [super().told(), prompts.names_of_codes()]

    @cached_property
    def names(self) -> list[str]:
        """The set's, made readable; or numbers."""
        if self.settings.labels == "natural":
            return prompts.readable(self.stock.labels, f"set {self.stock.name}")
        return [str(number) for number in range(len(self.stock.labels))]

    @property
    def wording(self) -> str:
        """Names or numbers alone."""
        return self.settings.labels

    # ---------------------------------------------------------------------------------------------- candidates

    def count(self, part: Split) -> int:
        """Texts that can be asked for."""
        return len(self._queries(part))

    def candidate(self, part: Split, index: int) -> Candidate:
        """A text, by its own name."""
        number = self._queries(part)[index]
        return Candidate(part, number, f"{self.stock.name}-{part}-{self.stock.part(part).text_id[number]}")

    def _queries(self, part: Split) -> list[int]:
        key = ("queries", *self.key, part, self.settings.balance_eval)
        return self.inputs.shared(key, lambda: self._ordered(part))

    def _ordered(self, part: Split) -> list[int]:
        """The texts of a part that can be asked for, in the release's order; where they give the shots, those whose label has another.

        In rounds of one text per label while there are some left (the reference asks for TREC's texts as they come,
        docs/defects/helmet.md D15), if set so.
        """
        labels, key = self.stock.part(part).label, (*self.key, part, "queries")
        if not len(labels):
            return []
        if self.settings.balance_eval:
            _, blocks = np.unique(labels, return_inverse=True)
            order: list[int] = draw(Blocks.of(blocks.astype(np.int64)), *key)[0].tolist()
        else:
            order = Stream(*key).shuffled(range(len(labels)))
        sizes = np.bincount(labels)
        return order if part != "train" else [number for number in order if sizes[labels[number]] > 1]

    # ---------------------------------------------------------------------------------------------------- rows

    def query(self, candidate: Candidate) -> Query:
        """A text; its shots are all others, and numbers for labels are dealt out anew for it (names stay sorted)."""
        texts, number, names = self.stock.part(candidate.part), candidate.number, len(self.names)
        key = (*self.key, candidate.part, texts.text_id[number])
        natural = self.settings.labels == "natural"
        shown = np.arange(names) if natural else Stream(*key, "labels").permutation(names)
        blocks = self.stock.blocks.without(number) if candidate.part == "train" else self.stock.blocks
        deck = Deck(self.stock, blocks, shown, self.endings, key, ENDLESS, self.repeats)
        return Query(texts.text[number], deck, int(shown[texts.label[number]]))

    def too_few(self, query: Query, shots: Shots) -> str:
        """Each label is shown."""
        return "" if shots.complete else f"no room for one shot of each of {len(self.names)} labels"

    def columns(self, query: Query, shots: Shots) -> dict[str, Any]:
        """The text's label among all."""
        names, whole = self.names, ENDLESS if self.repeats else query.deck.blocks.whole_rounds
        full = min(shots.complete, whole)  # until the first label drops out
        extra = {"labels": self.settings.labels, "full_rounds": full}
        return {"answers": [names[query.label]], "choices": names, "answer_index": query.label, "extra": extra}

    def limit(self, part: Split = "test") -> int | None:
        """All shots with the shortest question and the numbers of fewest tokens at the labels of most texts: every row has as many or more."""
        if self.repeats:
            return None
        shots, around = self.stock.shots, self.frame("")
        sizes, labels = np.sort(np.bincount(shots.label))[::-1], np.sort(self.endings.tokens(range(len(self.names))))
        held = int(shots.tokens[0].sum() + (sizes * labels).sum()) - int(shots.tokens[0].max()) - SEAMS
        return held + around.tokens_before + self.writer.reserved

    # ------------------------------------------------------------------------------------------------- checks

    def query_problems(self, row: checks.Read, known: checks.Known | None) -> Iterator[str]:
        """A text that is no shot, labels one to one, a shot of each in every round."""
        yield from checks.one_to_one(row, numbers=self.settings.labels == "numbers")
        yield from checks.not_shown(row)
        each = dict.fromkeys(row.extra["label_map"], 1)
        yield from checks.rounds(row, row.labels, each, row.extra["full_rounds"], known)

    def identity(self, row: Row) -> str:
        """The text whose label is asked for."""
        return str(row["question"]).casefold()
