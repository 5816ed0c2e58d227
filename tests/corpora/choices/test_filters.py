"""What each filter removes and keeps (cases.yaml), right options that stand out, and the normal form of options."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from corpora.choices.filters import problem, stands_out
from corpora.choices.form import in_values, normal
from corpora.choices.options import Asked
from tests.growth import TIMES, grows

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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Twenty-nine years.", "Twenty-nine years"),
        (" it was\n built [12] in 1951[a]. ", "It was built in 1951"),
        ("the U.S.", "The U.S."),
        ("a small house)", "A small house"),
        ('"the best of all"', "The best of all"),
        ("", ""),
    ],
)
def test_normal_form(text: str, wanted: str) -> None:
    assert normal(text) == wanted


@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize("unit", ["1", "1 ", "1% ", "$1,", "1 January 1900, ", "in 1999 ", "twenty-"])
def test_a_text_of_nothing_but_numbers_costs_no_more_than_it_is_long(unit: str) -> None:
    assert grows(lambda size: in_values(unit * (size // len(unit))), 5_000) < 2.5 * TIMES
