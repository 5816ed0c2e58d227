"""The overall score: equal weights of suites, of tasks in a suite, and of lengths in a task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isclose, sqrt
from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.evaluation.score.overall import summary
from haymaker.evaluation.score.row_scores import RowScore
from haymaker.scoring.statistics.intervals import of_mean
from haymaker.scoring.statistics.means import all_right, mean_over_groups
from haymaker.scoring.statistics.overall import Cells, Place, average, weights

PLACES = st.builds(Place, st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(("4k", "8k", "natural")))
SCORES = st.lists(st.tuples(st.sampled_from([f"q{n}" for n in range(6)]), st.floats(0, 1)), min_size=1, max_size=8)
CELLS = st.dictionaries(PLACES, SCORES, min_size=1)


def row(place: str, group: str, score: float | None, split: str = "test") -> RowScore:
    suite, task, length = place.split("/")
    return RowScore(f"{place}/{group}", group, suite, task, length, split, "", None, None, None, "", "em@strict",
                    1, True, score, "")  # fmt: skip


def test_each_level_has_equal_weights() -> None:
    rows = [
        row("a/qa1/4k", "1", 1.0), row("a/qa1/4k", "2", 0.0), row("a/qa1/32k", "1", 0.0), row("a/qa1/32k", "2", 0.0),
        row("a/qa2/4k", "3", 1.0), row("a/qa2/4k", "4", None), row("b/kv/4k", "5", 0.5), row("b/kv/4k", "6", 0.1),
        row("b/kv/8k", "6", 0.9, "train"),
    ]  # fmt: skip
    found = summary(rows)
    assert found and isclose(found.overall.mean, ((0.25 + 1.0) / 2 + 0.3) / 2)
    assert {suite: of.mean for suite, of in found.suites.items()} == pytest.approx({"a": 0.625, "b": 0.3})
    assert found.grid["a", "4k"].mean == 0.75 and found.tasks["a", "qa1"].mean == 0.25
    assert list(found.lengths) == ["4k", "32k"] and isclose(found.lengths["4k"].mean, (0.75 + 0.3) / 2)
    written = found.as_json()
    assert written["overall"]["mean"] == found.overall.mean and written["suites"][0]["lengths"]["32k"]["mean"] == 0.0
    assert found.overall.low is not None and found.overall.low < found.overall.mean < (found.overall.high or 0)


# ------------------------------------------------------------------------------------------------- any set of cells


@given(CELLS)
def test_weights_are_equal_at_each_level_and_the_mean_is_that_of_means_by_level(cells: Cells) -> None:
    weight = weights(cells)
    suites: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    shares: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for place, scores in cells.items():
        suites[place.suite][place.task].append(mean_over_groups(scores))
        shares[place.suite][place.task] += weight[place]
    for tasks in shares.values():
        assert all(isclose(share, 1 / len(shares) / len(tasks)) for share in tasks.values())
    levels = [_mean([_mean(of) for of in tasks.values()]) for tasks in suites.values()]
    found, again = average(cells), average({place: cells[place][::-1] for place in reversed(cells)})
    assert isclose(found.mean, _mean(levels), abs_tol=1e-12)
    known = [[value for value in each if value is not None] for each in (found, again)]
    assert known[0] == pytest.approx(known[1]), "order has no influence"
    if found.low is None or found.high is None:
        assert found.questions == 1
    else:
        assert 0 <= found.low <= found.mean + 1e-12 and found.mean - 1e-12 <= found.high <= 1


@given(st.dictionaries(PLACES, st.lists(st.floats(0, 1), min_size=2, max_size=8), min_size=1))
def test_the_error_of_independent_cells_is_that_of_strata(scores: Mapping[Place, list[float]]) -> None:
    cells = {place: [(f"{place}{n}", score) for n, score in enumerate(of)] for place, of in scores.items()}
    strata = sqrt(
        sum(share**2 * variance(scores[place]) / len(scores[place]) for place, share in weights(cells).items())
    )
    assert isclose(average(cells).error or 0.0, strata, abs_tol=1e-12)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("score", [1.0, 0.1, 0.7])
@pytest.mark.parametrize("tasks", [2, 3, 6, 7, 20])
def test_equal_scores_have_the_interval_of_their_number(score: float, tasks: int) -> None:
    """A rounding error is not a spread: it once made the interval as narrow as that of countless questions."""
    cells = {Place("s", f"t{n}", "4k"): [(f"q{n}{k}", score) for k in range(3)] for n in range(tasks)}
    found, plain = average(cells), of_mean(score, 0.0, 3 * tasks)
    assert found.error == 0 and found.mean <= 1 and isclose(found.mean, score)
    assert plain and found.low is not None and isclose(found.low, plain.low, abs_tol=1e-6)


def test_every_question_counts_once_however_many_of_its_rows_were_scored() -> None:
    assert mean_over_groups([("a", 1.0), ("a", 1.0), ("a", 1.0), ("b", 0.0)]) == 0.5
    with pytest.raises(ValueError, match="no scores"):
        mean_over_groups([])


def test_questions_of_which_every_row_is_right() -> None:
    rows = [(group, 1.0) for group in "abc" for _ in range(4)]
    assert all_right(rows) == 1.0
    assert all_right([*rows[:-1], ("c", 0.0)]) == pytest.approx(2 / 3)
    assert all_right(rows[:-1]) == 1.0, "c has three rows of four and does not count"
    assert all_right([("a", 0.5), ("a", 1.0)]) == 0.0, "nearly right is not right"
    assert all_right([("a", 1.0), ("b", 1.0)]) is None, "a question with one row says nothing of the others"
    assert all_right([]) is None
