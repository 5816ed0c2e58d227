"""Shots to count: which label occurs most often, least often, how often, more often than another, how many there are.

Labels of the source are joined to three to eight shown labels (numbers without meaning), and a round holds a fixed, uneven
number of shots of each. So the order of frequencies is the same at every length and its gaps grow with it; only the answer to
"how many texts" depends on the length. Own addition: the reference has no such task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora.records import Part
from generators.helmet.shots import prompts
from generators.helmet.shots.family import SEAMS, Family
from generators.helmet.shots.params import TaskPlan
from generators.helmet.shots.rounds import Blocks, draw
from generators.helmet.shots.rows import Order, Shots
from generators.helmet.shots.stock import Stock, endings
from generators.pieces import Filling, Pieces
from generators.rows import Frame, RowWriter
from generators.task import Table
from haymaker.errors import BuildError
from haymaker.rng import Stream
from haymaker.sample import Sample

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

FEWEST, MOST = 3, 8  # labels shown
QUESTIONS = ("most", "least", "count", "more", "different")
_NUMBERS = range(10, 100)  # labels as shown: drawn, so that the largest does not say how many there are
_APART = 0.75  # what is compared differs by a quarter or more of its shots in a round
CLEAR = 0.85  # and by 15 % or more in every row, where the last round is not whole
_TIGHT = 16 * 1024  # tokens of a bucket up to which it may not be so, or whole shots may fail to fill it


def weights(labels: int) -> list[int]:
    """Shots of each label in a round, rarest first: 2, 4, 5, 6 ... and a gap before the commonest."""
    return [2, *range(4, labels + 2), labels + 4]


@dataclass(frozen=True, slots=True)
class Joined:
    """Labels of the source joined to some labels.

    Attributes:
        of: joined label of each label of the source.
        blocks: texts by joined label; joined label i weighs weights()[i].
    """

    of: Ints
    blocks: Blocks


@dataclass(frozen=True, slots=True)
class Group:
    """What is asked.

    Attributes:
        kind: one of QUESTIONS.
        numbers: of each joined label, rarest first, as shown.
        first, second: joined labels that the question names.
    """

    kind: str
    numbers: list[int]
    first: int
    second: int


class Counting(Family):
    """Rows that ask how often labels occur.

    Raises:
        BuildError: fewer than three labels.
    """

    def __init__(self, plan: TaskPlan, stock: Stock, writer: RowWriter) -> None:
        super().__init__(plan, stock, writer)
        if len(stock.labels) < FEWEST:
            raise BuildError(f"{len(stock.labels)} labels", where=f"set {stock.name}", fix=f"use {FEWEST} or more")
        self._endings = Pieces(endings([str(number) for number in _NUMBERS]), stock.tokenizers)
        self._instruction = prompts.instruction("counting", _NUMBERS[0], _NUMBERS[-1])
        self._joined = cache(self._join)

    def groups(self, part: Part) -> Iterator[int]:
        """Without end."""
        return count()

    def group_id(self, part: Part, group: int) -> str:
        """Set, part and number."""
        return f"{self.stock.name}-counting-{part}-{group:05d}"

    def _join(self, labels: int) -> Joined:
        """Join labels so that the shares of the joined ones can be kept up as long as possible: largest first, to the one that lacks most."""
        shares, sizes = weights(labels), np.bincount(self.stock.shots.label)
        held, of = [0] * labels, np.zeros(len(sizes), dtype=np.int64)
        for label in np.argsort(-sizes, kind="stable").tolist():
            of[label] = min(range(labels), key=lambda i: (held[i] / shares[i], -shares[i]))
            held[of[label]] += int(sizes[label])
        return Joined(of, Blocks.of(of[self.stock.shots.label], np.array(shares)))

    def _group(self, part: Part, group: int) -> Group:
        stream = Stream(*self.stock.key, "counting", part, group, "labels")
        labels = stream.between(FEWEST, min(MOST, len(self.stock.labels)))
        shares = weights(labels)
        pairs = [(a, b) for b in range(labels) for a in range(b) if shares[a] <= _APART * shares[b]]
        rarer, commoner = stream.choice(pairs)
        # The names are asked for in turn: among questions of one kind, every second compares upwards, so "yes" is right for it.
        first, second = (rarer, commoner) if group // len(QUESTIONS) % 2 else (commoner, rarer)
        return Group(QUESTIONS[group % len(QUESTIONS)], stream.sample(_NUMBERS, labels), first, second)

    def _frame(self, asked: Group) -> Frame:
        text = prompts.question(asked.kind, asked.numbers[asked.first], asked.numbers[asked.second])
        return self.writer.frame(self._instruction, prompts.counted(text), prompts.COUNTED)

    def _made(self, table: Table, group: int, asked: Group, frame: Frame) -> tuple[Shots, Filling, list[int]]:
        joined, labels = self._joined(len(asked.numbers)), self.stock.shots.label
        shown = (np.array(asked.numbers) - _NUMBERS[0])[joined.of]
        key = (*self.stock.key, "counting", table.part, group, "shots")

        def order(rounds: int) -> Order:
            texts, turn = draw(joined.blocks, *key, upto=min(rounds, joined.blocks.whole_rounds))
            return Order(texts, turn, shown[labels[texts]])

        return self.writer.fitted(table, frame, self._endings, order, int(joined.blocks.weights.sum()))

    def short_of(self, table: Table, group: int) -> str:
        """Short buckets may hold too few rounds for a clear order of frequencies, or not be filled by whole shots."""
        if (table.tokens or 0) > _TIGHT:
            return ""
        asked = self._group(table.part, group)
        try:
            shots, _, counts = self._made(table, group, asked, self._frame(asked))
        except BuildError as error:
            return error.what
        if not shots.rounds or not _clear(asked, self._counts(asked, shots)):
            return "too few shots to tell frequencies apart"
        return "" if self.writer.writer.is_full(table, counts) else "no choice of shots fills 99.5 %"

    def _counts(self, asked: Group, shots: Shots) -> list[int]:
        """Shots of each joined label, rarest first."""
        counts = np.bincount(shots.shown, minlength=len(_NUMBERS))
        return [int(counts[number - _NUMBERS[0]]) for number in asked.numbers]

    def row(self, table: Table, group: int) -> Sample:
        """The row that asks about frequencies."""
        asked = self._group(table.part, group)
        frame = self._frame(asked)
        made = self._made(table, group, asked, frame)
        numbers, shares = asked.numbers, weights(len(asked.numbers))
        of = self._joined(len(numbers)).of.tolist()
        answer, choices = _answer(asked, self._counts(asked, made[0]))
        extra: dict[str, Any] = {
            "question": asked.kind,
            "answer_depends_on_length": asked.kind == "count",
            "shots_per_round": {str(number): share for number, share in zip(numbers, shares, strict=True)},
            "label_map": {label: str(numbers[i]) for label, i in zip(self.stock.labels, of, strict=True)},
        }
        return self.writer.sample(
            table, self.group_id(table.part, group), frame, made, extra=extra,
            question=prompts.question(asked.kind, numbers[asked.first], numbers[asked.second]),
            answers=[answer], choices=choices, answer_index=choices.index(answer) if choices else None,
        )  # fmt: skip

    def limit(self) -> int | None:
        """The fewest tokens of all whole rounds, over the numbers of labels that a row may show."""
        most = min(MOST, len(self.stock.labels))
        shots = min(self._held(self._joined(labels).blocks) for labels in range(FEWEST, most + 1))
        frames = [self._frame(Group(kind, [10, 11], 0, 1)) for kind in QUESTIONS]
        around = min(frame.tokens_before + frame.tails[0].tokens for frame in frames)
        return shots + around + self.reserved - SEAMS

    def _held(self, blocks: Blocks) -> int:
        """Tokens of all whole rounds, should the shortest texts be drawn."""
        tokens, total = self.stock.shots.tokens[0][blocks.texts], 0
        for end, size, weight in zip(blocks.ends.tolist(), blocks.sizes.tolist(), blocks.weights.tolist(), strict=True):
            total += int(np.sort(tokens[end - size : end])[: blocks.whole_rounds * weight].sum())
        shots = blocks.whole_rounds * int(blocks.weights.sum())
        return total + shots * int(self._endings.tokens(range(len(_NUMBERS))).min())


def _clear(asked: Group, counts: list[int]) -> bool:
    """Whether the counts that decide the answer differ by enough."""
    ranked = sorted(counts)
    compared = {"most": ranked[-2:], "least": ranked[:2], "more": sorted((counts[asked.first], counts[asked.second]))}
    less, more = compared.get(asked.kind, (0, 1))
    return less <= CLEAR * more


def _answer(asked: Group, counts: list[int]) -> tuple[str, list[str] | None]:
    """The answer and what it is chosen from, if from a closed set."""
    shown = sorted(map(str, asked.numbers))
    answers: dict[str, tuple[object, list[str] | None]] = {
        "most": (asked.numbers[counts.index(max(counts))], shown),
        "least": (asked.numbers[counts.index(min(counts))], shown),
        "count": (counts[asked.first], None),
        "more": ("yes" if counts[asked.first] > counts[asked.second] else "no", ["yes", "no"]),
        "different": (len(counts), None),
    }
    answer, choices = answers[asked.kind]
    return str(answer), choices
