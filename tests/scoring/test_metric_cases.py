"""Cases as data: of all metrics, of the functions beneath them, of the page of examples, and of outputs that a person judged.

Of metrics: tests/metrics/<name>.json, one case a line; a new metric needs no new test code. A case whose `why` says "not scored" is
of a row that can have no score by this metric.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from haymaker.core.rows.model_requests import Replies
from haymaker.core.text import english_grammar
from haymaker.core.text.strings import words
from haymaker.scoring import official_text, reader
from haymaker.scoring.judges.entailment import Entailment, use_entailment
from haymaker.scoring.judges.judge import use_replies
from haymaker.scoring.metrics import alce, all_metrics, get, ndcg, rouge
from haymaker.scoring.reader import watched
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


# The functions beneath the metrics ----------------------------------------------------------------------------------

TEXTS = json.loads(Path(__file__).with_name("golden_text.json").read_text(encoding="utf-8"))
FUNCTIONS = (
    vars(english_grammar) | vars(reader) | vars(official_text) | {"rouge_l": rouge.rouge_l} | vars(ndcg) | vars(alce)
)
QRELS = {"1": 3, "2": 2, "3": 0, "4": 1, "5": 0}


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: f"{case['function']}-{case['arguments'][0]}")
def test_text(case: dict[str, Any]) -> None:
    got = FUNCTIONS[case["function"]](*case["arguments"])
    assert got == (pytest.approx(case["expected"], abs=1e-12) if isinstance(got, float) else case["expected"])


@pytest.mark.parametrize(
    ("ranking", "expected"), [("1 2 4 3 5", 1.0), ("5 3 4 2 1", 0.52961), ("9 1 2", 0.60749), ("2", 0.42), ("", 0.0)]
)
def test_ndcg(ranking: str, expected: float) -> None:
    assert ndcg.ndcg(ranking.split(), QRELS) == pytest.approx(expected, abs=5e-6)


# The table of examples in docs/reference/reading-answers.md -------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs/reference/reading-answers.md"
EXAMPLE: dict[str, Any] = {
    "max_new_tokens": 20, "language": "en", "category": "rag", "choices": None, "answer_groups": None,
    "question": "Who is younger, Ada Lane or Bo Finch?",
}  # fmt: skip
MORE = {
    "babilong": {"question": "Where is John?", "choices": ["bathroom", "garden", "office"]},
    "option": {"question": "Who called?", "choices": ["Tom", "Mary Ann", "Peter", "Sue"]},
}


def read(metric: str, output: str, answers: list[str]) -> list[str]:
    """The cells of an example behind its accepted answer: final answer, canonical form, score."""
    with watched() as steps:
        score = get(f"{metric}@strict").function(output, EXAMPLE | MORE.get(metric, {}) | {"answers": answers})
    values = [" ".join(str(steps[step]).split()) for step in ("final_answer", "canonical")]
    return [*(f"`{value}`" if value else "(empty)" for value in values), f"{score:.2f}".rstrip("0").rstrip(".")]


EXAMPLES = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in re.findall(r"^\| `.*", PAGE.read_text().partition("### Examples")[2].partition("\n#")[0], re.MULTILINE)
]


def test_an_example_is_what_the_reader_returns() -> None:
    assert len(EXAMPLES) >= 20
    for metric, output, answers, *rest in EXAMPLES:
        said, right = (text.strip("`").replace("\\n", "\n") for text in (output, answers))
        assert rest == read(metric.strip("`"), said, right.split(" / ")), output


# Outputs that a person judged before the answer reader was written (tests/yardstick/README.md) --------------------

FOLDER = Path(__file__).parents[1] / "yardstick"
LEAST = 0.98


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def agrees(case: dict[str, Any]) -> bool:
    """Whether full marks are given exactly to what a person calls right."""
    return (get(case["metric"]).function(case["output"], case["row"]) >= 0.99) == (case["verdict"] == "right")


@pytest.mark.parametrize("name", ["open", "hidden"])
@pytest.mark.parametrize("verdict", ["right", "wrong"])
def test_the_reader_agrees_with_a_person(name: str, verdict: str) -> None:
    judged = [case for case in cases(name) if case["verdict"] == verdict]
    wrong = [case for case in judged if not agrees(case)]
    assert len(judged) - len(wrong) >= LEAST * len(judged), [(case["kind"], case["output"][:80]) for case in wrong]
