"""How outputs are read: thoughts, empty lines, and rows that cannot be scored (docs/defects/ours.md 11 to 13)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import all_metrics, get
from scoring.metrics.citations import claims_official
from scoring.text import final_text
from tests.extras import few

EXTRA = {
    "qrels": {"1": 2}, "unit": "Week", "entries": 2, "min_words": 5, "separator": "###", "end": "*** end", "header": "### Week 1:",
}  # fmt: skip
ROW: dict[str, Any] = {
    "id": "r", "answers": ["B", "B. Bo"], "answer_groups": [["Bo"]], "choices": ["Al", "Bo"], "question": "Who?", "references": ["Bo."],
    "metrics": [], "prompt": "Text. Answer:", "context_start": 0, "context_end": 5, "cue_start": 6, "spans": [], "extra": json.dumps(EXTRA),
    "checks": None, "category": "qa", "max_new_tokens": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("<think>\nA? B?\n</think>\n\nkitchen", "kitchen"),
        ("A? B?</think> \n \n    return x", "    return x"),
        ("</think>a</think>b", "b"),
        ("plain\n", "plain\n"),
        (None, ""),
    ],
)
def test_empty_lines_behind_a_thought_are_none_of_the_answer(output: object, said: str) -> None:
    assert final_text(output) == said


def test_a_thought_that_does_not_end_says_nothing() -> None:
    assert final_text("\n<think>It is B, so B") == ""
    assert get("mc@strict").function("<think>B", ROW) == 0.0


def test_line_breaks_before_claims() -> None:
    assert [claim.text for claim in claims_official("\n\n Yes. Ada  went\n\n\nhome [1].", ROW)] == ["Ada  went home."]


@pytest.mark.parametrize("metric", [name for name, metric in all_metrics().items() if "answers" in metric.columns])
def test_a_row_that_cannot_be_scored_is_refused_by_name(metric: str) -> None:
    bare = ROW | {"answers": []}
    assert get(metric).misses(bare) == "it has no answers"
    assert get(metric).function("B", bare) == 0.0


def test_answers_that_are_no_numbers_and_rows_without_choices() -> None:
    assert get("math_find@strict").misses(ROW) == "its answer is no number"
    assert get("babilong@strict").misses(ROW | {"choices": None}) == "it has no choices"


@few
@given(st.text(alphabet="AB12 .,:;[]<>/think\n\x00é", max_size=60))
def test_no_metric_raises(output: str) -> None:
    for metric in all_metrics().values():
        if not metric.needs_model and not metric.lacks(ROW):
            for row in (ROW, ROW | {"answers": []}, ROW | {"choices": None}, ROW | {"answers": ["5"]}):
                assert 0.0 <= metric.function(output, row) <= 1.0, metric.id
