"""Means over groups and by key, on numbers worked out by hand."""

from __future__ import annotations

import pytest

from haymaker.scoring.statistics.means import all_right, mean_by, mean_over_groups


def test_every_question_counts_once_however_many_of_its_rows_were_scored() -> None:
    assert mean_over_groups([("a", 1.0), ("a", 1.0), ("a", 1.0), ("b", 0.0)]) == 0.5
    with pytest.raises(ValueError, match="no scores"):
        mean_over_groups([])


def test_means_by_depth_keep_the_order() -> None:
    assert list(mean_by([(0.2, 1.0), (0.0, 0.0), (0.2, 0.0)]).items()) == [(0.2, 0.5), (0.0, 0.0)]


def test_questions_of_which_every_row_is_right() -> None:
    rows = [(group, 1.0) for group in "abc" for _ in range(4)]
    assert all_right(rows) == 1.0
    assert all_right([*rows[:-1], ("c", 0.0)]) == pytest.approx(2 / 3)
    assert all_right(rows[:-1]) == 1.0, "c has three rows of four and does not count"
    assert all_right([("a", 0.5), ("a", 1.0)]) == 0.0, "nearly right is not right"
    assert all_right([("a", 1.0), ("b", 1.0)]) is None, "a question with one row says nothing of the others"
    assert all_right([]) is None
