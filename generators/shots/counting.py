"""Shots to count: which label occurs most often, least often, how often, more often than another, how many there are.

Labels of the source are joined to three to eight shown labels (numbers without meaning), and a round holds a fixed, uneven
number of shots of each. So the order of frequencies is the same at every length and its gaps grow with it; only the answer to
"how many texts" depends on the length. Own addition: the reference has no such task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from generators.context.pieces import Ints
from generators.shots import checks, oracle
from generators.shots.base import SEAMS, ShotQuery, ShotSettings, ShotTask
from generators.shots.deck import Deck, Shots
from generators.shots.rounds import Blocks
from generators.spec import Candidate
from haymaker.errors import BuildError
from haymaker.records import Split
from haymaker.rng import Stream

FEWEST, MOST = 3, 8  # labels shown
QUESTIONS = ("most", "least", "count", "more", "different")
_NUMBERS = range(10, 100)  # labels as shown: drawn, so that the largest does not say how many there are
_APART = 0.75  # what is compared differs by a quarter or more of its shots in a round
CLEAR = 0.85  # and by 15 % or more in every row, where the last round is not whole


def weights(labels: int) -> list[int]:
    """Shots of each label in a round, rarest first: 2, 4, 5, 6 ... and a gap before the commonest."""
    return [2, *range(4, labels + 2), labels + 4]


def joined(labels: int, texts: Ints) -> tuple[Ints, Blocks]:
    """Labels of the source joined, the largest first to the one that lacks most, so that shares can be kept up for long.

    Args:
        labels: wanted; joined label i weighs weights()[i].
        texts: label of each text.

    Returns:
        Joined label of each label of the source; texts by joined label.
    """
    shares, sizes = weights(labels), np.bincount(texts)
    held, of = [0] * labels, np.zeros(len(sizes), dtype=np.int64)
    for label in np.argsort(-sizes, kind="stable").tolist():
        of[label] = min(range(labels), key=lambda i: (held[i] / shares[i], -shares[i]))
        held[of[label]] += int(sizes[label])
    return of, Blocks.of(of[texts], np.array(shares))


@dataclass(frozen=True, slots=True)
class Group(ShotQuery):
    """A question on how often labels occur.

    Attributes:
        kind: one of QUESTIONS.
        numbers: of each joined label, rarest first, as shown.
        first, second: joined labels that it names.
    """

    kind: str
    numbers: list[int]
    first: int
    second: int

    def counts(self, shots: Shots) -> list[int]:
        """Shots of each joined label, rarest first."""
        counts = np.bincount(shots.shown, minlength=len(_NUMBERS))
        return [int(counts[number - _NUMBERS[0]]) for number in self.numbers]

    def is_clear(self, shots: Shots) -> bool:
        """Whether the counts that decide the answer differ by enough."""
        counts = self.counts(shots)
        ranked, named = sorted(counts), sorted((counts[self.first], counts[self.second]))
        less, more = {"most": ranked[-2:], "least": ranked[:2], "more": named}.get(self.kind, (0, 1))
        return less <= CLEAR * more

    def answer(self, shots: Shots) -> str:
        """By the shots of a row."""
        counts = self.counts(shots)
        return str(
            {
                "most": self.numbers[counts.index(max(counts))],
                "least": self.numbers[counts.index(min(counts))],
                "count": counts[self.first],
                "more": "yes" if counts[self.first] > counts[self.second] else "no",
                "different": len(counts),
            }[self.kind]
        )

    @property
    def choices(self) -> list[str] | None:
        """What the answer is chosen from, if from a closed set."""
        shown = sorted(map(str, self.numbers))
        return {"most": shown, "least": shown, "more": ["yes", "no"]}.get(self.kind)


class Counting(ShotTask[ShotSettings, Group]):
    """Rows that ask how often labels occur. Candidates are without end; the number is that of the group."""

    settings_type = ShotSettings
    solve = staticmethod(oracle.solve)
    more = "a set of more texts"
    opener, cue = "Question:", "Answer:"
    wording = "counting"

    @cached_property
    def names(self) -> list[str]:
        """All numbers that a label may be."""
        return [str(number) for number in _NUMBERS]

    @cached_property
    def most(self) -> int:
        """Labels that a row may show.

        Raises:
            BuildError: fewer than three.
        """
        if (labels := len(self.stock.labels)) < FEWEST:
            raise BuildError(f"has only {labels} labels", where=f"set {self.stock.name}", fix=f"use {FEWEST} or more")
        return min(MOST, labels)

    def joined(self, labels: int) -> tuple[Ints, Blocks]:
        """The labels of the set, joined to so many."""
        key = ("joined labels", self.stock.name, labels)
        return self.inputs.shared(key, lambda: joined(labels, self.stock.shots.label))

    def candidate(self, part: Split, index: int) -> Candidate:
        """A group: set, part and number."""
        return Candidate(part, index, f"{self.settings.labelled}-counting-{part}-{index:05d}")

    # ---------------------------------------------------------------------------------------------------- rows

    def query(self, candidate: Candidate) -> Group:
        """The kinds of questions in turn, each about labels drawn for it."""
        key = (*self.key, "counting", candidate.part, candidate.number)
        stream, kind = Stream(*key, "labels"), QUESTIONS[candidate.number % len(QUESTIONS)]
        labels = stream.between(FEWEST, self.most)
        first, second = _compared(stream, weights(labels), candidate.number)
        numbers, (of, blocks) = stream.sample(_NUMBERS, labels), self.joined(labels)
        shown = (np.array(numbers) - _NUMBERS[0])[of]
        deck = Deck(self.stock, blocks, shown, self.endings, key, blocks.whole_rounds)
        question = self.question(kind, numbers[first], numbers[second])
        return Group(question, deck, kind, numbers, first, second)

    def question(self, kind: str, label: int, other: int) -> str:
        """A question on how often labels occur."""
        return str(self.words["questions"][kind]).format(label=label, other=other)

    def too_few(self, query: Group, shots: Shots) -> str:
        """The order of frequencies is clear."""
        clear = shots.complete and query.is_clear(shots)
        return "" if clear else "too few shots to tell frequencies apart"

    def columns(self, query: Group, shots: Shots) -> dict[str, Any]:
        """The answer, chosen from a closed set or counted."""
        answer, choices, shares = query.answer(shots), query.choices, weights(len(query.numbers))
        extra = {
            "question": query.kind,
            "answer_depends_on_length": query.kind == "count",
            "shots_per_round": dict(zip(map(str, query.numbers), shares, strict=True)),
        }
        index = choices.index(answer) if choices else None
        return {"answers": [answer], "choices": choices, "answer_index": index, "extra": extra}

    def limit(self, part: Split = "test") -> int | None:
        """The fewest tokens of all whole rounds, over the numbers of labels that a row may show."""
        shots = min(self._held(self.joined(labels)[1]) for labels in range(FEWEST, self.most + 1))
        frames = [self.frame(self.question(kind, 10, 11)) for kind in QUESTIONS]
        around = min(frame.tokens_before + frame.tails[0].tokens for frame in frames)
        return shots + around + self.writer.reserved - SEAMS

    def _held(self, blocks: Blocks) -> int:
        """Tokens of all whole rounds, should the shortest texts be drawn."""
        tokens, total = np.split(self.stock.shots.tokens[0][blocks.texts], np.cumsum(blocks.sizes)[:-1]), 0
        for texts, weight in zip(tokens, blocks.weights.tolist(), strict=True):
            total += int(np.sort(texts)[: blocks.whole_rounds * weight].sum())
        shots = blocks.whole_rounds * int(blocks.weights.sum())
        return total + shots * int(self.endings.tokens(range(len(_NUMBERS))).min())

    # ------------------------------------------------------------------------------------------------- checks

    def query_problems(self, row: checks.Read, known: checks.Known | None) -> Iterator[str]:
        """A question on counts that are clear, uneven rounds as declared."""
        shown = [row.extra["label_map"][label] for label in row.labels]
        yield from checks.rounds(row, shown, row.extra["shots_per_round"], row.extra["rounds"], known)
        yield from checks.apart(row, CLEAR)


def _compared(stream: Stream, shares: list[int], group: int) -> tuple[int, int]:
    """Two joined labels of clearly different shares, the commoner first in every second group."""
    pairs = [(a, b) for b in range(len(shares)) for a in range(b) if shares[a] <= _APART * shares[b]]
    rarer, commoner = stream.choice(pairs)
    # The names are asked for in turn: among questions of one kind, every second compares upwards, so "yes" is right for it.
    return (rarer, commoner) if group // len(QUESTIONS) % 2 else (commoner, rarer)
