"""The proof of needle rows names every injury; the oracle reads prompts written by hand, and refuses what is not one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from generators.synthetic import needles_checks as checks
from generators.synthetic.base import GeneratedTask
from generators.synthetic.oracles import needles as oracle
from tests.errors import refused
from tests.generators.synthetic import proving, small

Row = dict[str, Any]


@cache
def task(name: str) -> GeneratedTask[Any]:
    entry: dict[str, Any] = {"depths": 3, "absent": True, "distractors": 1} if name == "niah" else {}
    return small.task(name, **entry)


@cache
def _row(name: str, point: int) -> str:
    return json.dumps(proving.row(task(name), "4k", 5, point))


def good(name: str, point: int = 0) -> Row:
    row: Row = json.loads(_row(name, point))
    assert list(task(name).problems(row)) == []
    return row


def gold(row: Row) -> Row:
    found: Row = next(span for span in row["spans"] if span["kind"] == "gold")
    return found


def said(row: Row, text: str) -> None:
    """Put a text over words of the background, and letters over what is left of them."""
    letters = rf"(?<= )[A-Za-z ]{{{len(text) + 2},{len(text) + 9}}}(?= )"
    for match in re.finditer(letters, row["prompt"][: row["context_end"]]):
        first, last = match.span()
        if first > row["context_start"] and all(last < s["start"] or first > s["end"] for s in row["spans"]):
            rest = "q" * (last - first - len(text) - 1)
            row["prompt"] = f"{row['prompt'][:first]}{text} {rest}{row['prompt'][last:]}"
            return
    raise AssertionError("no place")


def replaced(row: Row, old: str, new: str) -> None:
    assert len(old) == len(new)
    assert old in row["prompt"]
    row["prompt"] = row["prompt"].replace(old, new, 1)


def dropped_gold(row: Row) -> None:
    row["spans"].remove(gold(row))


def moved_span(row: Row) -> None:
    gold(row)["start"] += 1


def as_distractor(row: Row) -> None:
    gold(row)["kind"] = "distractor"


def overlapping(row: Row) -> None:
    row["spans"].append(deepcopy(row["spans"][-1]))


def one_less(row: Row) -> None:
    row["spans"].remove(next(span for span in row["spans"] if span["kind"] == "distractor"))


def without_a_decoy(row: Row) -> None:
    row["spans"].remove(next(span for span in row["spans"] if span["kind"] == "decoy"))


def decoy_with_a_key(row: Row) -> None:
    decoy = next(span for span in row["spans"] if span["kind"] == "decoy")
    value = row["prompt"][gold(row)["start"] : gold(row)["end"] - 1].split()[-1]
    text = row["prompt"][decoy["start"] : decoy["end"]]
    row["prompt"] = row["prompt"].replace(text, re.sub(r"\d{7}", value, text))


def value_elsewhere(row: Row) -> None:
    said(row, row["answer_groups"][0][0])


def key_elsewhere(row: Row) -> None:
    said(row, json.loads(row["extra"])["keys"][0])


def other_word(row: Row) -> None:
    said(row, "zzzzzz")


def line_twice(row: Row) -> None:
    lines = row["prompt"][row["context_start"] : row["context_end"]].split("\n")
    last = "\n".join([*lines[:-1], lines[-3]])
    row["prompt"] = row["prompt"][: row["context_start"]] + last + row["prompt"][row["context_end"] :]
    row["context_end"] = row["context_start"] + len(last)


def value_twice(row: Row) -> None:
    values = re.findall(r" is (\d+)\.", row["prompt"][: row["context_end"]])
    assert row["answer_groups"][0][0] not in values[-2:]
    replaced(row, values[-1], values[-2])


def no_needle(row: Row) -> None:
    lines = row["prompt"][row["context_start"] : row["context_end"]].split("\n")
    replaced(row, lines[-1], lines[-1].replace("special", "spatial"))


def has_index(row: Row) -> None:
    row["depth_index"] = 2


def sets(name: str, value: Any) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        row[name] = row[name] + value if isinstance(value, int) else value

    return change


INJURIES: list[tuple[str, int, Callable[[Row], None], str]] = [
    ("niah_single_2", 0, moved_span, "a needle's span does not hold a needle"),
    ("niah_multiquery", 0, dropped_gold, "3 needles are asked for"),
    ("niah_multikey_1", 0, as_distractor, "needles asked for are not those marked gold"),
    ("niah_multivalue", 0, overlapping, "needles overlap"),
    ("niah_multikey_1", 0, one_less, "the number of needles is not that of every row"),
    ("niah_multi", 4, without_a_decoy, "7 decoys"),
    ("niah_multi", 4, decoy_with_a_key, "a decoy says what a needle says"),
    ("niah_single_2", 0, value_elsewhere, "stands outside its needle"),
    ("niah_single_2", 0, key_elsewhere, "stands outside its needle"),
    ("niah_single_1", 0, value_elsewhere, "stands outside its needle"),
    ("niah_single_3", 0, other_word, "is not the background it names"),
    ("niah_multikey_1", 0, sets("n_distractors", 1), "n_distractors is not"),
    ("niah_multikey_2", 0, sets("n_distractors", 1), "n_distractors is not"),
    ("niah_single_2", 0, sets("n_units", 1), "n_units is not the number of sentences"),
    ("niah_single_1", 0, sets("n_units", 1), "n_units is not the number of lines"),
    ("niah_single_1", 0, sets("depth", 0.9), "the row says depth 0.9"),
    ("niah_single_2", 0, sets("depth", 0.9), "the row says depth 0.9"),
    ("niah_single_2", 0, sets("depth_index", 2), "is not at depth_index 7"),
    ("niah", 1, sets("depth_index", 1), "is not at depth_index 2"),
    ("niah", 3, sets("depth", 0.5), "an absent needle has a depth"),
    ("niah", 3, has_index, "one of depth and depth_index is missing"),
    ("niah", 3, sets("variant", None), "0 needles are asked for"),
    ("niah_multi", 4, sets("depth", 0.6), "the row says depth 0.6"),
    ("niah_single_2", 0, sets("cue_start", 8), "no cue at cue_start"),
    ("niah_multikey_2", 0, line_twice, "a line comes twice"),
    ("niah_multikey_2", 0, value_twice, "a key or a value comes twice"),
    ("niah_multikey_2", 0, no_needle, "a line is no needle"),
]


@pytest.mark.parametrize(("name", "point", "injure", "says"), INJURIES)
def test_the_proof_names_each_injury(name: str, point: int, injure: Callable[[Row], None], says: str) -> None:
    row = good(name, point)
    injure(row)
    assert any(says in problem for problem in task(name).problems(row)), list(task(name).problems(row))


def test_which_needle_has_the_depth_of_the_row() -> None:
    """On a grid the first one asked for in the text; else one of the key named first."""
    golds = [{"kind": "gold", "label": key} for key in ("b", "a")]
    row = {"extra": '{"keys": ["a", "b"]}', "n_units": 10, "spans": golds, "variant": None}
    for depth, grid, bins in ((0.4, True, False), (0.6, False, True)):
        said = [bool([*checks.depth_problems({**row, "depth": depth}, [4, 6], depths)]) for depths in (11, 1)]
        assert said == [not grid, not bins]


def test_the_oracle_sees_another_value() -> None:
    row = good("niah_single_2")
    value = row["answer_groups"][0][0]
    row["prompt"] = row["prompt"].replace(value, value[::-1])
    assert task("niah_single_2").solve(row["prompt"]) == [value[::-1]] != row["answers"]


# -------------------------------------------------------------------------------------------------------------- oracle


def prompt(context: str, question: str) -> str:
    return f"Anything.\n\n<text>\n{context}\n</text>\n\nQuestion: {question}\nAnswer: The special number is"


ONE = "What is the special number of big-ant in the text above? Answer with the number only."
NONE = " If the text does not give it, answer with the word none."
MANY = "What are the special numbers of big-ant in the text above? Answer with all of them, separated by commas."
TWO = "What are the special numbers of big-ant and old-owl in the text above? "
TEXT = "It rained. The special number of big-ant is 12. The special number of old-owl is 7. The big number of big-ant is 5."


@pytest.mark.parametrize(
    ("context", "question", "answer"),
    [
        (TEXT, ONE, "12"),
        (
            TEXT,
            f"{TWO}Answer with one number for each of them, separated by commas.",
            "12, 7",
        ),
        (TEXT.replace(". ", ".\n"), ONE, "12"),
        ("Nothing at all.", ONE + NONE, "none"),
        (TEXT, ONE + NONE, "12"),
        (TEXT, TWO + "Answer." + NONE, "12, 7"),
        ("Nothing at all.", f"{TWO}Answer with all of them, name by name, separated by commas.{NONE}", "none"),
        (f"{TEXT} The special number of big-ant is 3.", MANY + NONE, "12, 3"),
        (f"{TEXT} The special number of big-ant is 3.", MANY, "12, 3"),
        (TEXT, MANY, "12"),
        (
            f"The special number of old-owl is 9. {TEXT} The special number of big-ant is 3.",
            f"{TWO}Answer with all of them, name by name, separated by commas.",
            "12, 3, 9, 7",
        ),
        (
            "When asked about big-ant, she had always said 0f-a1. When asked about big-ant, he looked for crate 4.",
            "According to the text above, which special UUID belongs to big-ant? Answer.",
            "0f-a1",
        ),
        (
            "The barn number is 1, so somebody wrote 1 at noon. The pass number is 007, so somebody wrote 007 by the open window.",
            "What is the pass number in the text above? Answer.",
            "007",
        ),
    ],
)
def test_prompts_written_by_hand(context: str, question: str, answer: str) -> None:
    assert oracle.solve(prompt(context, question)) == [answer]


@pytest.mark.parametrize(
    ("context", "question", "says"),
    [
        (
            f"{TEXT} The special number of big-ant is 3.",
            f"{TWO}Answer with all of them.",
            ("", 2, 1),
        ),
        ("Nothing at all.", ONE, ("", 0)),
        ("Nothing at all.", MANY, ("", 0)),
        (f"{TEXT} The special number of big-ant is 3.", ONE, ("", 2)),
        ("The special number of big-ant is 12.", TWO + "Answer." + NONE, ("", 1, 0)),
        (TEXT, "How are you?", ("", "needle")),
        (
            "The pass number is 1, so somebody wrote 2 by the open window.",
            "What is the pass number in the text above? Answer.",
            ("", "contradicts"),
        ),
    ],
)
def test_the_oracle_refuses(context: str, question: str, says: tuple[object, ...]) -> None:
    with refused(ValueError, *says):
        oracle.solve(prompt(context, question))
    with refused(ValueError, "", "question"):
        oracle.solve(prompt(context, question).replace("<text>", ""))
