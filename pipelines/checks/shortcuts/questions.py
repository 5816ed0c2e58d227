"""Predict answers from questions only, trained on the other questions of the table; contexts are not used."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from generators.spec import Row
from haymaker.core.text.strings import words

_WORDS = 24  # last words of a question that are used; they limit the number of pairs
_PRIOR = 1.0  # pseudo-count of questions per answer, with the word frequencies of all questions


def asked(row: Row) -> str:
    """Return the question of a row: `extra.asked`, if `question` is a text that ends with it; otherwise `question`."""
    question, extra = row["question"] or "", row["metadata"] or ""
    alone = json.loads(extra).get("asked") if '"asked"' in extra else None
    return alone if isinstance(alone, str) and alone and question.endswith(f" {alone}") else question


class Learnt:
    """Naive Bayes classifier of questions by words and ordered pairs of words.

    The queried question itself is excluded from the training counts.

    Args:
        questions: group -> question.
        answers: group -> parts of its answer.
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
        """Whether most answers also occur with another question; otherwise nothing can be learned."""
        return 2 * sum(count for count in self._counts.values() if count > 1) >= max(1, self._counts.total())

    def answer(self, group: str) -> str:
        """Return the most likely answer according to all other questions, ties in alphabetical order; "" if none."""
        others = self._counts - Counter([self._answers[group]])
        return max(sorted(others), key=lambda answer: self._likely(group, answer, others[answer]), default="")

    def _likely(self, group: str, answer: str, count: int) -> float:
        """Return the log-likelihood of an answer that `count` other questions have, given the words of the question."""
        own, others, likely = int(answer == self._answers[group]), len(self._answers) - 1, math.log(count)
        for each in self._held[group]:
            if any_ := (self._any[each] - 1) / others:
                likely += math.log((self._with[answer][each] - own + _PRIOR * any_) / (count + _PRIOR) / any_)
        return round(likely, 9)


def _held(question: str) -> list[tuple[str, ...]]:
    """Return the features of a question: its words, and all pairs of words in their order."""
    last = words(question)[-_WORDS:]
    return sorted({*((word,) for word in last), *combinations(last, 2)})
