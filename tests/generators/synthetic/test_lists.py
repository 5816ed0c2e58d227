"""Tasks of lists: pairs of a JSON object, numbers and calculations, functions of a file; no shortcut over a part of the list."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from corpora.tokenizers import tokenizer
from generators.synthetic.code import Code
from generators.synthetic.numbers import TARGETS
from haymaker.scoring.metrics import get as metric
from tests.generators.kit import Row, context, said
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import made, row, task_of

FIND: list[dict[str, Any]] = [{}, {"negative": True, "bins": 4}]


def pairs_of(row: Row) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = json.loads(context(row), object_pairs_hook=list)
    return found


def listed(row: Row) -> list[int]:
    return [int(each) for each in context(row).split(",")]


# ----------------------------------------------------------------------------------------------------------- pairs


def test_the_asked_pair_moves_and_the_rest_stays() -> None:
    """docs/spec/synthetic.md C: six evenly spaced depths."""
    rows = [row("json_kv", "8k", 4, point) for point in range(6)]
    assert len({(*sorted(pairs_of(each)), each["question"], each["num_segments"]) for each in rows}) == 1
    for point, each in enumerate(rows):
        place = [key for key, _ in pairs_of(each)].index(each["question"])
        assert abs(place - point / 5 * (each["num_segments"] - 1)) <= 0.5
        assert each["depth_index"] == point
    assert pairs_of(rows[0])[0] == pairs_of(rows[5])[-1] == (rows[0]["question"], rows[0]["answers"][0])


def test_worked_examples_are_other_pairs_of_the_object() -> None:
    """docs/spec/synthetic.md C: the worked examples must not be the queried pair."""
    for group in range(3):
        each = row("json_kv", "4k", group, 1)
        shown = [tuple(line.split(": ")[1] for line in demo.split("\n")) for demo in said(each, "fewshot")]
        assert len(set(shown)) == 2
        assert set(shown) <= set(pairs_of(each)) - {(each["question"], each["answers"][0])}


def test_near_keys_are_near_and_not_the_key() -> None:
    built = made("json_kv", "8k", 0, distractors=20)
    keys = [text[1:37] for text in said(built, "distractor")]
    assert len(set(keys)) == built["num_distractors"] == 20
    assert {sum(a != b for a, b in zip(key, built["question"], strict=True)) for key in keys} == {2}
    words = made("json_kv", "8k", 0, keys="word", distractors=20)
    keys, query = [text.split('"')[1] for text in said(words, "distractor")], words["question"].split("-")
    same = {tuple(a == b for a, b in zip(key.split("-"), query, strict=True)) for key in keys}
    assert len(set(keys)) == 20 and same == {(True, False), (False, True)}


def test_depths_of_groups_sweep_evenly() -> None:
    """docs/spec/synthetic.md D: an even sweep; docs/defects/synthetic.md A5 #7: depths not stratified."""
    rows = [made("kv_retrieval", "4k", group, bins=5) for group in range(20)]
    assert [built["depth_index"] for built in rows] == [0, 3, 1, 4, 2, 1, 4, 2, 0, 3, 2, 0, 3, 1, 4, 3, 1, 4, 2, 0]
    for built in rows:
        half = 0.5 / (built["num_segments"] - 1)
        assert built["depth_index"] / 5 - half <= built["depth"] <= (built["depth_index"] + 1) / 5 + half
    assert len({built["depth"] for built in rows}) > 15


def test_rows_are_rounded_up_to_whole_groups(tmp_path: Path) -> None:
    built = small.suite(tmp_path, {"json_kv": {"lengths": {"4k": 7, "8k": 12}}})
    assert [table.rows for table in built.tables()] == [12, 12]
    assert built.entries["json_kv"].rounded == {7: 12}


# --------------------------------------------------------------------------------------------------------- numbers


