"""Golden cases of all metrics: tests/metrics/<name>.json, one case a line; a new metric needs no new test code.

A case whose `why` says "not scored" is of a row that can have no score by this metric.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.rows.model_requests import Replies
from haymaker.core.text.strings import words
from haymaker.scoring.judges.entailment import Entailment, use_entailment
from haymaker.scoring.judges.judge import use_replies
from haymaker.scoring.metrics import all_metrics, get
from tests.extras import needs

CASES = Path(__file__).parents[1] / "metrics"
_KEYS = {"metric", "output", "expected", "why"}


class AllWords(Entailment):
    """Entails when the premise has every word of the hypothesis: exact, so that the rules around a judge can be tested."""

    name = "all words"
    stand_in = False

    def entails(self, premise: str, hypothesis: str) -> bool:
        return set(words(hypothesis)) <= set(words(premise))


def _cases() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Of each file and metric."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(CASES.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            found[path.stem, case["metric"]].append(case)
    return found


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(cases, id=f"{stem}-{metric}", marks=needs("zh", "jieba") if "_zh@" in metric else ())
        for (stem, metric), cases in _cases().items()
    ],
)
def test_case(cases: list[dict[str, Any]]) -> None:
    wrong = []
    for case in cases:
        metric = get(case["metric"])
        judged = metric.id.startswith(("judge_", "longgen_stic@official"))  # the case says what the judge replied
        assert set(case) - _KEYS - ({"replies"} if judged else set()) <= set(metric.columns)
        row = {column: case.get(column) for column in metric.columns}
        replies = Replies({(row["id"], call): reply for call, reply in case["replies"].items()} if judged else {})
        with use_entailment(AllWords()), use_replies(replies):
            found = metric.function(case["output"], row)
            lacks = bool(metric.lacks(row) or metric.lacks_for(case["output"], row))
        if found != pytest.approx(case["expected"], abs=1e-9) or lacks != ("not scored" in case["why"]):
            wrong.append((case["why"], case["output"], found, case["expected"]))
    assert wrong == []


def test_every_metric_has_cases_that_are_right_and_cases_that_are_wrong() -> None:
    cases = [case for of in _cases().values() for case in of]
    for metric in all_metrics():
        scores = {round(case["expected"], 6) for case in cases if case["metric"] == metric}
        assert {0.0, 1.0} <= scores, metric
