"""The normal form of options, and the form of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.choices.form import in_values, normal
from tests.growth import TIMES, grows


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Twenty-nine years.", "Twenty-nine years"),
        (" it was\n built [12] in 1951[a]. ", "It was built in 1951"),
        ("the U.S.", "The U.S."),
        ("Committee P.", "Committee P"),
        ("(a small house", "A small house"),
        ("a small house)", "A small house"),
        ("Oneness (of God)", "Oneness (of God)"),
        ('"the best of all"', "The best of all"),
        ('He said "yes', "He said yes"),
        ("iPhone", "iPhone"),
        ("He was born in Cadiz, Spain.", "He was born in Cadiz, Spain"),
        ("3,1,2", "3, 1, 2"),
        ("; - ", "-"),
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
