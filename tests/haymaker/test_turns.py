"""Kinds take turns in an order."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from haymaker.turns import in_turns


def test_kinds_take_turns_while_they_last() -> None:
    assert in_turns(["a1", "a2", "a3", "b1", "c1", "b2"], lambda item: item[0]) == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert in_turns([3, 1, 2], lambda item: "") == [3, 1, 2]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_nothing_is_lost_and_each_kind_keeps_its_order(items: list[tuple[str, int]]) -> None:
    found = in_turns(items, lambda item: item[0])
    assert Counter(found) == Counter(items)
    for kind in "abc":
        assert [item for item in found if item[0] == kind] == [item for item in items if item[0] == kind]
