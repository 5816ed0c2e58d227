"""Letters that outputs say, on any output: one at most, found in every form of an answer; how outputs keep to the form
(docs/defects/marathon.md D8). Golden cases: tests/metrics/option.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import get
from scoring.metrics.choices import form_of

CASES = json.loads((Path(__file__).parents[1] / "metrics/option.json").read_text(encoding="utf-8"))
FORMS = [f"option_{form}@strict" for form in ("json", "like", "plain")]
NAMES = st.from_regex(r"[B-Z][b-z]{3,8}( [B-Z][b-z]{3,8})?", fullmatch=True)
OPTIONS = st.lists(NAMES, min_size=4, max_size=4, unique_by=str.lower)
PIECES = [
    '{"option": "', '"}', "{", "}", '"answer":', "option", "Answer: ", "A", "b", "C. ", "E", "I ", "(", ")", ".", ",", " or ", "\n",
    "A dog", "</think>", "\x00", "Ｂ", "①", "```json\n", "the answer is ", "not ", "²", "  ", '\\"', "NaN", "[", "[[",
]  # fmt: skip
OUTPUTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.none())


def row(choices: list[str], at: int) -> dict[str, Any]:
    letter = "ABCDEF"[at]
    return {
        "answers": [f'{{"option": "{letter}"}}', letter, f"{letter}. {choices[at]}"],
        "choices": choices,
        "question": "",
    }


def letter_of(output: Any, choices: list[str]) -> str | None:
    """The letter for which an output is right."""
    right = ["ABCDEF"[at] for at in range(len(choices)) if get("option@strict").function(output, row(choices, at))]
    assert len(right) <= 1
    return right[0] if right else None


def test_the_table_has_many_cases() -> None:
    outputs = {case["output"] for case in CASES if case["metric"] == "option@strict"}
    assert len(outputs) > 110


@given(output=OUTPUTS, choices=OPTIONS)
def test_any_output_says_one_letter_at_most_and_has_one_form(output: Any, choices: list[str]) -> None:
    for metric in ("option@strict", "option@official"):
        assert sum(get(metric).function(output, row(choices, at)) for at in range(4)) in (0.0, 1.0)
    assert sum(get(form).function(output, row(choices, 0)) for form in FORMS) == 1.0


@pytest.mark.parametrize(
    "form",
    [
        '{"option": "%s"}', "{'option': '%s'}", '```json\n{"option": "%s"}\n```', '{"option": "%s', "Answer: %s", "%s", "%s.", "(%s)",
        "**%s**", "The answer is %s.", "Option %s", "I choose %s", "It says so.\n%s", "<think>A? B? C?</think>%s",
    ],
)  # fmt: skip
@given(choices=OPTIONS, at=st.integers(0, 3))
def test_a_letter_is_found_in_every_form(form: str, choices: list[str], at: int) -> None:
    assert letter_of(form % "ABCD"[at], choices) == "ABCD"[at]
    assert get("option@strict").function(form % "ABCD"[at], row(choices, (at + 1) % 4)) == 0.0


@given(choices=OPTIONS, at=st.integers(0, 3))
def test_every_stored_answer_is_right_and_so_is_the_text_alone(choices: list[str], at: int) -> None:
    asked = row(choices, at)
    for answer in (*asked["answers"], choices[at], choices[at].upper()):
        assert get("option@strict").function(answer, asked) == 1.0
    assert get("option_json@strict").function(asked["answers"][0], asked) == 1.0
    assert get("option_json@strict").function("", asked) == get("option@strict").function("", asked) == 0.0


@given(choices=OPTIONS, one=st.integers(0, 3), other=st.integers(0, 3))
def test_of_two_letters_none_is_guessed(choices: list[str], one: int, other: int) -> None:
    a, b = "ABCD"[one], "ABCD"[other]
    for form in (
        '{"option": "%s"} {"option": "%s"}',
        "Option %s. No, option %s.",
        "%s.\n%s.",
    ):
        assert letter_of(form % (a, b), choices) == (a if one == other else None)
    assert letter_of(f"Answer: {a}\nAnswer: {b}", choices) == b  # the last cue answers


def test_texts_that_are_letters_themselves_are_read_as_letters() -> None:
    choices = ["B", "A", "D", "C"]
    assert [letter_of(output, choices) for output in ("B", '{"option": "B"}', "Answer: C")] == ["B", "B", "C"]


def test_an_option_with_marks_alone_is_told_apart() -> None:
    assert letter_of("-3", ["3", "-3", "3.0", "30"]) == "B"
    assert letter_of('{"option": "3"}', ["3", "-3", "3.0", "30"]) == "A"


def test_letters_go_as_far_as_there_are_options() -> None:
    assert letter_of("C", ["yes", "no"]) is None
    assert letter_of('{"option": "F"}', list("uvwxyz")) == "F"


@pytest.mark.parametrize(
    "output", ["{" * 200_000, '{"option":' * 50_000, "answer " * 100_000, "answer is" + " " * 500_000 + "B", "\n" * 500_000 + "B", "A. x\n" * 50_000]
)  # fmt: skip
def test_long_outputs_are_read(output: str) -> None:
    assert letter_of(output, ["a dog", "b cat", "c cow", "d hen"]) in ("A", "B", None)
    assert form_of(output, 4) in ("like", "plain")
