"""Why an output is wrong: what the marked pieces of a row tell, on rows written here."""

from __future__ import annotations

from typing import Any

import pytest

from haymaker.evaluation.report.error_reasons import error_reason

_BACKGROUND = "The clerk had seen nothing of it, and the rain went on. " * 20


def row(*pieces: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A row whose context is background with these pieces (kind, text) in it."""
    prompt, spans = "", []
    for number, (kind, text) in enumerate(pieces):
        prompt += _BACKGROUND
        span = {"start": len(prompt), "end": len(prompt) + len(text), "kind": kind, "ref": f"{kind}:{number}"}
        spans.append(span | {"title": None, "label": None})
        prompt += text + " "
    told = {"question": "Where is Mary?", "answers": ["bathroom"], "max_new_tokens": 20}
    return (
        dict.fromkeys(("answer_groups", "choices", "answer_index")) | told | {"prompt": prompt, "spans": spans} | more
    )


PLACES = row(
    ("fact", "John went to the office."), ("support", "Mary went to the bathroom."), ("fact", "Mary saw a boat near the kitchen."),
    choices=["bathroom", "garden", "kitchen", "office"],
)  # fmt: skip
NUMBERS = row(
    ("gold", "The number of the cat is 5550123."), ("distractor", "The number of the dog is 7770456."),
    question="What is the number of the cat?", answers=["5550123"],
)  # fmt: skip
PASSAGES = row(
    *(("distractor", f"House {n} was built by Ivo Brant in {1800 + n}, of stone.") for n in range(30)),
    ("gold", "The lighthouse was built by Ana Moro in 1911, of brick."), ("distractor", "The bridge was built by Zoe Quill in 1702."),
    question="Who built the lighthouse?", answers=["Ana Moro"],
)  # fmt: skip
LETTERS = row(
    ("gold", "He came in May."),
    question="When did he come?",
    answers=['{"option": "B"}', "B"],
    choices=["June", "May", "July"],
    answer_index=1,
)
SEVERAL = row(
    ("gold", "1110000"), ("gold", "2220000"), answers=["1110000, 2220000"], answer_groups=[["1110000"], ["2220000"]]
)


@pytest.mark.parametrize(
    ("of", "output", "reason", "detail"),
    [
        (PLACES, " \n", "empty", ""),
        (PLACES, "office", "distractor", "fact:0 “John went to the office.”"),
        (PLACES, "garden", "option", "garden"),
        (PLACES, "bathroom, kitchen, office", "form", "names 3 of the 4 choices"),
        (PLACES, "It was the BATHROOM!", "form", "contains the right answer in a form that the metric does not accept"),
        (PLACES, "word " * 20, "cut", "longer than 20 tokens"),
        (PLACES, "banana", "form", "names none of the 4 choices"),
        (NUMBERS, "It is 7770456.", "distractor", "distractor:1 “The number of the dog is 7770456.”"),
        (NUMBERS, "5,550,123", "form", "contains the right answer in a form that the metric does not accept"),
        (NUMBERS, "9990000", "none", ""),
        (PASSAGES, "in 1911", "gold", "gold:30 “The lighthouse was built by Ana Moro in 1911, of brick.”"),
        (PASSAGES, "It seems to me that it may well have been made by Zoe Quill", "distractor", "distractor:31 “The bridge was built by Zoe Quill in 1702.”"),
        (LETTERS, "C", "option", "C: July"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_wrong_output(of: dict[str, Any], output: str, reason: str, detail: str) -> None:
    found = error_reason(of, output, 0.0)
    assert (found.reason, found.detail) == (reason, detail)
    if reason == "distractor":
        assert found.span is not None and of["spans"][found.span]["ref"] == detail.split()[0]


GERMAN = row(
    ("gold", "Die Nummer der Katze ist 5550123."), ("distractor", "Die Nummer von Berta ist 7770456."),
    question="Welche Nummer hat die Katze?", answers=["5550123"],
)  # fmt: skip
CHINESE = row(
    ("gold", "猫的编号是5550123。"),
    ("distractor", "狗的编号是7770456。"),
    question="猫的编号是多少？",
    answers=["5550123"],
)


@pytest.mark.parametrize(
    ("of", "output", "declined"),
    [
        (GERMAN, "Die Nummer der Katze wird im Dokument nicht genannt.", True),
        (GERMAN, "Es ist nicht bekannt, vielleicht 7770456.", False),  # it names a number
        (CHINESE, "文中没有提到猫的编号。", True),
        (CHINESE, "文章並未提及。", True),
        (CHINESE, "没有提到猫，狗的编号是7770456。", False),
        (PLACES, "I do not know.", True),
    ],
)
def test_who_says_that_it_is_not_there_in_three_languages(of: dict[str, Any], output: str, declined: bool) -> None:
    assert (error_reason(of, output, 0.0).reason == "declined") is declined


def test_what_is_told_of_others() -> None:
    assert error_reason(SEVERAL, "1110000", 0.5) == ("partly", "has 1 of 2 wanted values; missing: 2220000", None)
    assert error_reason(SEVERAL, "whatever", 1.0).reason == "right"
    assert error_reason(NUMBERS, "The number is", 0.0, "length") == ("cut", "cut at the limit", None)
    assert error_reason(NUMBERS, "word " * 50, 0.0, "stop").reason != "cut", "the server says that it ended by itself"


def test_nothing_stops_it() -> None:
    for output in ("\x00" * 3, "\ud800", "İ" * 100, "<think>", "5" * 100_000, "🙂 " * 5_000, "." * 1_000_000):
        for of in (PLACES, NUMBERS, PASSAGES, LETTERS, SEVERAL):
            assert error_reason(of, output, 0.0).reason
