"""Contexts of whole units: never over, nearly full, nested, joined and counted exactly."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tokenizer
from corpora.passages import OPENER, SEPARATOR, unit
from generators.units import Labels, Units, fit, prefix_sums
from haymaker.errors import BuildError
from haymaker.rng import Stream

ENDING = SEPARATOR + OPENER


def sizes_of_passages(key: int, n: int) -> list[int]:
    """About 145 tokens, a few short ends of articles."""
    stream = Stream("passages", key)
    return [20 + stream.below(100) if stream.chance(0.1) else 120 + stream.below(60) for _ in range(n)]


@given(st.integers(0, 10_000), st.sampled_from([4, 8, 16, 32, 128]), st.integers(500, 2_000))
def test_never_over_and_nearly_full(key: int, k: int, around: int) -> None:
    sizes, budget = sizes_of_passages(key, 1_200), k * 1024 - around
    used = sum(sizes[i] for i in fit(prefix_sums(sizes), budget, k * 1024))
    assert budget - 5 <= used <= budget


@given(
    st.integers(0, 10_000), st.integers(20, 120), st.integers(0, 600), st.integers(900, 3_000), st.floats(0.05, 0.95)
)
def test_a_bucket_twice_as_long_takes_all(key: int, low: int, more: int, bucket: int, share: float) -> None:
    stream = Stream("sizes", key)
    sums = prefix_sums(low + stream.below(more + 1) for _ in range(5_000))
    around = int(share * bucket)
    chosen = [fit(sums, (bucket << i) - around, bucket << i) for i in range(6)]
    for short, long in pairwise(chosen):
        assert set(short) <= set(long)
        assert long == sorted(long)
    longest = chosen[-1]
    assert longest[: len(longest) - 64] == list(range(len(longest) - 64))  # a prefix but for the end


@given(st.lists(st.integers(1, 500), min_size=1, max_size=150), st.integers(-5, 3_000), st.integers(0, 3_000))
def test_any_sizes(sizes: list[int], budget: int, around: int) -> None:
    sums = prefix_sums(sizes)
    if sum(sizes) <= budget:
        with pytest.raises(BuildError, match="are to be filled"):
            fit(sums, budget, budget + around)
        return
    chosen = fit(sums, budget, budget + around)
    assert sorted(set(chosen)) == chosen
    assert sum(sizes[i] for i in chosen) <= max(budget, 0)


def test_too_few_units() -> None:
    with pytest.raises(BuildError, match=r"10 units hold 1,000 tokens where 1,000 are to be filled"):
        fit(prefix_sums([100] * 10), 1_000, 4_096)


WORDS = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8), min_size=1, max_size=9)
TEXTS = st.lists(st.tuples(WORDS.map(" ".join) | st.just(""), WORDS.map(" ".join)), min_size=1, max_size=12)


@given(TEXTS, st.booleans(), st.randoms(use_true_random=False), st.sampled_from(["", "Find it.\n\n", "é: "]))
@settings(max_examples=200)
def test_joined_and_counted_exactly(texts: list[tuple[str, str]], numbered: bool, random: object, before: str) -> None:
    tekken = tokenizer.load("tekken")
    units = [unit(title, text) for title, text in texts]
    leads = [f" (Title: {title}):" if title else "" for title, _ in texts]
    labels = Labels(" [{n}]", [tekken]) if numbered else None
    made = Units(units, [tekken.count_units(units)], [tekken], ENDING, leads, labels)
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    head, tail = before + OPENER, f"{SEPARATOR}Question: who?\nAnswer:"
    heads, tails = [tekken.part(head)], [tekken.part(tail)]

    context = made.context(order)
    marks = [f" [{n}]" if numbered else "" for n in range(1, len(order) + 1)]
    expected = "".join(mark + units[i] for mark, i in zip(marks, order, strict=True)).removesuffix(ENDING)
    assert context.text.decode() == expected
    assert (context.characters, context.words) == (len(expected), len(expected.split()))
    assert [expected[a:b] for a, b in zip(context.starts, context.ends, strict=True)] == [texts[i][1] for i in order]
    assert context.tokens == (tekken.count_part(expected),)
    assert context.token_starts == [tekken.count_part(expected[: start - 1]) for start in context.starts]
    assert made.count(order, heads, tails) == [tekken.count(head + expected + tail)]


def test_labels_are_part_of_the_budget() -> None:
    """As if no unit were passed over; so a choice with labels is never over."""
    tekken = tokenizer.load("tekken")
    units = [unit("", "one two")] * 12
    size = tekken.count_units(units)[0]
    made = Units(units, [[size] * 12], [tekken], ENDING, [""] * 12, Labels(" [{n}]", [tekken]))
    label = [tekken.count_part(f" [{n}]") for n in range(1, 13)]
    fixed, sums = made.sums([3], [i for i in range(12) if i != 3])
    assert fixed == size + label[0]
    assert sums.tolist() == list(accumulate((size + more for more in label[1:]), initial=0))


def test_no_unit() -> None:
    tekken = tokenizer.load("tekken")
    with pytest.raises(BuildError, match="no unit fits"):
        Units([], [[]], [tekken], ENDING, []).context([])
