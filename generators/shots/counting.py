"""Questions on how often labels occur: most often, least often, how often, more often than another; how many labels there are.

Labels of the set are joined to a few shown labels (random numbers). Their frequencies follow a plan, their places a course each
(generators/shots/uneven.py): the answers hold at every length, and no part of a context reveals them. Only the answer to "how many
texts" depends on the length. The task is our own; HELMET has no similar task.

Counts that are compared differ by CLEAR shots or more in every row, by about two shots and 0.4 times the square root of the count.
For "how many different", some labels occur once to three times, each of them in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from generators.context.pieces import Ints
from generators.pool import Pool, endless
from generators.shots import checks, uneven
from generators.shots.base import SEAMS, ShotQuery, ShotTask
from generators.shots.labelled import LabelledSettings, LabelledShots, labelled_layout
from generators.shots.layout import ShotLayout
from generators.shots.rounds import Blocks
from generators.shots.shot_pool import Shots
from generators.shots.uneven import Plan, joined, planned
from generators.spec import Candidate, Row
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

FEWEST, MOST = 3, 8  # labels that are compared, if the set has twice as many
_OFTEN, _RARE = (2, 5), (2, 6)  # different labels: how many occur often, and how many a few times
_FEW = 3  # most shots of a label that occurs a few times
QUESTIONS = ("most", "least", "count", "more", "different")
_NUMBERS = range(10, 100)  # labels as shown: drawn, so that the largest does not reveal how many there are
_NAMES = tuple(map(str, _NUMBERS))
_WEIGHTS = (2, 3, 4)  # of labels whose number is requested
CLEAR = 3  # smallest difference between counts that decide an answer


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """A question on how often labels occur."""

    kind: str  # one of QUESTIONS
    plan: Plan
    numbers: list[int]  # number of each label of the plan, as shown
    first: int  # first label of the plan that the question names
    second: int  # second label that it names

    def counts(self, shown: Ints) -> list[int]:
        """Return how often each label of the plan occurs among labels as shown, by place in _NUMBERS."""
        counts = np.bincount(shown, minlength=len(_NUMBERS))
        return [int(counts[number - _NUMBERS[0]]) for number in self.numbers]

    def is_clear(self, counts: list[int]) -> bool:
        """Return whether all labels occur, and the counts that decide the answer differ by enough, as planned."""
        leads = self.plan.leads
        if not all(counts) or self.kind not in ("most", "least", "more"):
            return all(counts)
        if self.kind == "more":
            ahead = leads[self.first] - leads[self.second]
            return (counts[self.first] - counts[self.second]) * (1 if ahead > 0 else -1) >= CLEAR
        sign = 1 if self.kind == "most" else -1
        apart = [sign * (counts[leads.index(sign)] - count) for i, count in enumerate(counts) if leads[i] != sign]
        return min(apart) >= CLEAR

    def answer(self, counts: list[int]) -> str:
        """Return the answer, given how often each label of the plan occurs."""
        answers = {
            "most": self.numbers[counts.index(max(counts))],
            "least": self.numbers[counts.index(min(counts))],
            "count": counts[self.first],
            "more": "yes" if counts[self.first] > counts[self.second] else "no",
            "different": len(counts),
        }
        return str(answers[self.kind])

    @property
    def choices(self) -> list[str] | None:
        """Answer options, if the answer is one of a closed set."""
        shown = sorted(map(str, self.numbers))
        return {"most": shown, "least": shown, "more": ["yes", "no"]}.get(self.kind)


class Counting(ShotTask[LabelledSettings, CountQuestion]):
    """Rows that ask how often labels occur. Candidates are endless."""

    settings_type = LabelledSettings
    more = "a set of more texts"

    @cached_property
    def stock(self) -> LabelledShots:
        return LabelledShots.opened(self.inputs, self.settings.classification_set)

    @cached_property
    def layout(self) -> ShotLayout:
        return replace(
            labelled_layout(self.spec, self.inputs, self.settings.classification_set), last=("Question:", "Answer:")
        )

    @cached_property
    def instruction(self) -> str:
        return str(self.words["counting"]).format(first=_NAMES[0], last=_NAMES[-1])

    @cached_property
    def most(self) -> int:
        """Largest number of labels that are compared: two labels of the set for each, except in the smallest sets.

        Raises:
            BuildError: the set has fewer than three.
        """
        if (labels := len(self.stock.labels)) < FEWEST:
            raise BuildError(f"has only {labels} labels", where=f"set {self.stock.name}", fix=f"use {FEWEST} or more")
        return max(FEWEST, min(MOST, labels // 2))

    @cached_property
    def rich(self) -> list[tuple[int, int]]:
        """Possible numbers of labels that occur often and of rare labels (at most a third of the set's labels)."""
        labels, (low, high) = len(self.stock.labels), _RARE
        often, rare = range(_OFTEN[0], _OFTEN[1] + 1), range(low, min(high, max(low, labels // 3)) + 1)
        return [(many, few) for many in often for few in rare if many + few <= labels] or [(2, 1)]

    def limit(self, split: Split = "test") -> int | None:
        """Return the fewest tokens before a label has no text left, over all plans, if texts are the shortest ones."""
        shots = min(plan.lasts(np.bincount(of, self.stock.sizes)) for plan, of in self._plans())
        tokens = int(np.sort(self.stock.shots.tokens[0])[:shots].sum())
        tokens += shots * int(self.stock.endings(_NAMES).tokens(range(len(_NUMBERS))).min())
        frames = [self.frame(self.question(kind, 10, 11)) for kind in QUESTIONS]
        around = min(frame.tokens_before + frame.tails[0].tokens for frame in frames)
        return tokens + around + self.writer.reserved - SEAMS

    def _plans(self) -> Iterator[tuple[Plan, Ints]]:
        """Yield every plan, without orders of labels; of plans with leads only the plan with most texts."""
        for labels in range(FEWEST, self.most + 1):
            for weights in combinations_with_replacement(_WEIGHTS, labels):
                plan = planned(weights, [int(len(set(weights)) == 1)] * labels)
                yield plan, joined(plan, self.stock.sizes)
        for often, rare in self.rich:
            yield self._by_size(often, [_FEW] * rare)

    def pool(self, split: Split) -> Pool[Any]:
        return endless(split, f"{self.settings.classification_set}-counting")

    def query(self, candidate: Candidate) -> ShotQuery[CountQuestion]:
        stock, number = self.stock, candidate.number
        key = (self.release.stream_key, self.entry.suite, stock.name, "counting", candidate.split, number)
        stream, kind = Stream(*key, "labels"), QUESTIONS[number % len(QUESTIONS)]
        plan, of = self.plan(kind, stream, Stream(*key, "joined").permutation(len(stock.sizes)))
        first, second = _named(stream, plan, number)
        numbers = stream.sample(_NUMBERS, len(plan))
        shown, labels = (np.array(numbers) - _NUMBERS[0])[of], of[stock.shots.label]
        blocks = Blocks.of(labels)

        def order(count: int) -> Shots:
            return uneven.order(plan, blocks, labels, key, count)

        asked = CountQuestion(kind, plan, numbers, first, second)
        question = self.question(kind, numbers[first], numbers[second])
        return ShotQuery(question, [], stock.pool(order, _NAMES, shown), asked)

    def plan(self, kind: str, stream: Stream, turns: Ints) -> tuple[Plan, Ints]:
        """Return how often labels occur, and the label of the plan that each label of the set becomes.

        Labels that are compared occur nearly equally often. Labels for "count" have their own shares; for "different", some are rare.
        """
        if kind == "different":
            often, rare = stream.choice(self.rich)
            return self._by_size(often, [stream.between(1, _FEW) for _ in range(rare)], turns)
        labels = stream.between(FEWEST, self.most)
        if kind == "count":
            plan = planned([stream.choice(_WEIGHTS) for _ in range(labels)], [0] * labels)
        else:
            plan = planned([1] * labels, stream.shuffled([1, -1, *[0] * (labels - 2)]))
        return plan, joined(plan, self.stock.sizes, turns)

    def _by_size(self, often: int, few: list[int], turns: Ints | None = None) -> tuple[Plan, Ints]:
        """Return a plan of `often` labels that occur as often as they have texts, and of rare labels (`few`: shots of each)."""
        of = joined(planned([1] * often, [0] * often, few), self.stock.sizes, turns)
        held = np.bincount(of, self.stock.sizes)[:often].astype(np.int64).tolist()
        return planned(held, [0] * often, few), of

    def question(self, kind: str, label: int, other: int) -> str:
        return str(self.words["questions"][kind]).format(label=label, other=other)

    def too_few(self, query: ShotQuery[CountQuestion], shots: Shots) -> str:
        counts = query.asked.counts(query.pool.shown[shots.texts])
        return "" if query.asked.is_clear(counts) else "too few shots to tell frequencies apart"

    def columns(self, query: ShotQuery[CountQuestion], shots: Shots) -> dict[str, Any]:
        asked, counts = query.asked, query.asked.counts(query.pool.shown[shots.texts])
        answer, choices = asked.answer(counts), asked.choices
        metadata = {
            "question": asked.kind,
            "answer_depends_on_length": asked.kind == "count",
            "counts": dict(zip(map(str, asked.numbers), counts, strict=True)),
        }
        index = choices.index(answer) if choices else None
        return {"answers": [answer], "choices": choices, "answer_index": index, "metadata": metadata}

    def shot_problems(self, read: checks.ReadShots, *, prepared: bool) -> Iterator[str]:
        yield from checks.labelled(read, self.stock.stored if prepared else None)
        yield from checks.counted(read, CLEAR)

    def identity(self, row: Row) -> str:
        return f"{row['group_id']}\n{row['question']}"


def _named(stream: Stream, plan: Plan, group: int) -> tuple[int, int]:
    """Return two labels, the leading one first in every second group; any two if none leads."""
    places = range(len(plan))
    pairs = [(a, b) for a in places for b in places if plan.leads[b] - plan.leads[a] == 1]
    less, more = stream.choice(pairs) if pairs else stream.sample(places, 2)
    # Among questions of one kind, every second one compares upwards, so "yes" is right for every second one.
    return (less, more) if group // len(QUESTIONS) % 2 else (more, less)
