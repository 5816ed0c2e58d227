"""Number tasks: exact counts, the same answer at every length at a stratified depth, no shortcut over a prefix; injuries are named."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from corpora.tokenizers import tokenizer
from generators.synthetic.numbers import TARGETS
from generators.synthetic.oracles import numbers as oracle
from haymaker.core.errors import BuildError, ParamsError
from haymaker.scoring.metrics import get as metric
from tests.generators.kit import context
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import Row, assert_nested, digests, finder, injured, prove, row, units

FIND: list[dict[str, Any]] = [{}, {"negative": True, "bins": 4}]
CALC: list[dict[str, Any]] = [{}, {"low": -99}, {"low": -7, "high": -5}, {"low": -999, "high": 999}]


def listed(row: Row) -> list[int]:
    return [int(each) for each in context(row).split(",")]


# ------------------------------------------------------------------------------------------------------- math_find


@pytest.mark.parametrize("entry", FIND)
def test_lists_are_full_counted_and_solved(entry: dict[str, Any]) -> None:
    task = small.task("math_find", **entry)
    for group in range(7):
        prove(task, row(task, "4k", group))
    for length in ("8k", "64k"):
        prove(task, row(task, length, 6))


@pytest.mark.parametrize("entry", FIND)
def test_longer_lists_hold_shorter_ones_and_answer_the_same(entry: dict[str, Any]) -> None:
    task = small.task("math_find", **entry)
    for group in range(7):
        rows = [row(task, length, group) for length in ("4k", "8k", "16k", "64k")]
        assert_nested(task, rows)
        assert len({each["answers"][0] for each in rows}) == 1


def test_seven_questions_in_turn_have_the_right_answers() -> None:
    """The median is a whole number of the list (the reference's are all fractions, of even lists: docs/spec/synthetic.md D)."""
    task = small.task("math_find", negative=True)
    for group in range(7):
        built = row(task, "8k", group)
        numbers = sorted(listed(built))
        wanted = dict(zip(TARGETS, [*numbers[:-4:-1], *numbers[:3], median(numbers)], strict=True))
        assert built["question"] == f"What is the {TARGETS[group]} number in the list?"
        assert built["answers"] == [str(wanted[TARGETS[group]])]
        assert len(numbers) % 2 == 1
        assert len(set(numbers)) == len(numbers)
        assert min(numbers) < 0 < max(numbers)


def test_a_prefix_does_not_suffice() -> None:
    """docs/spec/synthetic.md D: of the reference's list a few hundred numbers tell the answer, nearly always the same."""
    task = small.task("math_find")
    rows = [row(task, "8k", group) for group in range(0, 7 * 40, 7)]  # "largest" alone
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
    task = small.task("math_find", **entry)
    hits, places = Counter[str](), []
    for group in range(6, 7 * 60, 7):  # "median" alone
        built = row(task, "4k", group)
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
    rows = [row(small.task("math_find", **entry), "4k", 3) for entry in FIND]
    assert [each["metrics"] for each in rows] == [["math_find@strict", "math_find@official"], ["math_find@strict"]]
    for each in rows:
        assert all(metric(name).function(each["answers"][0], each) == 1.0 for name in each["metrics"])
    negative = rows[1]["answers"][0]
    assert negative.startswith("-") and metric("math_find@official").function(negative, rows[1]) == 0.0


def test_planted_numbers_stand_anywhere_and_do_not_stick_out() -> None:
    """The third largest is no further from the fourth than neighbours in a list of this length are now and then."""
    task = small.task("math_find")
    depths, gaps = [], []
    for group in range(60):
        numbers = listed(row(task, "4k", group))
        top = sorted(numbers)[-4:]
        depths += [numbers.index(each) / len(numbers) for each in top[1:]]
        gaps.append((top[1] - top[0]) / ((max(numbers) - min(numbers)) / len(numbers)))
    assert 0.4 < sum(depths) / len(depths) < 0.6
    assert min(depths) < 0.05 and max(depths) > 0.95
    assert max(gaps) < 8 and sum(gap < 1 for gap in gaps) > 20


def test_injuries_of_a_list_are_named() -> None:
    task = small.task("math_find")
    good = row(task, "4k", 0)
    answer, other = good["answers"][0], next(each for each in units(task, good))
    found = finder(task)
    assert found(injured(good, f" {other},", f" {answer},"))[0] == "1 units occur twice"
    assert "the row has 7" in found({**good, "num_segments": 7})[0]
    assert f"the row has {good['depth'] + 0.1}" in found({**good, "depth": good["depth"] + 0.1})[0]
    assert found({**good, "answers": [other]}) == ["the requested number is not at its span"]
    fewer = good["num_segments"] - 1
    shorter = {
        **good,
        "context_end": good["context_end"] - len(" 1234567,"),
        "num_segments": fewer,
        "num_unique_segments": fewer,
    }
    assert found(shorter)[0] == "the list has no middle"


def test_the_oracle_of_lists() -> None:
    def answers_of(numbers: str, what: str) -> list[str]:
        return oracle.find(f"x <numbers> {numbers} </numbers>\n\nWhat is the {what} number in the list?\nAnswer:")

    assert [answers_of("5, -3, 9, 7, 1", each)[0] for each in TARGETS] == ["9", "7", "5", "-3", "1", "5", "5"]
    with pytest.raises(ValueError, match="even list"):
        answers_of("1, 2", "median")
    with pytest.raises(ValueError, match="more than once"):
        answers_of("1, 2, 2", "largest")
    with pytest.raises(ValueError, match="no question"):
        answers_of("1, 2, 3", "fourth largest")


# ------------------------------------------------------------------------------------------------------- math_calc


@pytest.mark.parametrize("entry", CALC)
def test_calculations_are_full_counted_and_solved(entry: dict[str, Any]) -> None:
    task = small.task("math_calc", **entry)
    for length, group in (*(("4k", group) for group in range(5)), ("32k", 0)):
        prove(task, row(task, length, group))


def test_a_longer_calculation_goes_on_where_the_shorter_one_ends() -> None:
    task = small.task("math_calc")
    rows = [row(task, length, 3) for length in ("4k", "8k", "64k")]
    assert_nested(task, rows)
    for short, long in pairwise(rows):
        assert long["answers"][0].startswith(short["answers"][0] + ", ")
        assert units(task, long)[: short["num_segments"]] == units(task, short)


def test_the_answer_has_its_room_inside_the_length() -> None:
    """The stored answer and the prompt fit the length together."""
    task, tekken = small.task("math_calc"), tokenizer.load("tekken")
    built = row(task, "8k", 0)
    whole = tekken.count(f"{built['prompt']} {built['answers'][0]}")
    assert built["max_new_tokens"] == built["reserved_output_tokens"]
    assert whole + 16 + built["reserved_template_tokens"] + built["unused_tokens"] == built["length_tokens"]


def test_values_are_negative_too_and_keep_to_their_range() -> None:
    """docs/spec/synthetic.md D: negative intermediate values are impossible in the reference."""
    values = [int(each) for each in row(small.task("math_calc", low=-99), "16k", 0)["answers"][0].split(", ")]
    assert -99 <= min(values) < -90 and 90 < max(values) <= 99
    assert 0.4 < sum(value < 0 for value in values) / len(values) < 0.6
    values = [int(each) for each in row(small.task("math_calc"), "16k", 0)["answers"][0].split(", ")]
    assert 0 <= min(values) < 5 and 95 < max(values) <= 99


@pytest.mark.parametrize(
    ("low", "metrics"), [(0, ["math_calc@strict", "math_calc@official"]), (-99, ["math_calc@strict"])]
)
def test_the_stored_answer_is_right_by_every_metric_of_its_row(low: int, metrics: list[str]) -> None:
    """Ours 17.7: the official metric reads no sign and gave the right answer 0.1 %."""
    found = row(small.task("math_calc", low=low), "4k", 0)
    assert found["metrics"] == metrics
    assert [metric(name).function(found["answers"][0], found) for name in metrics] == [1.0] * len(metrics)


def test_injuries_of_a_calculation_are_named() -> None:
    task = small.task("math_calc")
    good = row(task, "4k", 0)
    values = good["answers"][0].split(", ")
    found = finder(task)
    assert "the number of values is not the number of steps" in found({**good, "answers": [", ".join(values[:-1])]})[0]
    assert "an intermediate value is out of range" in found({**good, "answers": [", ".join(["100", *values[1:]])]})
    assert "a step changes nothing" in found({**good, "answers": [", ".join([values[1], *values[1:]])]})
    margin = "the output budget is not the tokens of the answer plus the margin"
    assert found({**good, "max_new_tokens": good["max_new_tokens"] + 1}) == [margin]
    less = "the stored answer takes more than the 100 tokens of the output budget"
    assert found({**good, "max_new_tokens": 100}) == [less, margin]
    head, calculation = good["prompt"].split("<calculation>")
    flipped = re.sub("[+-]", lambda sign: {"+": "-", "-": "+"}[sign[0]], calculation, count=1)
    assert oracle.calculate(f"{head}<calculation>{flipped}") != good["answers"]


def test_the_oracle_of_calculations() -> None:
    def solved(text: str) -> list[str]:
        return oracle.calculate(f"x <calculation> {text} </calculation>\n\nValues:")

    assert solved("4 + 9 - 15 + 2") == ["13, -2, 0"]
    assert solved("-4 - 9 - 0") == ["-13, -13"]
    for wrong in ("4", "4 * 2", "4 + 2 +", "4 + -2"):
        with pytest.raises(ValueError, match="no calculation"):
            solved(wrong)


# --------------------------------------------------------------------------------------------------------- mistakes


def test_mistakes_are_refused_in_one_line() -> None:
    with pytest.raises(BuildError, match=r"synthetic_math_find_2M test: 81,\d+ units have 1,4\d+,\d+ tokens"):
        row(small.task("math_find"), "2M", 0)
    with pytest.raises(BuildError, match=r"synthetic_math_calc_1k: no choice of units fills"):
        for group in range(10):
            row(small.task("math_calc"), "1k", group)
    with pytest.raises(ParamsError, match="high must be at least low"):
        small.task("math_calc", low=5, high=6)
    with pytest.raises(ParamsError, match="high"):
        small.task("math_calc", high=1000)


def test_the_limit_of_lists_is_honest() -> None:
    task = small.task("math_find")
    limit = task.limit()
    assert limit is not None and 1_400_000 < limit < 1_500_000
    built = row(task, f"{limit * 98 // 102_400}k", 6)
    assert 0 <= built["unused_tokens"] < 20
    assert small.task("math_calc").limit() is None


# --------------------------------------------------------------------------------------------------------- by heart


def test_first_rows_by_heart() -> None:
    """A changed byte is a new version of the suite (versions.yaml)."""
    built = row(small.task("math_find"), "4k", 6)
    assert built["prompt"].startswith(
        "Below is a list of integers in no particular order, all of them different. Find the number that the question after the "
        "list asks for, and reply with that number only. The median is the middle number of the sorted list: as many numbers are "
        f"smaller than it as are larger.\n\n<numbers> {listed(built)[0]}, "
    )
    end = f", {listed(built)[-1]} </numbers>\n\nWhat is the median number in the list?\nAnswer:"
    assert built["prompt"].endswith(end)
    built = row(small.task("math_calc"), "4k", 0)
    assert built["prompt"].startswith(
        "Below is a calculation. Work through it from left to right and write the value after each step, in order and separated "
        "by commas, and nothing else. For example, the answer for 4 + 9 - 5 + 2 is: 13, 8, 10\n\n<calculation> 80 + 9 - 71 + 4 + 71 - "
    )
    assert built["answers"][0].startswith("89, 18, 22, ")
    assert digests(*(("math_find", entry) for entry in FIND)) == ["885600736c6e", "c8388b80303b"]
    known = ["d49674ae044e", "f064552625ff", "3e34e5091b81", "64517d050719"]
    assert digests(*(("math_calc", entry) for entry in CALC)) == known
