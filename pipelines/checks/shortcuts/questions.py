"""What a question alone says of its answer: learnt from the table's other questions, whatever any context holds."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from generators.spec import Row
from haymaker.core.text.strings import words

_WORDS = 24  # of a question, its last, which are looked at: pairs of these are many enough
_PRIOR = 1.0  # questions with an answer that are thought to hold a word as often as all do


def asked(row: Row) -> str:
    """What a row asks. Where the column `question` holds a text that it is about, and the question at its end, `extra.asked` is that end."""
    question, extra = row["question"] or "", row["extra"] or ""
    alone = json.loads(extra).get("asked") if '"asked"' in extra else None
    return alone if isinstance(alone, str) and alone and question.endswith(f" {alone}") else question


class Learnt:
    """Answers by the words of questions: naive Bayes of words and of pairs of words in their order.

    A question is left out when it is itself asked for.

    Args:
        questions: group -> what is asked.
        answers: group -> what its answer is made of.
    """

    def __init__(self, questions: Mapping[str, str], answers: Mapping[str, Sequence[str]]) -> None:
        self._answers = {group: ", ".join(parts) for group, parts in answers.items()}
        self._held = {group: _held(question) for group, question in questions.items()}
        self._counts = Counter(self._answers.values())
        self._with: dict[str, Counter[tuple[str, ...]]] = {answer: Counter() for answer in self._counts}
        for group, answer in self._answers.items():
            self._with[answer].update(self._held.get(group, ()))
        self._any = Counter(each for held in self._held.values() for each in held)

    @property
    def can_learn(self) -> bool:
        """Whether most answers are those of another question too: else nothing can be learnt."""
        return 2 * sum(count for count in self._counts.values() if count > 1) >= max(1, self._counts.total())

    def answer(self, group: str) -> str:
        """The likeliest answer of a question by all others, of equal ones the first by its letters; "" where there are no others."""
        others = self._counts - Counter([self._answers[group]])
        return max(sorted(others), key=lambda answer: self._likely(group, answer, others[answer]), default="")

    def _likely(self, group: str, answer: str, count: int) -> float:
        """Logarithm of how often an answer, which so many other questions have, is given to what the question holds, and any does."""
        own, others, likely = int(answer == self._answers[group]), len(self._answers) - 1, math.log(count)
        for each in self._held[group]:
            if any_ := (self._any[each] - 1) / others:
                likely += math.log((self._with[answer][each] - own + _PRIOR * any_) / (count + _PRIOR) / any_)
        return round(likely, 9)


def _held(question: str) -> list[tuple[str, ...]]:
    """Its words, and its pairs of words as they follow one another near or far."""
    last = words(question)[-_WORDS:]
    return sorted({*((word,) for word in last), *combinations(last, 2)})
