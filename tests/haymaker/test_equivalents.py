"""Equivalent forms of answers: every form that once scored stays equal to a listed one, near misses stay apart. Chinese numbers in digits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.chinese_numbers import Quantity, in_digits, is_date, numbers_in, quantity, same_quantity
from haymaker.core.text.equivalents import accepted, equivalents, origins, with_equivalents
from haymaker.scoring.reader import canonical

PAIRS = json.loads(Path(__file__).with_name("equivalents.json").read_text())


def same(gold: str, output: str) -> bool:
    """Whether an output is an accepted answer or one of its equivalent forms."""
    return canonical(output) in map(canonical, [gold, *equivalents(gold)])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['gold']} | {pair['output']}")
def test_pair(pair: dict[str, str]) -> None:
    assert same(pair["gold"], pair["output"]) == pair["same"]


def test_forms_are_few_different_and_more_than_a_number_and_forms_of_forms_are_known() -> None:
    """A compressed row copies the answers of another row."""
    for gold in {pair["gold"] for pair in PAIRS}:
        forms = equivalents(gold)
        assert len(forms) <= 12, gold
        tokens = [canonical(form) for form in (gold, *forms)]
        assert len(set(tokens)) == len(tokens) or set("$\\") & set(gold)
        assert not any(re.fullmatch(r"[\d.,]*|[a-z]", form) for form in forms), gold
        found = with_equivalents([gold])
        assert with_equivalents(found)[: len(found)] == found


def test_forms_follow_the_given_answers_without_repetitions() -> None:
    assert with_equivalents(["4 May 1990", "Star Wars Day", "May 4, 1990"])[:4] == [
        "4 May 1990", "Star Wars Day", "May 4, 1990", "4 of May 1990",
    ]  # fmt: skip
    found = with_equivalents(["100 metres", "100 m", "100"])
    assert found == ["100 metres", "100 m", "100", "100 meters", "100m", "100 meter", "100 metre"]
    assert with_equivalents(found) == found


@pytest.mark.parametrize(
    ("metrics", "answer", "listed"),
    [
        (["subem@strict", "subem@official"], "4 June 1990", 6),
        (["babilong@strict"], "gray", 2),
        (["qampari_f1@strict"], "4 June 1990", 6),
        (["kv@strict", "subem@strict"], "4 May 1990", 1),
        (["ruler_f1@strict"], "gray", 1),
        (["mc@strict"], "gray", 1),
        (["f1@strict"], "On that cold and very early morning of 4 May 1990 they left for Ulm", 1),
    ],
)
def test_rows_list_forms_of_short_answers_if_the_primary_metric_compares_free_text(
    metrics: list[str], answer: str, listed: int
) -> None:
    assert len(accepted([answer], metrics)) == listed


def test_the_given_answers_are_found_again_in_rows_with_and_without_forms() -> None:
    metrics, date = ["subem@strict"], ["7 September 1927", "September 7, 1927"]
    assert next(origins(accepted(["1966-1967", "two years"], metrics), metrics)) == ["1966-1967", "two years"]
    assert date in list(origins(accepted(date, metrics), metrics))
    assert next(origins(date, metrics)) == date  # of an earlier release, whose rows list no forms


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("全年接待国内外游客四百三十万人次", "全年接待国内外游客4300000人次"),
        ("三万五千亿元，百分之三点五", "3500000000000元，3.5%"),
        ("1.2万亿元和3亿5千万", "1200000000000元和350000000"),
        ("一九九四年四月，第八十九届", "1994年4月，第89届"),
        ("两百零五个", "205个"),
        ("张三在三亚看《一千零一夜》，万小霞在四川十堰", "张三在三亚看《一千零一夜》，万小霞在四川十堰"),
        ("三分之一", "三分之一"),
    ],
)
def test_numerals_before_a_unit_and_myriads_are_digits(text, plain):
    assert in_digits(text) == plain


@pytest.mark.parametrize(
    "text", ["", "场", "200-300元", "超过40年", "三十多人", "40年前", "007", "2012年6月2日", "3个或4个"]
)
def test_bounds_ranges_and_dates_are_no_quantities(text):
    assert quantity(text) is None


def test_units_that_exclude_each_other():
    seven = Quantity("7", "场")
    assert all(same_quantity(Quantity("7", unit), seven) for unit in ("", "场", "个"))
    assert not any(
        same_quantity(each, seven) for each in (Quantity("8", "场"), Quantity("7", "天"), Quantity("7", "人"))
    )
    assert not same_quantity(Quantity("7", "天"), Quantity("7", "个"))


@pytest.mark.parametrize(("text", "whole"), [("2011年8月2日15时许。", True), ("2020-08-27", True), ("六月二日", True), ("2020年", False), ("8月在京", False)])  # fmt: skip
def test_dates(text, whole):
    assert is_date(text) is whole


@given(st.integers(0, 10**12))
def test_numbers_are_found_as_they_are(number):
    assert numbers_in(f"共{number}元") == {str(number)} and quantity(f"共{number}元") == (str(number), "元")


@given(st.text("零一二两三十百千万亿点0129.年个%第百分之 ", max_size=40))
def test_any_text_is_read(text):
    quantity(text), numbers_in(text), is_date(text)
