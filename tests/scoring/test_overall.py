"""The overall score: equal weights of suites, of tasks in a suite, and of lengths in a task."""

from __future__ import annotations

from math import isclose

import pytest

from haymaker.evaluation.score.overall import summary
from haymaker.evaluation.score.row_scores import RowScore


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


def test_without_scores_there_is_no_overall() -> None:
    assert summary([row("a/qa1/4k", "1", None)]) is None
