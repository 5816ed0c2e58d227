"""What files of bAbI stories are like, in the figures of docs/spec/babilong.md 2.4, 2.5, 2.6.

`measure` takes real and simulated questions alike, so one table can show both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from haymaker.records import Split, StoryQuestion
from haymaker.rng import digest

__all__ = ["Spread", "StoryFigures", "label_distance", "measure"]


@dataclass(frozen=True, slots=True)
class Spread:
    """Least, mean and largest of some whole numbers or shares."""

    least: float
    mean: float
    most: float


@dataclass(frozen=True, slots=True)
class StoryFigures:
    """Figures of all questions of one task and part.

    Attributes:
        task, part: as in the questions.
        questions, stories: how many there are.
        per_story: questions of a story.
        facts: facts before a question.
        supports: supporting facts of a question.
        after_support: facts between the first support listed and the question.
        depth: place of the last supporting fact among the facts of its question, above 0 and up to 1, the last fact.
        labels: share of each answer, commonest first; an answer of several words counts as one.
        repeated: questions that are, with their facts, equal to an earlier one of this part.
        in_train: questions that the training part holds too; None when no training questions of the task were given.
    """

    task: str
    part: Split
    questions: int
    stories: int
    per_story: Spread
    facts: Spread
    supports: Spread
    after_support: Spread
    depth: Spread
    labels: dict[str, float]
    repeated: int
    in_train: int | None


@dataclass(slots=True)
class _Tally:
    """One task and part while its questions are counted."""

    per_story: Counter[int] = field(default_factory=Counter)
    facts: list[int] = field(default_factory=list)
    supports: list[int] = field(default_factory=list)
    after_support: list[int] = field(default_factory=list)
    depth: list[float] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    samples: Counter[bytes] = field(default_factory=Counter)

    def add(self, question: StoryQuestion) -> None:
        told, supporting = len(question.facts), question.supporting
        self.per_story[question.story] += 1
        self.facts.append(told)
        self.supports.append(len(supporting))
        self.after_support.append(told - 1 - supporting[0])
        self.depth.append((1 + max(supporting)) / told)
        self.labels[question.answer] += 1
        self.samples[digest(*question.facts, question.question)] += 1


def measure(questions: Iterable[StoryQuestion]) -> list[StoryFigures]:
    """Figures per task and part, in the order in which these first appear.

    Args:
        questions: of any tasks and parts, each with at least one fact and one support; `in_train` compares the parts.
    """
    tallies: dict[tuple[str, Split], _Tally] = {}
    for question in questions:
        tallies.setdefault((question.task, question.part), _Tally()).add(question)
    return [_figures(task, part, tally, tallies.get((task, "train"))) for (task, part), tally in tallies.items()]


def label_distance(one: StoryFigures, other: StoryFigures) -> float:
    """The largest difference between the two shares of an answer, 0 to 1."""
    return max(abs(one.labels.get(label, 0) - other.labels.get(label, 0)) for label in one.labels | other.labels)


def _figures(task: str, part: Split, tally: _Tally, train: _Tally | None) -> StoryFigures:
    total = len(tally.facts)
    return StoryFigures(
        task=task,
        part=part,
        questions=total,
        stories=len(tally.per_story),
        per_story=_spread(list(tally.per_story.values())),
        facts=_spread(tally.facts),
        supports=_spread(tally.supports),
        after_support=_spread(tally.after_support),
        depth=_spread(tally.depth),
        labels={label: count / total for label, count in tally.labels.most_common()},
        repeated=total - len(tally.samples),
        in_train=None if train is None or part == "train" else _held(tally, train),
    )


def _held(tally: _Tally, train: _Tally) -> int:
    return sum(count for sample, count in tally.samples.items() if sample in train.samples)


def _spread(values: Sequence[float]) -> Spread:
    return Spread(min(values), sum(values) / len(values), max(values))
