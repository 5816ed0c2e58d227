"""Pooled difference of two models over all tests of a comparison, and per suite (docs/reference/scores.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from haymaker.scoring.statistics.intervals import paired
from haymaker.scoring.statistics.means import mean_by

ALL = ""
"""`suite` of the line over all suites."""


def pooled_test(
    tests: Sequence[Mapping[str, Any]], differences: Sequence[Iterable[tuple[str, float]]]
) -> Iterator[dict[str, Any]]:
    """Yield one line over all tests of two models and, if there are several suites, one line per suite.

    Every test (task and length) has the same weight, and so has every question in a test. Permutation and bootstrap work
    on whole questions, with all their lengths and tasks.

    Args:
        tests: tests of two models, from `compare_pairs`.
        differences: per test, the group and score difference (second - first) of each row.
    """
    suites = list(dict.fromkeys(test["suite"] for test in tests))
    for suite in (ALL, *(suites if len(suites) > 1 else ())):
        here = [place for place, test in enumerate(tests) if suite in (ALL, test["suite"])]
        found = paired(_question_shares([differences[place] for place in here]), "pooled", suite)
        means = {key: sum(tests[place][key] for place in here) / len(here) for key in ("first_mean", "second_mean")}
        of = {"first": tests[0]["first"], "second": tests[0]["second"], "suite": suite, "tests": len(here)}
        yield of | {"rows": sum(tests[place]["rows"] for place in here)} | means | found._asdict()


def _question_shares(differences: Sequence[Iterable[tuple[str, float]]]) -> list[tuple[str, float]]:
    """Return each question's part of the mean over tests, times the number of questions: they average to that mean."""
    parts: dict[str, float] = defaultdict(float)
    for test in differences:
        means = mean_by(test)
        for group, value in means.items():
            parts[group] += value / (len(means) * len(differences))
    return [(group, part * len(parts)) for group, part in parts.items()]
