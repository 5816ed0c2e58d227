"""The verification of needle rows names every injury; the oracle reads prompts written by hand, and refuses what is not one."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from generators.synthetic import needles_checks as checks
from generators.synthetic.base import GeneratedTask
from generators.synthetic.oracles import needles as oracle
from tests.generators.kit import Injury, Row, assert_named, context, metadata, said, spans
from tests.generators.synthetic import proving, small


@cache
def task(name: str) -> GeneratedTask[Any]:
    entry: dict[str, Any] = {"depths": 3, "unanswerable": True, "distractors": 1} if name == "niah" else {}
    return small.task(name, **entry)


@cache
def _row(name: str, point: int) -> str:
    return json.dumps(proving.row(task(name), "4k", 5, point))


def good(name: str, point: int = 0) -> Row:
    row: Row = json.loads(_row(name, point))
    assert list(task(name).problems(row)) == []
    return row


def first(row: Row, kind: str = "gold") -> Row:
    return spans(row, kind)[0]


def placed(row: Row, text: str) -> None:
    """Put a text over words of the background, and letters over what is left of them."""
    letters = rf"(?<= )[A-Za-z ]{{{len(text) + 2},{len(text) + 9}}}(?= )"
    for match in re.finditer(letters, row["prompt"][: row["context_end"]]):
        begin, end = match.span()
        if begin > row["context_start"] and all(end < s["start"] or begin > s["end"] for s in row["spans"]):
            rest = "q" * (end - begin - len(text) - 1)
            row["prompt"] = f"{row['prompt'][:begin]}{text} {rest}{row['prompt'][end:]}"
            return
    raise AssertionError("no place")


def replaced(row: Row, old: str, new: str) -> None:
    assert len(old) == len(new)
    assert old in row["prompt"]
    row["prompt"] = row["prompt"].replace(old, new, 1)


def decoy_with_a_key(row: Row) -> None:
    value, text = said(row, "gold")[0][:-1].split()[-1], said(row, "decoy")[0]
    row["prompt"] = row["prompt"].replace(text, re.sub(r"\d{7}", value, text))


def line_twice(row: Row) -> None:
    lines = context(row).split("\n")
    last = "\n".join([*lines[:-1], lines[-3]])
    row["prompt"] = row["prompt"][: row["context_start"]] + last + row["prompt"][row["context_end"] :]
    row["context_end"] = row["context_start"] + len(last)


def value_twice(row: Row) -> None:
    values = re.findall(r" is (\d+)\.", row["prompt"][: row["context_end"]])
    assert row["answer_groups"][0][0] not in values[-2:]
    replaced(row, values[-1], values[-2])


def no_needle(row: Row) -> None:
    lines = context(row).split("\n")
    replaced(row, lines[-1], lines[-1].replace("special", "spatial"))


INJURIES: list[tuple[str, int, Injury, str]] = [
    ("niah_single_2", 0, lambda r: first(r).update(start=first(r)["start"] + 1), "a needle's span does not contain a needle"),
    ("niah_multiquery", 0, lambda r: r["spans"].remove(first(r)), "3 needles are requested"),
    ("niah_multikey_1", 0, lambda r: first(r).update(kind="distractor"), "the requested needles are not the needles marked gold"),
    ("niah_multivalue", 0, lambda r: r["spans"].append(dict(r["spans"][-1])), "needles overlap"),
    ("niah_multikey_1", 0, lambda r: r["spans"].remove(first(r, "distractor")), "the number of needles differs from the settings"),
    ("niah_multi", 4, lambda r: r["spans"].remove(first(r, "decoy")), "7 decoys"),
    ("niah_multi", 4, decoy_with_a_key, "a decoy has the words of a needle"),
    ("niah_single_2", 0, lambda r: placed(r, r["answer_groups"][0][0]), "appears outside its needle"),
    ("niah_single_2", 0, lambda r: placed(r, metadata(r)["keys"][0]), "appears outside its needle"),
    ("niah_single_1", 0, lambda r: placed(r, r["answer_groups"][0][0]), "appears outside its needle"),
    ("niah_single_3", 0, lambda r: placed(r, "zzzzzz"), "does not match its background"),
    ("niah_multikey_1", 0, lambda r: r.update(num_distractors=r["num_distractors"] + 1), "num_distractors is not"),
    ("niah_multikey_2", 0, lambda r: r.update(num_distractors=r["num_distractors"] + 1), "num_distractors is not"),
    ("niah_single_2", 0, lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not the number of sentences"),
    ("niah_single_1", 0, lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not the number of lines"),
    ("niah_single_1", 0, lambda r: r.update(depth=0.9), "the row has depth 0.9"),
    ("niah_single_2", 0, lambda r: r.update(depth=0.9), "the row has depth 0.9"),
    ("niah_single_2", 0, lambda r: r.update(depth_index=r["depth_index"] + 2), "is not at depth_index 7"),
    ("niah", 1, lambda r: r.update(depth_index=r["depth_index"] + 1), "is not at depth_index 2"),
    ("niah", 3, lambda r: r.update(depth=0.5), "an unanswerable row has a depth"),
    ("niah", 3, lambda r: r.update(depth_index=2), "one of depth and depth_index is missing"),
    ("niah", 3, lambda r: r.update(variant=None), "0 needles are requested"),
    ("niah_multi", 4, lambda r: r.update(depth=0.6), "the row has depth 0.6"),
    ("niah_single_2", 0, lambda r: r.update(answer_prefix_start=r["answer_prefix_start"] + 8), "no cue at answer_prefix_start"),
    ("niah_multikey_2", 0, line_twice, "a line appears twice"),
    ("niah_multikey_2", 0, value_twice, "a key or a value appears twice"),
    ("niah_multikey_2", 0, no_needle, "a line is not a needle"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "point", "injure", "says"), INJURIES)
def test_the_proof_names_each_injury(name: str, point: int, injure: Injury, says: str) -> None:
    assert_named(task(name), good(name, point), injure, says)


def test_which_needle_has_the_depth_of_the_row() -> None:
    """On a grid the first one asked for in the text; else one of the key named first."""
    golds = [{"kind": "gold", "label": key} for key in ("b", "a")]
    row = {"metadata": '{"keys": ["a", "b"]}', "num_segments": 10, "spans": golds, "variant": None}
    for depth, grid, bins in ((0.4, True, False), (0.6, False, True)):
        said = [bool([*checks.depth_problems({**row, "depth": depth}, [4, 6], depths)]) for depths in (11, 1)]
        assert said == [not grid, not bins]


def test_the_oracle_sees_another_value() -> None:
    row = good("niah_single_2")
    value = row["answer_groups"][0][0]
    row["prompt"] = row["prompt"].replace(value, value[::-1])
    assert task("niah_single_2").solve(row["prompt"]) == [value[::-1]] != row["answers"]


def prompt(context: str, question: str) -> str:
    return f"Anything.\n\n<text>\n{context}\n</text>\n\nQuestion: {question}\nAnswer: The special number is"


ONE = "What is the special number of big-ant in the text above? Answer with the number only."
NONE = " If the text does not give it, answer with the word none."
MANY = "What are the special numbers of big-ant in the text above? Answer with all of them, separated by commas."
TWO = "What are the special numbers of big-ant and old-owl in the text above? "
TEXT = "It rained. The special number of big-ant is 12. The special number of old-owl is 7. The big number of big-ant is 5."


EACH = "Answer with one number for each of them, separated by commas."
ALL = "Answer with all of them, name by name, separated by commas."
THREE = f"{TEXT} The special number of big-ant is 3."
OTHER = "They had long since given big-ant a mark of its own, 0f-a1. All this time big-ant had kept crate 4."
PASS = "The barn number is 1, so somebody wrote 1 at noon. The pass number is 007, so somebody wrote 007 by the open window."


@pytest.mark.parametrize(
    ("context", "question", "answer"),
    [
        (TEXT, ONE, "12"),
        (TEXT, f"{TWO}{EACH}", "12, 7"),
        (TEXT.replace(". ", ".\n"), ONE, "12"),
        ("Nothing at all.", ONE + NONE, "none"),
        (TEXT, ONE + NONE, "12"),
        (TEXT, TWO + "Answer." + NONE, "12, 7"),
        ("Nothing at all.", f"{TWO}{ALL}{NONE}", "none"),
        (THREE, MANY + NONE, "12, 3"),
        (THREE, MANY, "12, 3"),
        (TEXT, MANY, "12"),
        (f"The special number of old-owl is 9. {THREE}", f"{TWO}{ALL}", "12, 3, 9, 7"),
        (OTHER, "According to the text above, which special UUID belongs to big-ant? Answer.", "0f-a1"),
        (PASS, "What is the pass number in the text above? Answer.", "007"),
    ],
)
def test_prompts_written_by_hand(context: str, question: str, answer: str) -> None:
    assert oracle.solve(prompt(context, question)) == [answer]


@pytest.mark.parametrize(
    ("context", "question", "says"),
    [
        (THREE, f"{TWO}Answer with all of them.", r"\[2, 1\] values found, any number"),
        ("Nothing at all.", ONE, r"\[0\] values found, one of each"),
        ("Nothing at all.", MANY, r"\[0\] values found, any number of each"),
        (THREE, ONE, r"\[2\] values found, one of each"),
        ("The special number of big-ant is 12.", TWO + "Answer." + NONE, r"\[1, 0\] values found"),
        (TEXT, "How are you?", "is not a question of a needle task"),
        (
            "The pass number is 1, so somebody wrote 2 by the open window.",
            "What is the pass number in the text above? Answer.", "contradicts itself",
        ),
    ],
)  # fmt: skip
def test_the_oracle_refuses(context: str, question: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        oracle.solve(prompt(context, question))
    with pytest.raises(ValueError, match="no text, question and answer"):
        oracle.solve(prompt(context, question).replace("<text>", ""))
