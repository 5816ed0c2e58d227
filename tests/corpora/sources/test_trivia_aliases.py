"""Which of TriviaQA's aliases answer, beside a passage."""

from __future__ import annotations

import pytest

from corpora.sources.triviaqa_reading import answering, fault, without_unit


@pytest.mark.parametrize(
    ("passage", "accepted", "kept"),
    [
        (
            "Octopussy is a film, and its song is sung by Rita Coolidge.",
            ["General Orlov", "Octopussy", "Magda (James Bond)", "Octopussy (film)"],
            ("Octopussy", "Octopussy (film)"),
        ),
        ("The liver makes bile.", ["Glisson's sheath", "Liver", "Human livers"], ("Liver",)),
        ("He was held in Khartoum.", ["Capital of Sudan", "Kartoum", "Khartoum"], ("Khartoum", "Kartoum")),
        ("It is in the United Kingdom.", ["UK", "United Kingdom", "Britain"], ("United Kingdom", "UK")),
        ("1600 is the White House.", ["20500", "1600 House", "White House"], ("White House", "1600 House")),
        ("I can't drive 55.", ["fifty-five", "55"], ("55", "fifty-five")),
        ("Nothing of it is said.", ["Rum", "Gin"], ("Rum", "Gin")),
    ],
)
def test_an_alias_is_a_form_of_what_the_passage_says(passage: str, accepted: list[str], kept: tuple[str, ...]) -> None:
    assert answering(accepted, passage) == kept


@pytest.mark.parametrize(
    ("question", "accepted", "numbers"),
    [
        ("In shillings, what was the value of a crown?", ["5 shillings", "Five bob"], ("5",)),
        ("In pence, what was the value of a crown?", ["5 shillings"], ()),
        ("What was the value of a crown?", ["5 shillings"], ()),
        ("In years, how old is it?", ["nine years", "1,200 Years"], ("1,200",)),
    ],
)
def test_a_number_answers_where_the_question_names_its_unit(
    question: str, accepted: list[str], numbers: tuple[str, ...]
) -> None:
    assert without_unit(question, accepted) == numbers


def test_an_example_that_readers_found_wrong_is_known_by_its_question() -> None:
    assert fault("how many moons does the planet  Mars have") and not fault(
        "How many moons does the planet Venus have?"
    )
