"""Shots to learn from: the five tasks of the reference (docs/spec/helmet.md 9).

Rounds of one shot of each label, shuffled, as there; a label starts over, in another order, when all its texts were shown. Differs
from the reference: shots are chosen by tokens, not by a number per length (docs/defects/helmet.md D5); a text that comes again
keeps its distance (rounds.draw); questions are taken in rounds of one per label (docs/defects/helmet.md D15). As in it, every
question has its own numbers for labels and its own order of shots.

Without `repeats` every text is shown once. A label without unused texts then drops out of what longer rows take, so the shots of
each label stand evenly over the whole context, not where their rounds would put them: small labels would be far from the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from generators.context.pieces import Ints
from generators.pool import Pool
from generators.shots import checks, prompts
from generators.shots.base import SEAMS, ShotQuery, ShotSettings, ShotTask
from generators.shots.deck import Deck, Order, Shots
from generators.shots.rounds import ENDLESS, Blocks, draw, first
from generators.spec import Allowed, Candidate, Row, TaskSpec
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

ONCE = "once"
"""Variant of rows whose texts come once each, where the reference's come again."""
_NAMED = Allowed(
    100,
    "The question is the text to be labelled: other questions with the names of their labels are what the shots show too.",
)
_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: so far apart stand a label's texts, on a ring


class LearningSettings(ShotSettings):
    """Keys of the five tasks of the reference.

    Attributes:
        labels: shown as numbers that each row deals out anew, or by their names.
        repeats: start a label's texts over when all were shown, as the reference does; else every text is shown once, and the
            material ends when all were.
        balance_eval: take the questions in rounds of one per label; else in random order.
    """

    labels: Literal["numbers", "natural"] = "numbers"
    repeats: bool = True
    balance_eval: bool = True

    def title_words(self) -> Mapping[str, object]:
        """What labels are shown as; whether texts come again."""
        by_name, once = self.labels == "natural", not self.repeats
        return {"labels": "names" if by_name else "numbers", "once": ", each shown once" * once}

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """Labels by name can be learnt from other questions as from shots; numbers, which each row deals out anew, cannot."""
        return {**spec.allows, **({"question_alone": _NAMED} if self.labels == "natural" else {})}


@dataclass(frozen=True, slots=True)
class Query(ShotQuery):
    """A text whose label is asked for.

    Attributes:
        label: its number as shown.
        full: rounds that have every label.
    """

    label: int
    full: int


def spread(labels: Ints, rounds: Ints, key: tuple[Key, ...]) -> Ints:
    """Places of shots, each label's evenly over the whole: the first of them anywhere, each further one a golden section on.

    However many of a label's texts a row takes, the gaps between them are then of two or three sizes, none of them large.
    """
    starts = Stream(*key, "places of labels").bulk(int(labels.max(initial=-1)) + 1)
    places = starts[labels] + rounds.astype(np.uint64) * _STEP  # on the ring of 2**64
    return (places >> np.uint64(1)).astype(np.int64)


class Learning(ShotTask[LearningSettings, Query]):
    """Rows that ask for the label of a text. A candidate's number is that of the text within its part."""

    settings_type: ClassVar[type[LearningSettings]] = LearningSettings
    more = "repeats: true on the task"

    @property
    def repeats(self) -> bool:
        """As set."""
        return self.settings.repeats

    @property
    def variant(self) -> str | None:
        """Labels by name, every text once."""
        named = ["natural"] * (self.settings.labels == "natural") + [ONCE] * (not self.repeats)
        return "-".join(named) or None

    def fingerprint(self) -> dict[str, Any]:
        """And what codes in labels stand for."""
        return {**super().fingerprint(), "codes": prompts.names_of_codes()}

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

    def pool(self, part: Split) -> Pool[int]:
        """Texts that can be asked for, by their own names."""
        numbers, ids = self._queries(part), self.stock.part(part).text_id
        return Pool(part, numbers, lambda index: f"{self.stock.name}-{part}-{ids[numbers[index]]}", numbers.__getitem__)

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

        def order(count: int) -> Order:
            found, rounds = first(blocks, *key, "shots", count=count, repeats=self.repeats)
            if self.repeats:
                return Order(found, rounds, np.arange(len(found)))
            return Order(found, rounds, spread(self.stock.shots.label[found], rounds, key))

        deck = Deck(self.stock, shown, self.endings, order)
        full = ENDLESS if self.repeats else blocks.whole_rounds
        return Query(texts.text[number], deck, int(shown[texts.label[number]]), full)

    def too_few(self, query: Query, shots: Shots) -> str:
        """Each label is shown."""
        return "" if shots.complete else f"no room for one shot of each of {len(self.names)} labels"

    def columns(self, query: Query, shots: Shots) -> dict[str, Any]:
        """The text's label among all."""
        names, full = self.names, min(shots.complete, query.full)
        extra = {"labels": self.settings.labels, "rounds": shots.complete, "full_rounds": full}
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
        """A text that is no shot, labels one to one, a shot of each in every round; or as many of each, evenly."""
        yield from checks.one_to_one(row, numbers=self.settings.labels == "numbers")
        yield from checks.not_shown(row)
        yield from checks.rounds(row) if self.repeats else checks.spread(row, known)

    def identity(self, row: Row) -> str:
        """The text whose label is asked for."""
        return str(row["question"]).casefold()
