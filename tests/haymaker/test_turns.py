"""Kinds take turns in an order."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.rows.interleave import round_robin, round_robin_relations


def test_kinds_take_turns_while_they_last() -> None:
    given = "a1 a2 a3 b1 c1 b2".split()
    assert round_robin(given, lambda item: item[0]) == "a1 b1 c1 a2 b2 a3".split()
    assert round_robin([3, 1, 2], lambda item: "") == [3, 1, 2]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_nothing_is_lost_and_each_kind_keeps_its_order(items: list[tuple[str, int]]) -> None:
    found = round_robin(items, lambda item: item[0])
    assert Counter(found) == Counter(items)
    for kind in "abc":
        assert [item for item in found if item[0] == kind] == [item for item in items if item[0] == kind]


def test_no_answer_fills_the_first_places_of_a_relation() -> None:
    """A diplomat and politician is counted as the politician that most are."""
    jobs = ["politician", "politician", "diplomat|politician", "monk", "politician", "poet"]
    items = [("job", each) for each in jobs] + [("town", "Ghent"), ("town", "Ghent"), ("town", "Lyon")]
    found = round_robin_relations(items, lambda item: item[0], lambda item: item[1].split("|"))
    assert [answer for kind, answer in found if kind == "job"] == [
        "politician", "monk", "poet", "politician", "diplomat|politician", "politician",
    ]  # fmt: skip
    assert [answer for kind, answer in found if kind == "town"] == ["Ghent", "Lyon", "Ghent"]
    assert [kind for kind, _ in found[:4]] == ["job", "town", "job", "town"]
    plain = [("", answer) for answer in ("no", "no", "yes")]
    assert round_robin_relations(plain, lambda item: item[0], lambda item: [item[1]]) == plain
