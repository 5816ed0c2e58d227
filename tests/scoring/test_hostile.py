"""No output of a model breaks a metric: a score from 0 to 1 for whatever is said, and an answer for what is endless."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.rows.model_requests import Replies
from haymaker.scoring.judges.entailment import use_entailment
from haymaker.scoring.judges.judge import use_replies
from haymaker.scoring.metrics import all_metrics, get
from haymaker.scoring.metrics.citations import CLAIMS
from tests.extras import few, needs
from tests.scoring.test_metric_cases import CASES, AllWords

GOLD = "<<gold>>"  # stands for the accepted answer
PIECES = [
    "", " ", "\n", "\r\n", "\t\x0b\x0c", "\0", "\ud800", "\udfff\ud800", "\ufeff", "\u2028", "\u202e", "a\u0301\u0301\u0301", "👩‍👩‍👧‍👦", "ﬁ", "ß", "İ", "的", "。", "１２",
    "<think>", "</think>", "<think></think>", "Answer:", "answer is", "\\boxed{", "}", "{", "[", "]", "[1]", "[99999999999999999999]", "[1][2", "[-1]", "(", ")", "((((", "(A)", "B.", "none",
    "None of these", "**", "***", "# ***", "```", "```python\n", "`", '"', "'", "“", "{\"a\": ", "1, 2, 3", "9" * 5000, "1e999", "NaN", "inf", "-0", "½", "٣", "1,000,000.5.5", "0x1F", "3 > 1 > 2",
    "ID: 7", "Week 1:", "Floor 12", "yes", "no", "unanswerable", "the", "the the the", "x" * 3000, " \t" * 500, ",,,,", ";", "|", "\\", "%s %d {0}", "$\\frac{1}{0}$", "&amp;<b>", "\x1b[31m",
]  # fmt: skip


@cache
def row_of(metric_id: str) -> dict[str, Any]:
    """A row of the golden cases."""
    for path in sorted(CASES.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            if case["metric"] == metric_id and "not scored" not in case["why"]:
                return {column: case.get(column) for column in get(metric_id).columns}
    raise AssertionError(f"{metric_id} has no golden case")


METRICS = [pytest.param(name, marks=needs("zh", "jieba") if "_zh@" in name else ()) for name in all_metrics()]


def score(metric_id: str, output: Any) -> float:
    metric, row = get(metric_id), row_of(metric_id)
    with use_entailment(AllWords()), use_replies(Replies({})):
        metric.lacks_for(output or "", row)
        return metric.function(output, row)


SAID = st.lists(st.sampled_from([*PIECES, GOLD]), max_size=12).map("".join)


@pytest.mark.parametrize("metric", METRICS)
@few
@given(output=SAID | SAID | st.text(max_size=200) | st.none())
def test_any_output_has_one_score_between_0_and_1(metric: str, output: str | None) -> None:
    """Official scores of judges have other bounds: they are not clipped (docs/defects/helmet.md D12)."""
    gold = (row_of(metric).get("answers") or [""])[0]
    said = output and output.replace(GOLD, gold)
    found = score(metric, said)
    assert isinstance(found, float | int) and 0 <= found <= (1 if "judge" not in metric else 5)
    assert score(metric, said) == found


class Counting(AllWords):
    """Says how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def entails(self, premise: str, hypothesis: str) -> bool:
        self.asked += 1
        return super().entails(premise, hypothesis)


@pytest.mark.parametrize("metric", [name for name in all_metrics() if name.startswith("citation")])
def test_an_endless_answer_asks_a_judge_of_so_many_claims(metric: str) -> None:
    """Each claim is asked about at most seven times; what stands behind them changes no score."""
    row = row_of(metric)
    for piece in ("A fact [1][2][3]. ", "He went on. ", "的", "1, 2 [1], ", "["):
        found = []
        for characters in (25_000, 100_000):
            with use_entailment(judge := Counting()):
                found.append(get(metric).function(piece * (characters // len(piece)), row))
            assert judge.asked <= 7 * CLAIMS
        assert found[0] == found[1]
