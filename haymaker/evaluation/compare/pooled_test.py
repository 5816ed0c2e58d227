"""Pooled difference of two models over all cells of a comparison, and per suite (docs/reference/scores.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from haymaker.scoring.statistics.intervals import paired
from haymaker.scoring.statistics.means import mean_by
from haymaker.scoring.statistics.overall import Cells, average, weights

ALL = ""
"""`suite` of the line over all suites."""


def pooled_test(first: Cells, second: Cells) -> Iterator[dict[str, Any]]:
    """Yield one line over all cells of two models and, if there are several suites, one line per suite.

    Means and difference have the weights of the overall score. Test and interval work on whole questions, with all their
    lengths and tasks.

    Args:
        first: scores of the first model.
        second: scores of the second model, for the same rows in the same order.
    """
    suites = list(dict.fromkeys(place.suite for place in first))
    for suite in (ALL, *suites) if len(suites) > 1 else suites and (ALL,):
        ours, theirs = ({place: of[place] for place in first if suite in (ALL, place.suite)} for of in (first, second))
        means = average(ours), average(theirs)
        of = {"suite": suite, "tests": len(ours), "rows": means[0].rows}
        of |= {"first_mean": means[0].mean, "second_mean": means[1].mean}
        yield of | paired(_question_shares(ours, theirs), "pooled", suite, weighted=True)._asdict()


def _question_shares(first: Cells, second: Cells) -> list[tuple[str, float]]:
    """Return each question's part of the overall difference, times the number of questions: they average to it."""
    parts: dict[str, float] = defaultdict(float)
    for place, weight in weights(first).items():
        pairs = zip(first[place], second[place], strict=True)
        means = mean_by((group, theirs - ours) for (group, ours), (_, theirs) in pairs)
        for group, value in means.items():
            parts[group] += weight * value / len(means)
    return [(group, part * len(parts)) for group, part in parts.items()]
