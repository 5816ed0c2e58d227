"""Shots to count: which label occurs most often, least often, how often, more often than another, how many there are.

Labels of the source are joined to a few shown labels (numbers without meaning) whose frequencies are decided by a plan and whose
places by a course each (generators/shots/uneven.py): what is asked holds at every length, and no part of a context tells it. Only
the answer to "how many texts" depends on the length. Own addition: the reference has no such task.

What is compared differs by CLEAR shots or more in every row, by about two shots and 0.4 times the square root of the count. "How many
different" is asked where some labels occur once to three times, each in a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from generators.context.pieces import Ints
from generators.pool import Pool, endless
from generators.shots import checks, uneven
from generators.shots.base import SEAMS, ShotQuery, ShotSettings, ShotTask
from generators.shots.deck import Deck, Order, Shots
from generators.shots.rounds import Blocks
from generators.shots.uneven import Plan, joined, planned
from generators.spec import Candidate
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

FEWEST, MOST = 3, 8  # labels that are compared, where the set has twice as many of its own
_OFTEN, _RARE = (2, 5), (2, 6)  # of different labels: how many occur often, how many a few times
_FEW = 3  # shots of one of these, at most
QUESTIONS = ("most", "least", "count", "more", "different")
_NUMBERS = range(10, 100)  # labels as shown: drawn, so that the largest does not say how many there are
_WEIGHTS = (2, 3, 4)  # of labels whose number is asked for
CLEAR = 3  # shots by which counts differ that decide an answer


@dataclass(frozen=True, slots=True)
class Group(ShotQuery):
    """A question on how often labels occur.

    Attributes:
        kind: one of QUESTIONS.
        plan: how often labels occur.
        numbers: of each label of the plan, as shown.
        first, second: labels of the plan that it names.
    """

    kind: str
    plan: Plan
    numbers: list[int]
    first: int
    second: int

    def counts(self, shots: Shots) -> list[int]:
        """Shots of each label of the plan."""
        counts = np.bincount(shots.shown, minlength=len(_NUMBERS))
        return [int(counts[number - _NUMBERS[0]]) for number in self.numbers]

    def is_clear(self, shots: Shots) -> bool:
        """Whether the counts that decide the answer differ by enough, the way that they are planned; all labels are there."""
        counts, leads = self.counts(shots), self.plan.leads
        if not all(counts) or self.kind not in ("most", "least", "more"):
            return all(counts)
        if self.kind == "more":
            ahead = leads[self.first] - leads[self.second]
            return (counts[self.first] - counts[self.second]) * (1 if ahead > 0 else -1) >= CLEAR
        sign = 1 if self.kind == "most" else -1
        apart = [sign * (counts[leads.index(sign)] - count) for i, count in enumerate(counts) if leads[i] != sign]
        return min(apart) >= CLEAR

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
    more = "a set of more texts"
    opener, cue = "Question:", "Answer:"
    wording = "counting"

    @cached_property
    def names(self) -> list[str]:
        """All numbers that a label may be."""
        return [str(number) for number in _NUMBERS]

    @cached_property
    def most(self) -> int:
        """Labels that are compared, at most: two of the source for each, but for the smallest sets.

        Raises:
            BuildError: the set has fewer than three.
        """
        if (labels := len(self.stock.labels)) < FEWEST:
            raise BuildError(f"has only {labels} labels", where=f"set {self.stock.name}", fix=f"use {FEWEST} or more")
        return max(FEWEST, min(MOST, labels // 2))

    @cached_property
    def sizes(self) -> Ints:
        """Texts of each label of the set."""
        return np.bincount(self.stock.shots.label)

    def pool(self, part: Split) -> Pool[Any]:
        """Groups, named by set and part."""
        return endless(part, f"{self.settings.labelled}-counting")

    # ---------------------------------------------------------------------------------------------------- rows

    def query(self, candidate: Candidate) -> Group:
        """The kinds of questions in turn, each about labels drawn for it."""
        key = (*self.key, "counting", candidate.part, candidate.number)
        stream, kind = Stream(*key, "labels"), QUESTIONS[candidate.number % len(QUESTIONS)]
        plan, of = self.plan(kind, stream, Stream(*key, "joined").permutation(len(self.sizes)))
        first, second = _named(stream, plan, candidate.number)
        numbers = stream.sample(_NUMBERS, len(plan))
        shown, labels = (np.array(numbers) - _NUMBERS[0])[of], of[self.stock.shots.label]
        blocks = Blocks.of(labels)

        def order(count: int) -> Order:
            return uneven.order(plan, blocks, labels, key, count)

        question = self.question(kind, numbers[first], numbers[second])
        return Group(question, Deck(self.stock, shown, self.endings, order), kind, plan, numbers, first, second)

    def plan(self, kind: str, stream: Stream, turns: Ints) -> tuple[Plan, Ints]:
        """How often labels occur, and which label each of the set becomes.

        Nearly alike where they are compared, else at shares of their own; of different labels some occur a few times.
        """
        if kind == "different":
            often, rare = stream.choice(self.rich)
            return self._by_size(often, [stream.between(1, _FEW) for _ in range(rare)], turns)
        labels = stream.between(FEWEST, self.most)
        if kind == "count":
            plan = planned([stream.choice(_WEIGHTS) for _ in range(labels)], [0] * labels)
        else:
            plan = planned([1] * labels, stream.shuffled([1, -1, *[0] * (labels - 2)]))
        return plan, joined(plan, self.sizes, turns)

    def _by_size(self, often: int, few: list[int], turns: Ints | None = None) -> tuple[Plan, Ints]:
        """Labels that occur as often as they have texts, and some that occur a few times."""
        of = joined(planned([1] * often, [0] * often, few), self.sizes, turns)
        held = np.bincount(of, self.sizes)[:often].astype(np.int64).tolist()
        return planned(held, [0] * often, few), of

    @cached_property
    def rich(self) -> list[tuple[int, int]]:
        """Of different labels: how many may occur often, and how many a few times; these take a third of the set's at most."""
        labels, (low, high) = len(self.stock.labels), _RARE
        often, rare = range(_OFTEN[0], _OFTEN[1] + 1), range(low, min(high, max(low, labels // 3)) + 1)
        return [(many, few) for many in often for few in rare if many + few <= labels] or [(2, 1)]

    def question(self, kind: str, label: int, other: int) -> str:
        """A question on how often labels occur."""
        return str(self.words["questions"][kind]).format(label=label, other=other)

    def too_few(self, query: Group, shots: Shots) -> str:
        """Counts that are compared differ by enough."""
        return "" if query.is_clear(shots) else "too few shots to tell frequencies apart"

    def columns(self, query: Group, shots: Shots) -> dict[str, Any]:
        """The answer, chosen from a closed set or counted."""
        answer, choices = query.answer(shots), query.choices
        extra = {
            "question": query.kind,
            "answer_depends_on_length": query.kind == "count",
            "counts": dict(zip(map(str, query.numbers), query.counts(shots), strict=True)),
        }
        index = choices.index(answer) if choices else None
        return {"answers": [answer], "choices": choices, "answer_index": index, "extra": extra}

    def limit(self, part: Split = "test") -> int | None:
        """The fewest tokens before a label has no text left, over all plans: those of the shortest texts."""
        shots = min(plan.lasts(np.bincount(of, self.sizes)) for plan, of in self._plans())
        tokens = int(np.sort(self.stock.shots.tokens[0])[:shots].sum())
        tokens += shots * int(self.endings.tokens(range(len(_NUMBERS))).min())
        frames = [self.frame(self.question(kind, 10, 11)) for kind in QUESTIONS]
        around = min(frame.tokens_before + frame.tails[0].tokens for frame in frames)
        return tokens + around + self.writer.reserved - SEAMS

    def _plans(self) -> Iterator[tuple[Plan, Ints]]:
        """Every plan there is, but for its labels' order; of leads the one that needs most texts."""
        for labels in range(FEWEST, self.most + 1):
            for weights in combinations_with_replacement(_WEIGHTS, labels):
                plan = planned(weights, [int(len(set(weights)) == 1)] * labels)
                yield plan, joined(plan, self.sizes)
        for often, rare in self.rich:
            yield self._by_size(often, [_FEW] * rare)

    # ------------------------------------------------------------------------------------------------- checks

    def query_problems(self, row: checks.Read, known: checks.Known | None) -> Iterator[str]:
        """A question on counts that are clear, and as the row says."""
        yield from checks.counted(row, CLEAR)


def _named(stream: Stream, plan: Plan, group: int) -> tuple[int, int]:
    """Two labels, the one that leads first in every second group; any where none leads."""
    places = range(len(plan))
    pairs = [(a, b) for a in places for b in places if plan.leads[b] - plan.leads[a] == 1]
    less, more = stream.choice(pairs) if pairs else stream.sample(places, 2)
    # The names are asked for in turn: among questions of one kind, every second compares upwards, so "yes" is right for it.
    return (less, more) if group // len(QUESTIONS) % 2 else (more, less)
