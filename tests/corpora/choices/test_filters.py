"""What each filter removes and keeps (cases.yaml), and right options that stand out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from corpora.choices.filters import problem, stands_out
from corpora.choices.form import normal
from corpora.choices.options import Asked

CASES = [
    pytest.param(case, option, reason, id=f"{case['right']}: {option}")
    for case in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
    for option, reason in case["options"].items()
]


@pytest.mark.parametrize(("case", "option", "reason"), CASES)
def test_a_filter_has_the_right_verdict(case: dict[str, str], option: str, reason: str) -> None:
    asked = Asked("q", case.get("question", "What was it?"), normal(case["right"]), (), case.get("evidence", ()))
    assert problem(option, asked, case.get("kept", ())) == reason


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("A very long right answer", ("Short", "Small", "Tiny"), "right_longest"),
        ("Short", ("A long wrong answer", "Another long one", "A third long one"), "right_shortest"),
        ("Sea", ("Lake", "Pond", "Ocean"), ""),
        ("The river bridge", ("The old house", "The new door", "The red roof"), "right_repeats_question"),
        ("The river gate", ("The old house", "The new door", "The red roof"), ""),
    ],
)
def test_a_right_option_that_stands_out_is_named(right: str, wrong: tuple[str, ...], reason: str) -> None:
    assert stands_out(right, wrong, "Which bridge crosses the river?") == reason
