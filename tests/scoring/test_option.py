"""Letters that outputs say, on any output: one at most, found in every form of an answer; how outputs keep to the form
(docs/defects/marathon.md D8). Golden cases: tests/metrics/option.json.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring.metrics import get

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


@given(output=OUTPUTS, choices=OPTIONS)
def test_any_output_says_one_letter_at_most_and_has_one_form(output: Any, choices: list[str]) -> None:
    for metric in ("option@strict", "option@official"):
        assert sum(get(metric).function(output, row(choices, at)) for at in range(4)) in (0.0, 1.0)
    assert sum(get(form).function(output, row(choices, 0)) for form in FORMS) == 1.0


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
    for form in ('{"option": "%s"} {"option": "%s"}', "Option %s. No, option %s.", "%s.\n%s."):
        assert letter_of(form % (a, b), choices) == (a if one == other else None)
    assert letter_of(f"Answer: {a}\nAnswer: {b}", choices) == b  # the last cue answers