def test_seven_questions_in_turn_have_the_right_answers() -> None:
    """The median is a whole number of the list (the reference's are all fractions, of even lists: docs/spec/synthetic.md D)."""
    for group in range(7):
        built = row("find_negative", "8k", group)
        numbers = sorted(listed(built))
        wanted = dict(zip(TARGETS, [*numbers[:-4:-1], *numbers[:3], median(numbers)], strict=True))
        assert built["question"] == f"What is the {TARGETS[group]} number in the list?"
        assert built["answers"] == [str(wanted[TARGETS[group]])]
        assert len(numbers) % 2 == 1
        assert len(set(numbers)) == len(numbers)
        assert min(numbers) < 0 < max(numbers)


def test_a_prefix_does_not_suffice() -> None:
    """docs/spec/synthetic.md D: of the reference's list a few hundred numbers tell the answer, nearly always the same."""
    rows = [row("math_find", "8k", group) for group in range(0, 7 * 40, 7)]  # "largest" alone
    seen = 0
    for built in rows:
        numbers = listed(built)
        seen += str(max(numbers[: len(numbers) // 4])) == built["answers"][0]
        assert numbers.count(int(built["answers"][0])) == 1
    assert 8 <= seen <= 14  # a quarter of the list, a quarter of the answers, bins by turn
    assert len({built["answers"][0] for built in rows}) == 40
    assert Counter(built["depth_index"] for built in rows) == dict.fromkeys(range(10), 4)
    for built in rows:
        half = 0.5 / (built["num_segments"] - 1)
        assert built["depth_index"] / 10 - half <= built["depth"] <= (built["depth_index"] + 1) / 10 + half


@pytest.mark.parametrize("entry", FIND)
def test_no_rule_that_does_not_sort_finds_the_median(entry: dict[str, Any]) -> None:
    """Neither the middle of the range, nor the mean, nor the middle of all numbers there are; the median lies off the middle."""
    hits, places = Counter[str](), []
    for group in range(6, 7 * 60, 7):  # "median" alone
        built = made("math_find", "4k", group, **entry)
        numbers, answer = listed(built), int(built["answers"][0])
        low, high = min(numbers), max(numbers)
        middle = 0 if entry else 5_500_000
        rules = {"range": (low + high) / 2, "mean": sum(numbers) / len(numbers), "all": middle}
        hits.update(name for name, at in rules.items() if min(numbers, key=lambda n: abs(n - at)) == answer)
        places.append((answer - low) / (high - low))
    assert max(hits.values(), default=0) <= 3  # of 60
    assert 0.3 < min(places) < 0.4 < 0.6 < max(places) < 0.7
    assert 0.45 < sum(places) / len(places) < 0.55


def test_rows_with_negative_numbers_have_no_metric_that_reads_no_sign() -> None:
    """docs/spec/synthetic.md D: the reference's scorer finds a run of digits, so a stored "-1234567" would get 0."""
    rows = [made("math_find", "4k", 3, **entry) for entry in FIND]
    assert [each["metrics"] for each in rows] == [["math_find@strict", "math_find@official"], ["math_find@strict"]]
    for each in rows:
        assert all(metric(name).function(each["answers"][0], each) == 1.0 for name in each["metrics"])
    negative = rows[1]["answers"][0]
    assert negative.startswith("-") and metric("math_find@official").function(negative, rows[1]) == 0.0
    calculated = [made("math_calc", "4k", 0, low=low) for low in (0, -99)]
    assert [each["metrics"] for each in calculated] == [
        ["math_calc@strict", "math_calc@official"],
        ["math_calc@strict"],
    ]
    assert metric("math_calc@official").function(calculated[0]["answers"][0], calculated[0]) == 1.0


def test_planted_numbers_stand_anywhere_and_do_not_stick_out() -> None:
    """The third largest is no further from the fourth than neighbours in a list of this length are now and then."""
    depths, gaps = [], []
    for group in range(60):
        numbers = listed(row("math_find", "4k", group))
        top = sorted(numbers)[-4:]
        depths += [numbers.index(each) / len(numbers) for each in top[1:]]
        gaps.append((top[1] - top[0]) / ((max(numbers) - min(numbers)) / len(numbers)))
    assert 0.4 < sum(depths) / len(depths) < 0.6
    assert min(depths) < 0.05 and max(depths) > 0.95
    assert max(gaps) < 8 and sum(gap < 1 for gap in gaps) > 20


def test_the_answer_has_its_room_inside_the_length() -> None:
    """The stored answer and the prompt fit the length together."""
    built = row("math_calc", "8k")
    whole = tokenizer.load("tekken").count(f"{built['prompt']} {built['answers'][0]}")
    assert built["max_new_tokens"] == built["reserved_output_tokens"]
    assert whole + 16 + built["reserved_template_tokens"] + built["unused_tokens"] == built["length_tokens"]


def test_values_are_negative_too_and_keep_to_their_range() -> None:
    """docs/spec/synthetic.md D: negative intermediate values are impossible in the reference."""
    signed, plain = (
        [int(each) for each in row(case, "8k")["answers"][0].split(", ")] for case in ("calc_negative", "math_calc")
    )
    assert -99 <= min(signed) < -90 and 90 < max(signed) <= 99
    assert 0.4 < sum(value < 0 for value in signed) / len(signed) < 0.6
    assert 0 <= min(plain) < 5 and 95 < max(plain) <= 99


# ------------------------------------------------------------------------------------------------------- functions


def executed(row: Row) -> str:
    """The answer by Python itself."""
    names: dict[str, Any] = {}
    exec(context(row), names)
    call = row["question"].removeprefix("What does ").removesuffix(" return?")
    return str(eval(call, names))


def test_layers_and_depths_come_in_turn() -> None:
    rows = [row("code_run", "4k", group) for group in range(50)]
    layers = [json.loads(each["metadata"])["layers"] for each in rows]
    assert layers == [2, 4, 6, 8, 10] * 10
    assert [each["depth_index"] for each in rows[:10]] == [0, 7, 4, 1, 8, 5, 2, 9, 6, 3]  # few rows: all depths
    assert len({(n, each["depth_index"]) for n, each in zip(layers, rows, strict=True)}) == 50
    for each in rows:
        assert abs(each["depth"] - (each["depth_index"] + 0.5) / 10) <= 0.05 + 10 / each["num_segments"]
    others = [span["start"] / len(each["prompt"]) for each in rows for span in each["spans"] if span["ref"] == "call:1"]
    assert min(others) < 0.1 and max(others) > 0.9 and 0.4 < sum(others) / len(others) < 0.6
    assert len({each["answers"][0] for each in rows}) > 20  # guessing does not pay
    assert all(executed(each) == each["answers"][0] for each in rows[:10])


def test_other_functions_look_like_those_that_are_called() -> None:
    """Every layer is as large, every number is added as often, and no line tells by its form that the answer runs over it."""
    lines = context(row("code_run", "16k", 2)).split("\n")
    ends = sum("return x" in line for line in lines)
    assert abs(ends / len(lines) - 1 / 6) < 0.02
    added = {re.split(r"return x |\(x\) (?=[+-])", line)[1] for line in lines}
    assert added == {f"{'+' if n >= 0 else '-'} {abs(n)}" for n in range(-12, 18)}
    names = [line.split("(")[0].removeprefix("def ") for line in lines]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)


def test_no_choice_at_the_end_of_a_context_can_leave_out_a_callee() -> None:
    """fit_ranked takes or leaves ranks of a window of 64: what a function calls stands before its window."""
    task = task_of("code_run")
    assert isinstance(task, Code)
    for group in range(3):
        built = task.functions(task.pool("test").candidate(group))
        called = built.called(5_000)
        last = np.arange(5_000) % built.layers == built.layers - 1
        assert ((called < 0) == last).all()
        assert (called < np.maximum(built.fixed, np.arange(5_000) - 64)).all()
        assert (called[~last] % built.layers == np.arange(5_000)[~last] % built.layers + 1).all()
