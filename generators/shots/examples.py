"""Whole documents as shots: texts with a question and its answer, or dialogues with their summaries, and one without an answer.

Reference: docs/spec/longbench.md 2.3, 3. Difference: no shot has the text of the row, its question or an accepted answer; blank
lines only separate shots. TaskSpec.kind is the kind of questions of the collection: "qa" or "summary".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from generators.context import natural
from generators.context.fit import closest
from generators.context.pieces import Ints
from generators.inputs import DocumentSet
from generators.pool import Pool
from generators.shots import checks
from generators.shots.base import ShotQuery, ShotTask
from generators.shots.collection import Example, ExampleShots
from generators.shots.layout import ShotLayout
from generators.shots.shot_pool import Shots
from generators.spec import Candidate, Table, TaskSettings
from haymaker.core.errors import BuildError
from haymaker.core.rows.question_checks import GIVEN_AWAY, gives_away
from haymaker.core.rows.source_records import Split
from haymaker.core.text.equivalents import accepted

_SHORTEST = 4096  # tokens of the shortest usual length
_LOOKED_AT = 48  # shots to choose from to fill it


class ExampleSettings(TaskSettings):
    """Keys of a task whose shots are documents.

    Attributes:
        documents: collection: split train gives the shots, split test the questions.
        natural_shots: minimum and maximum number of shots of a row of natural length, uniformly drawn; other rows have at least
            the minimum.
        words_below: use only texts with fewer words.
    """

    documents: DocumentSet
    natural_shots: natural.Bounds
    words_below: Annotated[int, Field(strict=True, ge=1)] | None = None


class Examples(ShotTask[ExampleSettings, Example]):
    """Rows of examples and one without an answer. The number of a candidate is its place in the order of its split."""

    settings_type = ExampleSettings
    natural: ClassVar[bool] = True
    patience = None
    noun, material, more = "example", "examples of {!r}", "prepare more (documents.{})"
    ended = "the examples end before the length is full"

    @cached_property
    def layout(self) -> ShotLayout:
        return ShotLayout(self.words["opener"], self.words["question"], self.words["cue"])

    @cached_property
    def instruction(self) -> str:
        return str(self.words["instruction"])

    @cached_property
    def stock(self) -> ExampleShots:
        name, below, kind, inputs = self.settings.documents, self.settings.words_below, self.spec.kind, self.inputs
        return inputs.shared(
            ("examples", name, kind, below, self.spec.wording),
            lambda: ExampleShots(inputs.documents(name), name, kind, self.layout, below, inputs.tokenizers),
        )

    def limit(self, split: Split = "test") -> int:
        return self.stock.held + self.inputs.tokenizers[0].count(self.instruction) + self.writer.reserved

    def check_feasible(self, table: Table) -> None:
        found, fewest = len(self.stock.examples), self.settings.natural_shots[0]
        if found < fewest:
            what = f"split train has {found} examples, but a row needs {fewest} or more"
            raise BuildError(what, where=f"{table.config} {table.split}", fix=self.more.format(self.stock.name))
        super().check_feasible(table)

    def _items(self, split: Split) -> list[Example]:
        """Return the examples of a split in the order of the release."""
        stream = self.stream(self.stock.name, split, "questions")
        key = ("example items", self.stock, split, self.entry.suite)
        return self.inputs.shared(key, lambda: stream.shuffled(self.stock.read(split)[0]))

    def item(self, candidate: Candidate) -> Example:
        return self._items(candidate.split)[candidate.number]

    def pool(self, split: Split) -> Pool[Example]:
        """Count as left out also the examples of split train that cannot be shots."""
        items, left_out = self._items(split), self.stock.read(split)[1].copy()
        if split != "train":
            left_out += Counter({f"no example: {why}": n for why, n in self.stock.read("train")[1].items()})
        return Pool(split, items, lambda index: f"{self.stock.name}-{items[index].name}", left_out=left_out)

    def _by_key(self, split: Split) -> dict[str, Candidate]:
        every = map(self.pool(split).candidate, range(len(self._items(split))))
        key = ("example keys", self.stock, split, self.entry.suite)
        return self.inputs.shared(key, lambda: {candidate.key: candidate for candidate in every})

    def rejection_reason(self, candidate: Candidate) -> str:
        item = self.item(candidate)
        if gives_away(item.shot.asked, item.answers):
            return GIVEN_AWAY
        tokens = self.inputs.tokenizers[0].count_part(f" {item.answers[0]}")
        return "the answer is longer than the room for it" if tokens > self.spec.max_new_tokens else ""

    def order(self, candidate: Candidate) -> Ints:
        """Return the numbers of the examples that a candidate may show, in its order.

        Few whole texts fit in a short length, so texts with questions that fill one together come first.
        """
        item = self.item(candidate)
        order = self.stock.order(item, self.stream(self.stock.name, candidate.key, "examples"))
        return self._primed(order, item) if self.spec.kind == "qa" else order

    def _primed(self, order: Ints, item: Example) -> Ints:
        writer, frame = self.writer, self.frame(self.layout.shown(item.shot))
        sized = list(enumerate(self.stock.pieces.tokens(order[:_LOOKED_AT]).tolist()))
        room = _SHORTEST - writer.release.reserved_template_tokens - writer.reserved_output()
        budget = room - frame.tokens + writer.tokenizers[0].count_part(self.layout.ending)
        while budget > 0 and sum(size for _, size in sized) > budget and (chosen := closest(sized, budget)):
            primed: Ints = np.concatenate([order[chosen], np.delete(order, chosen)])
            pool = self.stock.pool(primed)
            over = self.shown(pool, pool.first(len(chosen)), frame).counts[0] - room
            if over <= 0:
                return primed
            budget -= over
        return order

    def query(self, candidate: Candidate) -> ShotQuery[Example]:
        item = self.item(candidate)
        pool = self.stock.pool(self.order(candidate))
        return ShotQuery(self.layout.shown(item.shot), list(item.answers), pool, item)

    def is_roomy(self, table: Table, candidate: Candidate) -> bool:
        """Return whether rough counts show that the examples fill a long length, so that they need not be tokenized."""
        return super().is_roomy(table, candidate) and bool(
            self.stock.rough[self.order(candidate)].sum() > 1.1 * self.writer.room(table)
        )

    def too_few(self, query: ShotQuery[Example], shots: Shots) -> str:
        fewest = self.settings.natural_shots[0]
        return f"fewer than {fewest} examples fit" if len(shots) < fewest else ""

    def columns(self, query: ShotQuery[Example], shots: Shots) -> dict[str, Any]:
        item, answers = query.asked, query.answers
        references = list(answers) if self.spec.kind == "summary" else None
        metadata = {"asked": item.shot.asked}
        return {"answers": answers, "references": references, "doc_ids": [item.doc_id], "metadata": metadata}

    def shot_problems(self, read: checks.ReadShots, *, prepared: bool) -> Iterator[str]:
        row = read.row
        if self.spec.kind == "summary" and row["references"] != row["answers"]:
            yield "the answers are not the references"
        own = self.layout.read(f"{row['question']}\n{self.layout.cue} {row['answers'][0]}")
        if own is None:
            yield "the question does not have the form of a shot"
        else:
            yield from checks.apart(read, own, row["answers"])
        if prepared:
            yield from self._as_prepared(read)

    def _as_prepared(self, read: checks.ReadShots) -> Iterator[str]:
        row = read.row
        found = self._by_key(row["split"]).get(row["group_id"])
        if found is None:
            yield f"{row['group_id']} is not a question of split {row['split']} of {self.stock.name}"
            return
        item, order, examples = self.item(found), self.order(found), self.stock.examples
        right = self.layout.shown(item.shot), accepted(item.answers, row["metrics"]), [item.doc_id]
        if (row["question"], row["answers"], row["doc_ids"]) != right:
            yield "text, question or answers differ from the collection"
        shown = [(examples[number].name, examples[number].shot) for number in order.tolist()]
        yield from checks.in_drawn_order(read, shown)
        if row["length_tokens"] is not None:
            taken, sums = self.stock.pool(order).ranked(row["length_tokens"])
            names = [name for name, _ in shown[: len(taken)]]
            yield from checks.nothing_fits(read, names, np.diff(sums).tolist())
