"""Choosing units to a budget: never over, nearly full, longer ones hold shorter ones; how many shots a natural row takes."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from generators.context import natural, ranked
from generators.context.fit import fit_ranked, prefix_sums
from haymaker.core.errors import BuildError
from haymaker.core.lengths import WORD_RANGES
from haymaker.core.rng import Stream
from tests.errors import refused
from tests.generators.synthetic import small


def sizes_of_passages(key: int, n: int) -> list[int]:
    """About 145 tokens, a few short ends of articles."""
    stream = Stream("passages", key)
    return [20 + stream.below(100) if stream.chance(0.1) else 120 + stream.below(60) for _ in range(n)]


@given(st.integers(0, 10_000), st.sampled_from([4, 8, 16, 32, 128]), st.integers(500, 2_000))
def test_never_over_and_nearly_full(key: int, k: int, around: int) -> None:
    sizes, budget = sizes_of_passages(key, 1_200), k * 1024 - around
    used = sum(sizes[i] for i in fit_ranked(prefix_sums(sizes), budget, k * 1024))
    assert budget - 5 <= used <= budget


@given(
    st.integers(0, 10_000), st.integers(20, 120), st.integers(0, 600), st.integers(900, 3_000), st.floats(0.05, 0.95)
)
def test_a_length_twice_as_long_takes_all(key: int, low: int, more: int, length: int, share: float) -> None:
    stream = Stream("sizes", key)
    sums = prefix_sums(low + stream.below(more + 1) for _ in range(5_000))
    around = int(share * length)
    chosen = [fit_ranked(sums, (length << i) - around, length << i) for i in range(6)]
    for short, long in pairwise(chosen):
        assert set(short) <= set(long)
        assert long == sorted(long)
    longest = chosen[-1]
    assert longest[: len(longest) - 64] == list(range(len(longest) - 64))  # a prefix but for the end


@given(st.lists(st.integers(1, 500), min_size=1, max_size=150), st.integers(-5, 3_000), st.integers(0, 3_000))
def test_any_sizes(sizes: list[int], budget: int, around: int) -> None:
    sums = prefix_sums(sizes)
    if sum(sizes) <= budget:
        with refused(BuildError, "", "filled"):
            fit_ranked(sums, budget, budget + around)
        return
    chosen = fit_ranked(sums, budget, budget + around)
    assert sorted(set(chosen)) == chosen
    assert sum(sizes[i] for i in chosen) <= max(budget, 0)


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


def lengths(sizes, around=0):
    words = np.array(list(accumulate(sizes)), dtype=np.int64) + around
    return lambda count: words[:count]


def test_lengths_of_a_range_come_about_as_often() -> None:
    """From the length of the fewest shots on, to the range's end; the last one to 12,000 words."""
    for length, low, high in (("0-4k", 500, 4000), ("4-8k", 4000, 8000), ("8k+", 8000, 12_000)):
        words = [10 * natural.wanted(length, Stream("e", i), (50, 60), lengths([10] * 2000)) for i in range(600)]
        assert min(words) < low + 90 and max(words) > high - 90 and low <= min(words) and max(words) <= high
        tenths = Counter(int((n - low) / (high - low) * 10) for n in words if n < high)
        assert min(tenths.values()) > 30 and max(tenths.values()) < 100


@given(st.sampled_from(sorted(WORD_RANGES)), st.lists(st.integers(1, 900), min_size=1, max_size=60), st.integers(1, 5), st.integers(0, 2000))  # fmt: skip
def test_a_row_of_a_range_lies_in_it_or_is_missing(length, sizes, fewest, around):
    low, high = WORD_RANGES[length]
    words = lengths(sizes, around)
    try:
        count = natural.wanted(length, Stream("any", around), (fewest, 9), words)
    except BuildError as error:
        assert error.what.startswith(("its words are not", "the shots end before the"))
        return
    found = int(words(count)[-1])
    assert fewest <= count <= len(sizes) and low <= found and (high is None or found < high)


def test_bounds_that_are_mixed_up_are_refused() -> None:
    bounds = TypeAdapter(natural.Bounds)
    assert bounds.validate_python([2, 24]) == (2, 24) and bounds.validate_python([3, 3]) == (3, 3)
    for wrong, what in (([24, 2], ("", 24, 2)), ([0, 2], ("", 1)), ([2], ("", "required"))):
        with refused(ValidationError, *what):
            bounds.validate_python(wrong)
