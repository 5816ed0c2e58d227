"""Shots to learn labels from (docs/spec/helmet.md 9, docs/spec/longbench.md 2.3).

Each round shows one shot of each label, in random order; a label starts over, in another order, when all its texts were shown.
Differences from HELMET: shots are chosen by tokens, not by a number per length (docs/defects/helmet.md D5); repetitions of a text are
far apart (rounds.draw); questions are taken in rounds of one per label (docs/defects/helmet.md D15). As in HELMET, every question has
its own numbers for labels and its own order of shots. Difference from LongBench: rounds instead of random shots, so that every label
is shown.

Without `repeats` every text is shown once. A label without unused texts then drops out of longer rows, so the shots of each label
are spread evenly over the whole context: in their rounds, small labels would be far from the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from generators.context import natural
from generators.context.pieces import Ints
from generators.pool import Pool
from generators.shots import checks, labelled
from generators.shots.base import SEAMS, TIGHT, ShotQuery, ShotTask
from generators.shots.layout import ShotLayout, ShotText
from generators.shots.rounds import ENDLESS, Blocks, draw, first
from generators.shots.shot_pool import Shots
from generators.spec import Allowed, Candidate, Table, TaskSpec
from haymaker.core.errors import ParamsError
from haymaker.core.params import omit_if_default
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

DISTINCT = "distinct names"
"""TaskSpec.kind of tasks whose metric looks for labels in the output (docs/defects/longbench.md D5): no name contains another."""
_LONG_SHOT = 64  # tokens; a length with so many for each label certainly has a whole round
_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: distance between texts of a label on a ring of 2**64
_NAMED = Allowed(
    100, "The question is the text to be labelled: other questions with the names of their labels are what the shots show too."
)  # fmt: skip


class LearningSettings(labelled.LabelledSettings):
    """Keys of tasks that ask for the label of a text.

    Attributes:
        labels: show labels as numbers, drawn for each row, or by their names.
        repeats: repeat the texts of a label after all were shown; false: show every text once.
        balance_eval: choose questions in rounds of one per label; false: in random order.
        natural_shots: minimum and maximum number of shots of a row of natural length, uniformly drawn; None: no such rows.
    """

    labels: Literal["numbers", "natural"] = "numbers"
    repeats: bool = True
    balance_eval: bool = True
    natural_shots: natural.Bounds | None = omit_if_default(None)

    @property
    def has_natural_length(self) -> bool:
        return self.natural_shots is not None

    def title_words(self) -> Mapping[str, object]:
        return {
            "labels": "names" if self.labels == "natural" else "numbers",
            "once": "" if self.repeats else ", each shown once",
            "again": ", each shown as often as it takes" if self.repeats else "",
        }

    def allows(self, spec: TaskSpec) -> Mapping[str, Allowed]:
        """Label names can be learned from other questions as from shots; numbers cannot, since each row draws its own."""
        return {**spec.allows, **({"question_alone": _NAMED} if self.labels == "natural" else {})}


class Learning(ShotTask[LearningSettings, tuple[int, int]]):
    """Rows that ask for the label of a text. Candidates are texts, by number within their split."""

    settings_type = LearningSettings
    natural: ClassVar[bool] = True
    more = "repeats: true on the task"

    def check(self) -> None:
        super().check()
        if self.settings.labels not in self.words:
            fix = f"use {' or '.join(self.words)}"
            raise ParamsError("no prompt texts for labels of that kind", where=f"{self.entry.where}: labels", fix=fix)

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "codes": labelled.names_of_codes()}

    @cached_property
    def variant(self) -> str | None:
        plain = self.settings_type.model_construct(**self.spec.defaults)
        labels = [self.settings.labels] * (self.settings.labels != plain.labels)
        repeats = ["repeats" if self.settings.repeats else "once"] * (self.settings.repeats != plain.repeats)
        return "-".join(labels + repeats) or None

    @cached_property
    def key(self) -> tuple[Key, ...]:
        """First parts of the key of every stream."""
        return self.release.stream_key, self.entry.suite, self.settings.classification_set

    @cached_property
    def stock(self) -> labelled.LabelledShots:
        return labelled.LabelledShots.opened(self.inputs, self.settings.classification_set)

    @cached_property
    def layout(self) -> ShotLayout:
        return labelled.labelled_layout(self.spec, self.inputs, self.settings.classification_set)

    @cached_property
    def names(self) -> list[str]:
        """Labels as shown, by number as shown."""
        if self.settings.labels == "natural":
            return labelled.readable(self.stock.labels, f"set {self.stock.name}", distinct=self.spec.kind == DISTINCT)
        return [str(number) for number in range(len(self.stock.labels))]

    @cached_property
    def instruction(self) -> str:
        return str(self.words[self.settings.labels]).format(first=self.names[0], last=self.names[-1])

    def limit(self, split: Split = "test") -> int | None:
        """Return the tokens of all shots except the longest, with no question and the shortest names at the largest labels."""
        if self.settings.repeats:
            return None
        shots, around, labels = self.stock.shots, self.frame(""), self.stock.endings(tuple(self.names))
        names, sizes = np.sort(labels.tokens(range(len(labels)))), np.sort(self.stock.sizes)[::-1]
        held = int(shots.tokens[0].sum() + (sizes * names).sum()) - int(shots.tokens[0].max()) - SEAMS
        return held + around.tokens_before + self.writer.reserved

    def pool(self, split: Split) -> Pool[int]:
        key, ids = ("queries", *self.key, split, self.settings.balance_eval), self.stock.split(split).text_id
        numbers = self.inputs.shared(key, lambda: self._ordered(split))
        return Pool(
            split, numbers, lambda index: f"{self.stock.name}-{split}-{ids[numbers[index]]}", numbers.__getitem__
        )

    def _ordered(self, split: Split) -> list[int]:
        """Return the texts of a split in the order of the release; in split train, only texts whose label has another text."""
        labels, key = self.stock.split(split).label, (*self.key, split, "queries")
        if not len(labels):
            return []
        if self.settings.balance_eval:
            _, blocks = np.unique(labels, return_inverse=True)
            order: list[int] = draw(Blocks.of(blocks.astype(np.int64)), *key)[0].tolist()
        else:
            order = Stream(*key).shuffled(range(len(labels)))
        sizes = np.bincount(labels)
        return order if split != "train" else [number for number in order if sizes[labels[number]] > 1]

    def query(self, candidate: Candidate) -> ShotQuery[tuple[int, int]]:
        """Return a text to label. Its shots are all other texts; numbers of labels are drawn for it (names stay sorted)."""
        stock, number, count = self.stock, candidate.number, len(self.names)
        texts = stock.split(candidate.split)
        key = (*self.key, candidate.split, texts.text_id[number])
        natural = self.settings.labels == "natural"
        shown = np.arange(count) if natural else Stream(*key, "labels").permutation(count)
        blocks = stock.blocks.without(number) if candidate.split == "train" else stock.blocks

        def order(count: int) -> Shots:
            found, rounds = first(blocks, *key, "shots", count=count, repeats=self.settings.repeats)
            places = np.arange(len(found)) if self.settings.repeats else spread(stock.shots.label[found], rounds, key)
            return Shots(found, rounds, places)

        pool, label = stock.pool(order, self.names, shown), int(shown[texts.label[number]])
        full = ENDLESS if self.settings.repeats else int(blocks.sizes.min())
        return ShotQuery(texts.text[number], [self.names[label]], pool, (label, full))

    def is_roomy(self, table: Table, candidate: Candidate) -> bool:
        return self.writer.tokens(table) > max(TIGHT, _LONG_SHOT * len(self.names))

    def too_few(self, query: ShotQuery[tuple[int, int]], shots: Shots) -> str:
        return "" if shots.complete else f"no room for one shot of each of {len(self.names)} labels"

    def columns(self, query: ShotQuery[tuple[int, int]], shots: Shots) -> dict[str, Any]:
        label, full = query.asked[0], min(shots.complete, query.asked[1])
        metadata = {"labels": self.settings.labels, "rounds": shots.complete, "full_rounds": full}
        return {"answers": query.answers, "choices": self.names, "answer_index": label, "metadata": metadata}

    def shot_problems(self, read: checks.ReadShots, *, prepared: bool) -> Iterator[str]:
        yield from checks.labelled(read, self.stock.stored if prepared else None)
        yield from checks.one_to_one(read, numbers=self.settings.labels == "numbers")
        yield from checks.apart(read, ShotText(read.row["question"], "", ""))
        sizes = dict(zip(self.stock.labels, self.stock.sizes.tolist(), strict=True)) if prepared else None
        yield from checks.rounds(read) if self.settings.repeats else checks.spread(read, sizes)


def spread(labels: Ints, rounds: Ints, key: tuple[Key, ...]) -> Ints:
    """Return places of shots that spread each label evenly: each further shot of a label is a golden section after the last one.

    The gaps between the shots of a label have two or three sizes, none of them large, for any number of shots.
    """
    starts = Stream(*key, "places of labels").bulk(int(labels.max(initial=-1)) + 1)
    places = starts[labels] + rounds.astype(np.uint64) * _STEP
    return (places >> np.uint64(1)).astype(np.int64)
