"""Intervals and paired comparisons: on small cases known by hand, and by simulation on clustered marks."""

from __future__ import annotations

from math import isclose

import pytest

from haymaker.core.rng import Stream
from haymaker.evaluation.compare.pooled_test import pooled_test
from haymaker.scoring.statistics import intervals
from haymaker.scoring.statistics.intervals import corrected, paired
from haymaker.scoring.statistics.overall import Place, average


def test_an_interval_never_leaves_the_marks_and_is_never_a_point() -> None:
    for mean in (0.0, 1.0):
        low, high = intervals.of_mean(mean, 0.0, 20) or (0.5, 0.5)
        assert 0 <= low <= mean <= high <= 1 and high - low > 0.1
    assert intervals.of_mean(0.5, None, 1) is None


def test_an_interval_with_very_many_groups_is_that_of_the_normal_law() -> None:
    low, high = intervals.of_mean(0.5, 0.005, 10_000) or (0, 0)
    assert isclose(high - low, 2 * 1.96 * 0.005, rel_tol=1e-2)


def test_rows_of_a_group_are_one_observation() -> None:
    rows = [(f"{n}", float(n % 2)) for n in range(12)]
    six_depths = [row for row in rows for _ in range(6)]
    once, six = (average({Place("", "", ""): each}) for each in (rows, six_depths))
    assert once._replace(rows=0) == six._replace(rows=0)
    assert paired(rows, "x") == paired(six_depths, "x")


def test_a_permutation_test_of_few_groups_is_exact() -> None:
    assert paired([(str(n), 1.0) for n in range(5)]).p == 2 / 2**5
    assert paired([("a", 1.0), ("b", 0.0)]).p == 1.0
    assert paired([("a", 0.0), ("b", 0.0)])[:4] == (0.0, 0.0, 0.0, 1.0)
    assert paired([("a", 0.5)])[1:4] == (None, None, None)


def test_the_same_names_draw_the_same() -> None:
    rows = [(str(n), Stream("differences", n).unit() - 0.4) for n in range(30)]
    assert paired(rows, "qa1", "4k") == paired(rows, "qa1", "4k")
    assert paired(rows, "qa1", "4k") != paired(rows, "qa1", "8k")


def test_p_values_are_raised_for_their_number_and_none_stays() -> None:
    assert corrected([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.04)]
    assert corrected([None]) == [None]


def clustered(stream: Stream, groups: int, rows: int, mean: float, *, share: float) -> list[tuple[str, float]]:
    """Right and wrong rows; with probability `share` all rows of a group are alike, else each is drawn by itself."""
    found = []
    for group in range(groups):
        alike, same = stream.chance(share), float(stream.chance(mean))
        found += [(str(group), same if alike else float(stream.chance(mean))) for _ in range(rows)]
    return found


CASES = [(groups, rows, mean, share) for groups in (20, 50, 100) for rows, share in ((1, 0.0), (6, 0.3), (6, 0.8)) for mean in (0.3, 0.5, 0.8)]  # fmt: skip


def coverage(case: tuple[int, int, float, float], times: int) -> float:
    groups, rows, mean, share = case
    stream = Stream("coverage", *map(str, case))
    hits = 0
    for _ in range(times):
        found = average({Place("", "", ""): clustered(stream, groups, rows, mean, share=share)})
        hits += (found.low or 0) <= mean <= (found.high or 0)
    return hits / times


@pytest.mark.slow
def test_intervals_of_clustered_marks_hold_the_mean_as_often_as_they_say() -> None:
    found = {case: coverage(case, 1500) for case in CASES}
    assert 0.93 <= sum(found.values()) / len(found) <= 0.97
    assert {case: share for case, share in found.items() if not 0.92 <= share <= 0.985} == {}


@pytest.mark.slow
def test_the_interval_of_an_overall_difference_holds_with_suites_of_very_different_size() -> None:
    """One suite of 20 tasks at two lengths with two questions, one of 8 tasks with one question, one of 5 with two."""
    tasks = [("a", 2, 2)] * 20 + [("b", 1, 1)] * 8 + [("c", 1, 2)] * 5
    held = alarms = 0
    for time in range(400):
        models: tuple[dict[Place, list[tuple[str, float]]], ...] = {}, {}
        for number, (suite, lengths, questions) in enumerate(tasks):
            stream = Stream("pooled", str(time), str(number))
            for length in range(lengths):
                for model in models:
                    scores = [(f"{number}-{question}", float(stream.chance(0.6))) for question in range(questions)]
                    model[Place(suite, str(number), str(length))] = scores
        line = next(pooled_test(*models))
        held, alarms = held + (line["low"] <= 0 <= line["high"]), alarms + (line["p"] < 0.05)
    assert 0.92 <= held / 400 <= 0.99 and alarms / 400 <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5
