"""Chinese numbers: numerals in digits, and texts that are one number with its unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.text.chinese_numbers import Quantity, in_digits, is_date, numbers_in, quantity, same_quantity


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
