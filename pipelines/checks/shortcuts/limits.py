"""Limits of shortcut baselines on a table: the chance score, a margin, and the uncertainty due to few questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from generators.spec import Row
from haymaker.releases.shortcut_limits import FOUND, MEASURES, OPEN, OVERLAP, SEARCH
from pipelines.checks.shortcuts.baselines import CHEATS
from pipelines.checks.shortcuts.evidence import EVIDENCE
from pipelines.checks.shortcuts.table_stats import closed

PARTS = ("first_1k", "last_1k", "first_half")
_OVERLAP = frozenset({"rouge_l", "keypoints", "f1", "longbench_f1", "longbench_rouge", "ndcg10"})
_SIGMAS = 2
_SELDOM = 0.02275  # share of tables: one tail of a normal distribution beyond two standard errors
_FEW = 100  # questions: with more, the two bounds differ by at most one point


def by_chance(rows: Sequence[Row], metric: str) -> float:
    """Return 1.5 times the chance score of the rows: 150 / k percent for k answers, at most 15 points above chance."""
    any_text = float(OVERLAP if metric.partition("@")[0] in _OVERLAP else OPEN)
    return fmean(half_more(100 / size) if size else any_text for size in map(len, map(closed, rows)))


def half_more(percent: float) -> float:
    """Return a chance score and half as much again, at most 15 points above it and at least the limit of free text."""
    return max(OPEN, min(1.5 * percent, percent + 15))


def score(name: str, chance: float, read: float, allowed: int, questions: int) -> float:
    """Return the maximum score of a shortcut baseline in percent.

    Args:
        name: name of the baseline.
        chance: result of `by_chance`.
        read: percent of the context read, which contains the same percentage of answers if they are spread evenly.
        allowed: percent declared by the task; 0 = not declared.
        questions: number of distinct questions measured.
    """
    base = chance + (100 - chance) * read / 100 if name in PARTS else chance
    return within(max(base, allowed, SEARCH.get(name, 0)), questions)


def found(name: str, read: float, allowed: int, questions: int) -> float | None:
    """Return the maximum percent of rows with an answer in the text read by a baseline; None = no such limit."""
    return within(max(FOUND[name] + read, allowed), questions) if name in FOUND else None


def within(percent: float, questions: int) -> float:
    """Return a percentage plus two standard errors for a number of questions, rounded to one decimal; at most 100.

    With few questions the bound is the binomial quantile for _SELDOM, if it is higher: with ten questions and a chance
    of 10%, three are right by luck in 7 of 100 tables, although two standard errors end at 29%.
    """
    share, number = min(percent, 100) / 100, max(1, questions)
    within = max(share + _SIGMAS * math.sqrt(share * (1 - share) / number), _lucky(share, number) / number)
    return round(min(100.0, 100 * within), 1)


def _lucky(share: float, questions: int) -> int:
    """Return the number of right answers that luck exceeds in at most _SELDOM of tables; 0 above _FEW questions."""
    if questions > _FEW:
        return 0
    left = 1.0
    for right in range(questions):
        left -= math.comb(questions, right) * share**right * (1 - share) ** (questions - right)
        if left <= _SELDOM:
            return right
    return questions


assert (*CHEATS, *EVIDENCE) == MEASURES and FOUND.keys() <= CHEATS.keys() and set(PARTS) <= CHEATS.keys()
