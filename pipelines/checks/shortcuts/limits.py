"""What a shortcut may get at a table: what chance gives, a little more, and what few questions cannot tell from that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from generators.spec import Row
from haymaker.releases.shortcuts import FOUND, MEASURES, OPEN, OVERLAP, SEARCH
from pipelines.checks.shortcuts.evidence import EVIDENCE
from pipelines.checks.shortcuts.shortcut_answers import CHEATS
from pipelines.checks.shortcuts.table_stats import closed

PARTS = ("first_1k", "last_1k", "first_half")
_OVERLAP = frozenset({"rouge_l", "keypoints", "f1", "longbench_f1", "longbench_rouge", "ndcg10"})
_SIGMAS = 2
_SELDOM = 0.02275  # of tables: what lies beyond two standard errors of a normal distribution
_FEW = 100  # questions: of more the two bounds differ by a point at most


def by_chance(rows: Sequence[Row], metric: str) -> float:
    """Percent that an answer of these rows gets by luck, and half as much again: of k answers 150 / k, at most 15 above chance."""
    any_text = float(OVERLAP if metric.partition("@")[0] in _OVERLAP else OPEN)
    return fmean(
        max(OPEN, min(150 / size, 100 / size + 15)) if size else any_text for size in map(len, map(closed, rows))
    )


def score(name: str, chance: float, read: float, allowed: int, questions: int) -> float:
    """Percent that a cheat may score.

    Args:
        name: of the cheat.
        chance: of by_chance.
        read: percent of the context that it reads; a part holds as many of the answers, where they are spread evenly.
        allowed: percent that the task allows, 0 where it says nothing.
        questions: different ones that were measured.
    """
    base = chance + (100 - chance) * read / 100 if name in PARTS else chance
    return within(max(base, allowed, SEARCH.get(name, 0)), questions)


def found(name: str, read: float, allowed: int, questions: int) -> float | None:
    """Percent of rows in which what a cheat read may hold an answer; None: it is not held to that."""
    return within(max(FOUND[name] + read, allowed), questions) if name in FOUND else None


def within(percent: float, questions: int) -> float:
    """A percentage and two standard errors of so many questions, to one place; at most 100.

    Of few questions as many right ones as chance gives as seldom (_SELDOM) where that is more: of ten with one in ten right by luck three
    are so in 7 of 100 tables, though two standard errors end at 29 %.
    """
    share, number = min(percent, 100) / 100, max(1, questions)
    within = max(share + _SIGMAS * math.sqrt(share * (1 - share) / number), _lucky(share, number) / number)
    return round(min(100.0, 100 * within), 1)


def _lucky(share: float, questions: int) -> int:
    """Right answers that luck exceeds in no more than _SELDOM of tables; 0 where there are too many questions for it to matter."""
    if questions > _FEW:
        return 0
    left = 1.0
    for right in range(questions):
        left -= math.comb(questions, right) * share**right * (1 - share) ** (questions - right)
        if left <= _SELDOM:
            return right
    return questions


assert (*CHEATS, *EVIDENCE) == MEASURES and FOUND.keys() <= CHEATS.keys() and set(PARTS) <= CHEATS.keys()
