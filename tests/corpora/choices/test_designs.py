"""Sets in which the right option has no place of its own: counted over many questions, within six standard deviations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, permutations
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.choices.designs import Slot, corners, ladder, orders
from corpora.choices.quantities import Quantity, quantities
from haymaker.core.rng import Stream

QUESTIONS = 1200


def balanced(places: Counter[int], options: int) -> None:
    n, share = places.total(), 1 / options
    assert set(places) == set(range(options))
    for count in places.values():
        assert abs(count - n * share) < 6 * sqrt(n * share * (1 - share))


def medoid_chance(texts: Sequence[Sequence[str]]) -> float:
    """Chance of a guesser who takes the option that differs from the others in the fewest places; the right one is first."""
    away = [sum(a != b for other in texts for a, b in zip(own, other, strict=True)) for own in texts]
    best = min(away)
    return (away[0] == best) / away.count(best)


def one(value: int, kind: str = "count", style: str = "digits", decimals: int = 0) -> Quantity:
    return Quantity(0, 1, value, kind, decimals, style)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [2, 3, 4, 6])
@pytest.mark.parametrize("value", [53, 20_300, 1987])
def test_the_rank_of_a_number_is_uniform(options: int, value: int) -> None:
    kind = "year" if value == 1987 else "count"
    places: Counter[int] = Counter()
    for i in range(QUESTIONS):
        others = ladder(one(value, kind), options, Stream(i))
        assert others is not None and len({*others, value}) == options
        places[sum(other < value for other in others)] += 1
    balanced(places, options)


@given(
    st.integers(1, 10**9),
    st.sampled_from(["count", "year", "share"]),
    st.sampled_from(["digits", "words"]),
    st.integers(),
)
def test_a_ladder_has_equal_steps_and_nothing_that_cannot_be(value: int, kind: str, style: str, seed: int) -> None:
    if kind == "year":
        value = 1000 + value % 1100
    if style == "words":
        value = 1 + value % 999
    others = ladder(one(value, kind, style), 4, Stream(seed))
    if others is None:
        return
    values = sorted([value, *others])
    steps = {b - a for a, b in pairwise(values)}
    assert len(steps) == 1 and values[0] > 0
    assert kind != "share" or value > 100 or values[-1] <= 100
    assert kind != "year" or values[-1] <= 2100
    assert style != "words" or values[-1] <= 999
    zeros = [len(str(v)) - len(str(v).rstrip("0")) for v in values if v > 20]
    if kind == "count" and value > 20:
        own = len(str(value)) - len(str(value).rstrip("0"))
        assert max(zeros) <= own, "a rounder wrong value would say that the right one is not round"


def test_small_numbers_take_each_rank_they_can() -> None:
    ranks = {tuple(sorted([2, *(ladder(one(2), 4, Stream(i)) or [])])) for i in range(50)}
    assert ranks == {(1, 2, 3, 4), (2, 3, 4, 5)}


def test_a_value_of_the_evidence_stands_on_the_ladder_where_it_can() -> None:
    for i in range(50):
        others = ladder(one(53), 4, Stream(i), near=[59])
        below = sum(other < 53 for other in others or ())
        assert 59 in (others or ()) or below == 3, "beside the top rank nothing is higher"


@pytest.mark.parametrize("events", [3, 4, 5, 7])
@pytest.mark.parametrize("options", [2, 3, 4])
def test_the_right_order_is_the_nearest_to_the_others_no_more_often_than_chance(events: int, options: int) -> None:
    right, chance, tried = [str(i) for i in range(events, 0, -1)], 0.0, 600
    for i in range(tried):
        others = orders(right, options, Stream(i))
        assert others is not None and len(others) == options - 1
        assert all(sorted(other) == sorted(right) and other != right for other in others)
        assert len({tuple(other) for other in others}) == len(others)
        chance += medoid_chance([right, *others])
    assert abs(chance / tried - 1 / options) < 6 * sqrt(0.25 / tried)


def test_the_place_on_the_ring_of_three_events_is_uniform() -> None:
    places: Counter[int] = Counter()
    ring = [("1", "2", "3"), ("2", "1", "3"), ("2", "3", "1"), ("3", "2", "1"), ("3", "1", "2"), ("1", "3", "2")]
    assert sorted(ring) == sorted(permutations("123"))
    for i in range(QUESTIONS):
        at = {ring.index(tuple(order)) for order in (orders(["2", "3", "1"], 4, Stream(i)) or ())} | {2}  # type: ignore[arg-type]
        (first,) = [start for start in at if (start - 1) % 6 not in at]
        places[(2 - first) % 6] += 1
    balanced(places, 4)


def test_the_order_of_the_list_is_no_option_where_that_can_be() -> None:
    for i in range(200):
        found = orders(["2", "1", "3", "5", "4"], 4, Stream(i))
        assert ["1", "2", "3", "4", "5"] not in (found or ())


@pytest.mark.parametrize("options", [2, 3, 4, 5, 8])
def test_corners_of_changes(options: int) -> None:
    text, chance, tried = "a b c d", 0.0, 600
    slots = [Slot(2 * i, 2 * i + 1, lambda n, _, i=i: [f"{'wxyz'[i]}"] if n == 1 else None) for i in range(4)]
    for i in range(tried):
        found = corners(text, slots, options, Stream(i))
        assert found is not None and len({*found, text}) == options
        chance += medoid_chance([text.split(), *(other.split() for other in found)])
    assert abs(chance / tried - 1 / options) < 6 * sqrt(0.25 / tried)


def test_too_few_changes_make_no_set_and_no_change_is_made_twice() -> None:
    same = [Slot(0, 1, lambda n, _: ["x"]), Slot(2, 3, lambda n, _: ["x", "y"][:n])]
    assert corners("a b", same[:1], 4, Stream(0)) is None
    assert all("x x" not in (corners("a b", same, 4, Stream(i)) or ()) for i in range(20))


def test_numbers_are_written_in_their_own_style() -> None:
    for text, value, wanted in (
        ("20,300", 19_700, "19,700"), ("3.32 Billion", 344, "3.44"), ("Twenty-nine years", 32, "Thirty-two"),
        ("11:05", 130, "2:10"), ("1234 men", 999, "999"),
    ):  # fmt: skip
        (found,) = quantities(text)
        assert found.written(value) == wanted
