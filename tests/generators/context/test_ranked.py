"""Contexts of ranked units: a longer one holds a shorter one in order, nothing is over its budget, closing a text changes no count."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generators.context import ranked
from generators.context.fit import fit_ranked, prefix_sums
from haymaker.core.rng import Stream
from tests.generators.synthetic import small


def sizes(seed: int, count: int) -> list[int]:
    return [60 + int(word % 16) for word in Stream("sizes", seed).bulk(count).tolist()]


@given(seed=st.integers(0, 99), k=st.sampled_from([4, 5, 8, 16, 32]))
def test_a_longer_context_holds_the_shorter_one_in_order(seed: int, k: int) -> None:
    have, places = sizes(seed, 6_000), Stream("places", seed)
    orders, took = [], []

    def of(count: int) -> np.ndarray:
        took.append(count)
        return np.array(have[:count])

    for length in (f"{k}k", f"{2 * k}k"):
        table = small.table("json_kv", length)
        assert table.tokens is not None
        budget = table.tokens - 300
        ranks = ranked.filling_ranks(of, budget, table.tokens, most=len(have)).tolist()
        assert 0 <= budget - sum(have[rank] for rank in ranks) <= (2 if k > 4 else 20)
        assert ranks == fit_ranked(prefix_sums(have), budget, table.tokens, 24)  # although not all units were measured
        orders.append(ranked.in_drawn_order(ranks, places).tolist())
    assert max(took) < len(have)
    short, long = orders
    assert [rank for rank in long if rank in set(short)] == short
    assert short != sorted(short)


@given(units=st.integers(1, 500), depths=st.lists(st.floats(0, 1), max_size=5))
def test_units_are_put_at_their_depths(units: int, depths: list[float]) -> None:
    order = np.arange(100, 100 + units)
    ranks = list(range(len(depths)))
    made = ranked.inserted(order, ranks, depths).tolist()
    assert [rank for rank in made if rank >= 100] == order.tolist()
    assert sorted(rank for rank in made if rank < 100) == ranks
    for rank, depth in zip(ranks, depths, strict=True):
        others = sum(each >= 100 for each in made[: made.index(rank)])
        assert abs(others - depth * units) <= 0.5


def test_depth_bins_come_in_turn() -> None:
    draws = [ranked.binned(group, 10, Stream("bins", group)) for group in range(40)]
    assert [chosen for chosen, _ in draws[:13]] == [0, 7, 4, 1, 8, 5, 2, 9, 6, 3, 1, 8, 5]
    assert [chosen for chosen, _ in draws] == [(7 * group + group // 10) % 10 for group in range(40)]  # as of needles
    assert all(chosen / 10 <= depth < (chosen + 1) / 10 for chosen, depth in draws)
    for few in range(2, 10):
        assert 0.3 < sum(chosen + 0.5 for chosen, _ in draws[:few]) / few / 10 < 0.6


@given(bins=st.integers(1, 100), cycle=st.integers(1, 15), start=st.integers(0, 2**40))
def test_every_bin_meets_all_that_comes_in_turn_once(bins: int, cycle: int, start: int) -> None:
    """Also where the number of bins has a divisor in common with the step, or with what comes in turn."""

    def chosen(group: int, cycle: int) -> int:
        return ranked.binned(group, bins, Stream("bins"), cycle)[0]

    first = start * bins * cycle
    assert len({(chosen(first + i, cycle), i % cycle) for i in range(bins * cycle)}) == bins * cycle
    assert {chosen(start * bins + i, 1) for i in range(bins)} == set(range(bins))


@given(seed=st.integers(0, 9), below=st.integers(2, 3_000), data=st.data())
def test_distinct_draws_begin_alike(seed: int, below: int, data: st.DataObject) -> None:
    more = data.draw(st.integers(1, below))
    fewer = data.draw(st.integers(0, more))
    many = ranked.distinct(Stream("distinct", seed), more, below).tolist()
    assert len(set(many)) == more and 0 <= min(many) <= max(many) < below
    assert ranked.distinct(Stream("distinct", seed), fewer, below).tolist() == many[:fewer]
