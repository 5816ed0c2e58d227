"""Near-duplicates: the same as comparing all pairs, one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.mining.duplicates import near_duplicates
from corpora.retrieval.mining.words import Words, numbered
from haymaker.core.rng import Stream
from haymaker.core.text.strings import words


def by_numbers(given: list[str], limit: float, gold: int = 0) -> list[bool]:
    numbers, ends = numbered([text for each in given for text in ("", each)])
    found = Words(np.split(numbers, ends[1:-1:2]))
    return list(near_duplicates(*found.text_runs(), len(given), limit, gold).tolist())


def by_pairs(given: list[str], limit: float) -> list[bool]:
    kept: list[set[tuple[str, ...]]] = []
    out = []
    for text in given:
        tokens = words(text)
        runs = {tuple(tokens[i : i + 3]) for i in range(len(tokens) - 2)}
        near = any(runs and len(runs & other) >= limit * len(runs | other) - 1e-9 for other in kept)
        out.append(near)
        if not near:
            kept.append(runs)
    return out


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=12).map(" ".join), min_size=1, max_size=12),
    st.sampled_from([0.5, 0.6, 0.75, 0.8, 1.0]),
)
def test_short_texts_of_few_words(given: list[str], limit: float) -> None:
    assert by_numbers(given, limit) == by_pairs(given, limit)


@pytest.mark.parametrize("limit", [0.5, 0.8, 1.0])
def test_edited_copies(limit: float) -> None:
    """Copies of 12 texts with 0 to 11 words of 60 changed, mixed: every share of common runs occurs."""
    draw = Stream("near duplicates")
    vocabulary = [f"w{i}" for i in range(400)]
    base = [[draw.choice(vocabulary) for _ in range(60)] for _ in range(12)]
    copies = []
    for text in base:
        for changes in (0, 0, *range(12)):
            copy = list(text)
            for _ in range(changes):
                copy[draw.below(60)] = draw.choice(vocabulary)
            copies.append(" ".join(copy))
    given = draw.shuffled(copies)
    found = by_numbers(given, limit)
    assert found == by_pairs(given, limit)
    assert 12 <= sum(found) < len(given) - 12


def test_only_what_stays_makes_others_go_and_gold_stays() -> None:
    """A chain: b is near a, c is near b but not near a. b goes, so c stays; where b is gold as well, c goes."""
    a = [f"w{i}" for i in range(40)]
    b = [*a[:36], "x1", "x2", "x3", "x4"]
    c = [*a[:34], "y1", "y2", *b[36:]]
    given = [" ".join(text) for text in (a, b, c)]
    assert by_pairs(given, 0.8) == by_numbers(given, 0.8) == [False, True, False]
    assert by_numbers(given[1:], 0.8) == [False, True]
    assert by_numbers(given, 0.8, gold=2) == [False, False, True]
    assert by_numbers(given, 0.8, gold=3) == [False, False, False]
