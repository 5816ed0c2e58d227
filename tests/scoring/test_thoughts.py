"""What official metrics read of reasoning, and rows that cannot be scored (our own defects 11 to 13)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring import official_text
from haymaker.scoring.metrics import all_metrics, get
from haymaker.scoring.metrics.citations import claims_official
from haymaker.scoring.reader import strip_reasoning
from tests.extras import few

EXTRA = {
    "qrels": {"1": 2}, "unit": "Week", "entries": 2, "min_words": 5, "separator": "###", "end": "*** end", "header": "### Week 1:",
}  # fmt: skip
ROW: dict[str, Any] = {
    "id": "r", "answers": ["B", "B. Bo"], "answer_groups": [["Bo"]], "choices": ["Al", "Bo"], "question": "Who?", "references": ["Bo."],
    "metrics": [], "prompt": "Text. Answer:", "context_start": 0, "context_end": 5, "answer_prefix_start": 6, "spans": [], "metadata": json.dumps(EXTRA),
    "output_constraints": None, "category": "qa", "max_new_tokens": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "expected"),
    [(official_text.whole, "<think>a</think>\n b \n"), (official_text.final_text, "b"), (strip_reasoning, " b")],
)
def test_official_rules_read_thoughts_as_their_references_do(reader: Any, expected: str) -> None:
    """Of HELMET alone the reference leaves thoughts out; it strips what stands behind them."""
    assert reader("<think>a</think>\n b \n") == expected
    assert official_text.final_text("<think>a") == "<think>a"


def test_line_breaks_before_claims() -> None:
    assert [claim.text for claim in claims_official("\n\n Yes. Ada  went\n\n\nhome [1].", ROW)] == ["Ada  went home."]


def test_a_row_that_cannot_be_scored_is_refused_by_name() -> None:
    for metric in (each for each in all_metrics().values() if "answers" in each.columns):
        for bare in (ROW | {"answers": []}, ROW | {"answers": [" ", ""]}):
            assert metric.misses(bare) == "it has no answers"
            assert metric.function("B", bare) == 0.0


def test_answers_that_are_no_numbers_and_rows_without_choices() -> None:
    assert get("math_find@strict").misses(ROW) == "its answer is no number"
    assert get("option@official").misses(ROW | {"answers": ["Bo"]}) == "no answer is a letter"
    for extra in (None, "{}", '{"qrels": {"1": 0}}'):
        assert get("ndcg10@strict").misses(ROW | {"metadata": extra}) == "nothing that it shows is relevant"
    for extra in (None, '{"unit": "Week"}'):
        assert get("longgen_cr@official").misses(ROW | {"metadata": extra}) == "it has no plan of entries"
    assert get("math_calc@strict").misses(ROW) == "its answer has no whole numbers"
    assert get("longbench_retr@strict").misses(ROW) == "no answer names a paragraph by its number"
    for metric in ("babilong@strict", "mc@official", "option@strict", "longbench_cls@strict"):
        assert get(metric).misses(ROW | {"choices": None}) == "it has no choices"
    for metric in ("str_em@strict", "qampari_f1@official"):
        assert get(metric).misses(ROW | {"answer_groups": [[" "]]}) == "it has no answer groups"


@few
@given(st.text(max_size=60) | st.text(alphabet="AB12 .,:;[]<>/think\n\x00é", max_size=60))
def test_no_metric_raises(output: str) -> None:
    for metric in all_metrics().values():
        if not metric.needs_model and not metric.lacks(ROW):
            for more in ({}, {"answers": []}, {"choices": None}, {"answers": ["5"]}, {"answer_groups": None}):
                assert 0.0 <= metric.function(output, ROW | more) <= 1.0, metric.id


def test_what_was_read_of_one_row_is_none_of_the_next() -> None:
    """Outputs and labels are kept for the next question about the same text, never for one that differs in a number."""
    score = get("math_calc@strict").function
    right, wrong = "13, -8, 10", "13, -8, 11"
    pairs = [(right, right, 1), (wrong, right, 2 / 3), (right, wrong, 2 / 3), (wrong, wrong, 1)]
    for output, label, expected in pairs * 2:
        row = ROW | {"answers": [label]}
        assert score(output, row) == score(f"<think>1, 2</think>\n{output}", row) == pytest.approx(expected)
