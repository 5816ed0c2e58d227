"""How many shots a natural row takes: every number as likely, every length of a range as likely, and material that ends says so."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from generators.context import natural
from haymaker.core.errors import BuildError
from haymaker.core.lengths import WORD_RANGES
from haymaker.core.rng import Stream
from tests.errors import refused


def lengths(sizes, around=0):
    words = np.array(list(accumulate(sizes)), dtype=np.int64) + around
    return lambda count: words[:count]


def test_every_number_of_shots_comes_about_as_often() -> None:
    found = Counter(natural.drawn(Stream("shots", i), (2, 24)) for i in range(4_600))
    assert sorted(found) == list(range(2, 25))
    assert sum((n - 200) ** 2 / 200 for n in found.values()) < 49  # chi-square, 22 degrees of freedom: 1 in 1,000


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
