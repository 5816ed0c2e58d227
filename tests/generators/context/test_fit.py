"""Choosing units to a budget: never over, nearly full, longer ones hold shorter ones."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from generators.context.fit import fit_ranked, prefix_sums
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from tests.errors import refused


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
