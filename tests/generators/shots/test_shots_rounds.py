"""Rounds: one text of every label each, never twice, the same however many rounds are drawn; started over where asked."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generators.shots.rounds import MOST_LABELS, Blocks, draw, first
from haymaker.core.errors import BuildError
from tests.errors import refused

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=9)


def labels_of(sizes: list[int]) -> np.ndarray:
    """Texts of the labels in turn, as mixed as they can be."""
    return np.array([label for i in range(max(sizes)) for label, size in enumerate(sizes) if i < size])


@given(SIZES, st.integers(1, 40), st.integers(1, 40))
def test_started_over(sizes: list[int], upto: int, fewer: int) -> None:
    labels = labels_of(sizes)
    blocks = Blocks.of(labels)
    once, numbers = draw(blocks, "a")
    assert sorted(once.tolist()) == list(range(len(labels))) and numbers.tolist() == sorted(numbers.tolist())
    for number in range(max(sizes)):  # each label that is left once
        here = labels[once[numbers == number]]
        assert sorted(here.tolist()) == [label for label, size in enumerate(sizes) if size > number]
    texts, rounds = draw(blocks, "a", upto=upto, repeats=True)
    assert Counter(rounds.tolist()) == dict.fromkeys(range(upto), len(sizes))
    shown = defaultdict(list)
    for text, number in zip(texts.tolist(), rounds.tolist(), strict=True):
        assert len(shown[int(labels[text])]) == number  # one of each label in each round
        shown[int(labels[text])].append(text)
    for label, size in enumerate(sizes):
        cycles = [shown[label][at : at + size] for at in range(0, upto, size)]
        assert all(len(set(cycle)) == len(cycle) for cycle in cycles)  # all texts of a label before any comes again
    short, _ = draw(blocks, "a", upto=min(fewer, upto), repeats=True)
    assert short.tolist() == texts[: len(short)].tolist()
    same = min(min(sizes), upto) * len(sizes)
    assert once[:same].tolist() == texts[:same].tolist()  # what is shown before the first label ends is the same
    assert draw(blocks, "a", upto=upto)[0].tolist() == once[numbers < upto].tolist()


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(0, 5))
def test_a_text_that_comes_again_keeps_its_distance(sizes: list[int], key: int) -> None:
    """Half of its label's other texts come between, so no text ends one time through and begins the next."""
    labels = labels_of(sizes)
    texts, rounds = draw(Blocks.of(labels), "far", key, upto=60, repeats=True)
    seen: dict[int, int] = {}
    for text, number in zip(texts.tolist(), rounds.tolist(), strict=True):
        assert number - seen.get(text, -99) > sizes[labels[text]] // 2
        seen[text] = number


@given(SIZES, st.integers(0, 100), st.booleans())
def test_as_many_rounds_as_hold_so_many_shots(sizes: list[int], count: int, repeats: bool) -> None:
    blocks = Blocks.of(labels_of(sizes))
    texts, rounds = first(blocks, "a", count=count, repeats=repeats)
    assert len(texts) >= count if repeats else len(texts) >= min(count, sum(sizes))
    more = draw(blocks, "a", upto=int(rounds[-1]) + 3, repeats=repeats)[0]
    assert texts.tolist() == more[: len(texts)].tolist()


def test_orders_differ_by_key_and_are_even() -> None:
    """Each text comes in each round, and each label at each place of a round, about equally often."""
    labels = labels_of([4, 4, 4])
    first: Counter[int] = Counter()
    places: Counter[int] = Counter()
    for key in range(1000):
        texts, _ = draw(Blocks.of(labels), key)
        first.update(texts[:3].tolist())
        places[int(labels[texts[0]])] += 1
    assert all(190 < first[text] < 310 for text in range(12))  # 250 expected, sigma 14
    assert all(270 < places[label] < 397 for label in range(3))  # 333 expected, sigma 15


def test_too_many() -> None:
    with refused(BuildError, "", "labels", fix="4,096"):
        Blocks.of(np.arange(MOST_LABELS + 1))
