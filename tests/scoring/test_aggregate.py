"""Means over groups and by key, on numbers worked out by hand."""

from __future__ import annotations

import pytest

from scoring.aggregate import mean_by, mean_over_groups


def test_every_question_counts_once_however_many_of_its_rows_were_scored() -> None:
    rows = [("a", 1.0), ("a", 1.0), ("a", 1.0), ("b", 0.0)]
    assert mean_over_groups(rows) == (0.5, 0.5, 2, 4)


def test_complete_groups_give_the_mean_of_rows() -> None:
    rows = [("a", 1.0), ("b", 0.0), ("a", 0.0), ("b", 0.0), ("c", 1.0), ("c", 1.0)]
    figure = mean_over_groups(rows)
    assert figure.mean == pytest.approx(sum(score for _, score in rows) / len(rows))
    assert figure.error == pytest.approx((0.5 / 2 / 3) ** 0.5)


def test_one_group_has_no_error_and_none_no_mean() -> None:
    assert mean_over_groups([("a", 0.25), ("a", 0.75)]) == (0.5, None, 1, 2)
    with pytest.raises(ValueError, match="no scores"):
        mean_over_groups([])


def test_means_by_depth_keep_the_order() -> None:
    assert list(mean_by([(0.2, 1.0), (0.0, 0.0), (0.2, 0.0)]).items()) == [(0.2, 0.5), (0.0, 0.0)]
