"""The answer reader on any output: what decides, how long it takes, its steps. Its cases: tests/metrics/reader.json, golden_text.json."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring.metrics import all_metrics, get
from haymaker.scoring.reader import budget_of, canonical
from tests.growth import TIMES, grows

ROW: dict[str, Any] = {
    "answers": ["garden"], "question": "Where is Mary?", "choices": ["garden", "kitchen", "office"], "answer_groups": [["garden"]],
    "max_new_tokens": 20, "language": "en", "category": "qa", "metadata": None, "references": None,
}  # fmt: skip


def score(metric: str, output: str, **columns: Any) -> float:
    return get(f"{metric}@strict").function(output, ROW | columns)


def test_characters_of_a_budget() -> None:
    assert budget_of({"max_new_tokens": 300, "language": "en", "category": "cite"}) == 1800
    assert budget_of({"max_new_tokens": 300, "language": "zh", "category": "qa"}) == 600
    assert budget_of({"max_new_tokens": 300, "language": "en", "category": "code"}) == 1200
    assert budget_of({"max_new_tokens": 16, "language": "en", "category": "qa"}) == 240
    assert budget_of({}) is None
    for metric in all_metrics().values():
        assert ("max_new_tokens" in metric.columns) == metric.id.endswith("@strict") or "@official" in metric.id


@given(st.text(max_size=200))
def test_canonical_words_are_stable(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text) or any(character.isdigit() for character in text)
    assert canonical(f"  {text}\n") == canonical(text)


@given(st.text(max_size=120), st.text(alphabet="abcdefgh", min_size=3, max_size=8))
def test_what_is_behind_the_last_cue_decides(before: str, name: str) -> None:
    output = f"{before.replace('<', ' ').replace('[', ' ').replace('|', ' ')}\nThe final answer is {name}x."
    assert score("em", output, answers=[f"{name}x"]) == 1.0


PIECES = {
    "subem": ["```\n", "A.\n", "answer to ", "kitchen or ", "\\boxed{", '{"a": ', "<think>", "1 234 ", "not ", "\n- x", "so ", "because ", "$x_", "<a ", "\n", " ", "Question: x\n", "1 > "],
    "babilong": ["kitchen or ", "not ", "because "],
    "option": ["A.\n", "kitchen or ", "not "],
    "ruler_f1": ["A.\n", "1 234 ", "\n- x"],
    "ndcg10": ["7", "1 > ", "1 234 ", "\\boxed{"],
    "qampari_f1": ["Question: x\n", "\n- x", "kitchen or ", "A.\n"],
    "longbench_retr": ["1 234 ", "answer to ", "\\boxed{"],
    "code_run": ["1 234 ", "answer to ", "$x_"],
}  # fmt: skip
"""Pieces of an output by metric: one metric takes all of them through the steps that metrics share, others through their own."""


@pytest.mark.parametrize("metric", PIECES)
def test_time_grows_with_the_length_of_an_output(metric: str) -> None:
    """Each output ends in another number: what has been read of one is kept."""
    qrels = '{"qrels": {"52": 3, "57": 2, "26": 1, "12": 0, "80": 0}}'
    answers = ["Paragraph 5" if "retr" in metric else "5"]
    numbers = count()
    for piece in PIECES[metric]:
        size = 1_000 if "{" in piece else 300  # of braces so many are tried

        def work(size: int, piece: str = piece) -> None:
            output = f"{piece * size} {next(numbers)}"
            score(metric, output, max_new_tokens=None, metadata=qrels, answers=answers)

        assert grows(work, size) < 2.5 * TIMES, piece
