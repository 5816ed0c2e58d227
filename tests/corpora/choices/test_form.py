"""How options are written, and what form an answer has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.choices.form import bare, form_of, normal, order_of
from corpora.choices.quantities import dates, quantities
from haymaker.core.text.english_grammar import number_words
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
        ("; - ", "-"),
        ("", ""),
    ],
)
def test_normal_form(text: str, wanted: str) -> None:
    assert normal(text) == wanted


@given(st.text())
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("No", "yes_no"), ("False, because some people disagree", "yes_no"), ("3,5,1,4,2", "order"), ("II, I, III", "order"),
        ("b, a, c", "order"), ("3,3,1", "text"), ("20,300", "number"), ("Twenty-nine years", "number"),
        ("At least three occasions", "number"), ("$14,000", "number"), ("3.32 Billion", "number"), ("29 March 2022", "date"),
        ("Between 1977 and 2002", "date"), ("In 1951", "date"), ("Paris, Bordeaux and Nantes", "text"), ("Nobody", "text"),
        ("Because he tested positive 12 minutes after he arrived", "text"), ("One man, one vote for all of us", "text"),
    ],
)  # fmt: skip
def test_forms(text: str, form: str) -> None:
    assert form_of(text) == form


def test_orders_and_explanations() -> None:
    assert order_of("2, 1, 3") == ["2", "1", "3"] and order_of("2 men") == []
    assert bare("21 days(from 3 March to 24 March)") == "21 days"
    assert bare("Tawhid (Oneness of God)") == "Tawhid (Oneness of God)"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In 1951 the 20,300 men", [("year", 1951), ("count", 20300)]),
        ("about 3.5% of it", [("share", 35)]),
        ("ten percent", [("share", 10)]),
        ("from 11:30 to 5:03 pm", [("time", 690), ("time", 303)]),
        ("three hundred and four", [("count", 304)]),
        ("COVID-19 and Article49", []),
        ("29 March 2022 and May 3", []),
        ("007", []),
    ],
)
def test_values_in_texts(text: str, found: list[tuple[str, int]]) -> None:
    assert [(each.kind, each.value) for each in quantities(text)] == found


def test_dates_in_texts() -> None:
    assert [day.value for day in dates("on 29 March 2022, May 3rd and 2nd of June")] == [
        (2022, 3, 29),
        (0, 5, 3),
        (0, 6, 2),
    ]


@given(st.integers(2, 999))
def test_numbers_in_words_are_read_as_they_are_written(value: int) -> None:
    (found,) = quantities(f"{number_words(value)} years")
    assert found.value == value and found.written(value) == number_words(value)


@pytest.mark.parametrize("unit", ["1", "1 ", "1% ", "$1,", "1 January 1900, ", "in 1999 ", "twenty-"])
def test_a_text_of_nothing_but_numbers_costs_no_more_than_it_is_long(unit: str) -> None:
    """A source may hold anything: more digits than Python reads, a number per word."""
    found = quantities(unit * (50_000 // len(unit)))
    assert all(len(str(each.value)) <= 24 for each in found)
    assert grows(lambda size: quantities(unit * (size // len(unit))), 5_000) < 2.5 * TIMES


def test_a_code_is_no_number_and_a_long_number_is_one() -> None:
    assert [each.value for each in quantities("of 123,456,789,012,345 and 1234567890123456789012345")] == [
        123456789012345
    ]
