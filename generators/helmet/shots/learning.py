"""Shots to learn from: the five tasks of the reference (spec/helmet.md 9).

Differs from the reference: a text is shown once (unless `repeats` is set), so that a label without unused texts drops out of
later rounds and the material ends; shots are chosen by tokens, not by a number per length (D5); questions are taken in rounds
of one per label (D15). As in it, every question has its own numbers for labels and its own order of shots.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from corpora.examples import ANSWER
from corpora.records import Part
from generators.helmet.shots import prompts
from generators.helmet.shots.family import SEAMS, Family
from generators.helmet.shots.rounds import ENDLESS, Blocks, draw
from generators.helmet.shots.rows import Order, Shots
from generators.helmet.shots.stock import Query, endings
from generators.pieces import Filling, Pieces
from generators.rows import Frame
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.rng import Key, Stream
from haymaker.sample import Sample

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_TIGHT = 16 * 1024  # tokens of a bucket up to which whole shots may fail to fill it
_LONG_SHOT = 64  # tokens; in a bucket of so many for each label, a round is certain to be whole


class Learning(Family):
    """Rows that ask for the label of a text."""

    def groups(self, part: Part) -> Iterator[int]:
        """The texts of a part, by number; of the part that gives shots, those whose label has another text."""
        queries = self.stock.order(part, self.plan.balance_eval)
        if part != "train":
            return iter(queries)
        sizes = np.bincount(self.stock.shots.label)
        return (number for number in queries if sizes[self.stock.shots.label[number]] > 1)

    def group_id(self, part: Part, group: int) -> str:
        """The text's own name."""
        return f"{self.stock.name}-{part}-{self.stock.query(part, group).text_id}"

    @cached_property
    def _names(self) -> list[str]:
        """Labels as shown, by number as shown."""
        if self.plan.labels == "natural":
            return prompts.readable(self.stock.labels, f"set {self.stock.name}")
        return [str(number) for number in range(len(self.stock.labels))]

    @cached_property
    def _endings(self) -> Pieces:
        return Pieces(endings(self._names), self.stock.tokenizers)

    @cached_property
    def _instruction(self) -> str:
        return prompts.instruction(self.plan.labels, last=len(self._names) - 1)

    def _key(self, query: Query) -> tuple[Key, ...]:
        return (*self.stock.key, query.part, query.text_id)

    def _shown(self, query: Query) -> Ints:
        """Number as shown of every label: dealt out anew for each question, or as they are sorted."""
        count = len(self._names)
        if self.plan.labels == "natural":
            return np.arange(count)
        return Stream(*self._key(query), "labels").permutation(count)

    def _frame(self, query: Query) -> Frame:
        return self.writer.frame(self._instruction, prompts.asked(query.text), ANSWER)

    def _blocks(self, query: Query) -> Blocks:
        """The shots that a question may have: all but itself."""
        return self.stock.blocks.without(query.number) if query.part == "train" else self.stock.blocks

    def _made(self, table: Table, query: Query, frame: Frame) -> tuple[Shots, Filling, list[int]]:
        shown, labels = self._shown(query), self.stock.shots.label
        blocks = self._blocks(query)

        def order(rounds: int) -> Order:
            texts, turn = draw(blocks, *self._key(query), "shots", upto=rounds, repeats=self.plan.repeats)
            return Order(texts, turn, shown[labels[texts]])

        return self.writer.fitted(table, frame, self._endings, order, len(self._names))

    def short_of(self, table: Table, group: int) -> str:
        """Short buckets may not hold a round, or not be filled by whole shots."""
        if (table.tokens or 0) > max(_TIGHT, _LONG_SHOT * len(self._names)):
            return ""
        query = self.stock.query(table.part, group)
        try:
            shots, _, counts = self._made(table, query, self._frame(query))
        except BuildError as error:
            return error.what
        if not shots.rounds:
            return f"no room for one shot of each of {len(self._names)} labels"
        return "" if self.writer.writer.is_full(table, counts) else "no choice of shots fills 99.5 %"

    def row(self, table: Table, group: int) -> Sample:
        """The row that asks for the label of a text."""
        query = self.stock.query(table.part, group)
        frame, shown = self._frame(query), self._shown(query)
        made = self._made(table, query, frame)
        answer = int(shown[query.label])
        names = self._names
        extra = {
            "labels": self.plan.labels,
            "full_rounds": min(made[0].rounds, self._full_rounds(query)),
            "label_map": {
                label: names[number] for label, number in zip(self.stock.labels, shown.tolist(), strict=True)
            },
        }
        return self.writer.sample(
            table, self.group_id(table.part, group), frame, made, extra=extra,
            question=query.text, answers=[names[answer]], choices=names, answer_index=answer,
        )  # fmt: skip

    def _full_rounds(self, query: Query) -> int:
        """Rounds until the first label drops out."""
        return ENDLESS if self.plan.repeats else self._blocks(query).whole_rounds

    def limit(self) -> int | None:
        """All shots with the shortest question and the numbers of fewest tokens at the labels of most texts: every row has as many or more."""
        if self.plan.repeats:
            return None
        shots, numbers = self.stock.shots, range(len(self._names))
        sizes = np.sort(np.bincount(shots.label))[::-1]
        labels = self._endings.tokens(np.asarray(numbers))
        around = self.writer.frame(self._instruction, prompts.asked(""), ANSWER)
        held = int(shots.tokens[0].sum() + (sizes * np.sort(labels)).sum()) - int(shots.tokens[0].max()) - SEAMS
        return held + around.tokens_before + self.reserved
