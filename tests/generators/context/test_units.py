"""Contexts of whole units: joined, labelled and counted exactly."""

from __future__ import annotations

import gc
import weakref
from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers import tokenizer
from generators.context.pieces import Pieces
from generators.context.units import Numbers, PrefixedUnits, Units

ENDING = SEPARATOR + OPENER
WORDS = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8), min_size=1, max_size=9)
TEKKEN = tokenizer.load("tekken")
TEXTS = st.lists(st.tuples(WORDS.map(" ".join) | st.just(""), WORDS.map(" ".join)), min_size=1, max_size=12)


def units_of(texts: list[tuple[str, str]], pattern: str = "") -> Units:
    """Passages as units, as few of them read as a context needs."""
    shown = [unit(title, text) for title, text in texts]
    leads = [f" (Title: {title}):" if title else "" for title, _ in texts]
    counts = np.array(TEKKEN.count_units(shown), dtype=np.int64)

    def first(count: int) -> PrefixedUnits:
        characters, tokens = map(len, leads[:count]), map(TEKKEN.count_part, leads[:count])
        sizes = (np.fromiter(values, dtype=np.int64) for values in (characters, tokens))
        return PrefixedUnits(Pieces(shown[:count], [TEKKEN], [counts[:count]]), *sizes)

    return Units(first, counts, [TEKKEN], ENDING, Numbers(pattern, [TEKKEN]) if pattern else None)


@given(TEXTS, st.booleans(), st.randoms(use_true_random=False), st.sampled_from(["", "Find it.\n\n", "é: "]))
def test_joined_and_counted_exactly(texts: list[tuple[str, str]], numbered: bool, random: object, before: str) -> None:
    units, built = [unit(title, text) for title, text in texts], units_of(texts, " [{n}]" if numbered else "")
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    head, tail = before + OPENER, f"{SEPARATOR}Question: who?\nAnswer:"

    context = built.context(order)
    marks = [f" [{n}]" if numbered else "" for n in range(1, len(order) + 1)]
    expected = "".join(mark + units[i] for mark, i in zip(marks, order, strict=True)).removesuffix(ENDING)
    assert context.text.decode() == expected
    assert (context.characters, context.words) == (len(expected), len(expected.split()))
    assert [expected[a:b] for a, b in zip(context.starts, context.ends, strict=True)] == [texts[i][1] for i in order]
    assert context.tokens == (TEKKEN.count_part(expected),)
    assert list(context.token_starts) == [TEKKEN.count_part(expected[: start - 1]) for start in context.starts]
    for [parts] in (built.edges(order), context.parts()):
        assert TEKKEN.joined([TEKKEN.part(head), *parts, TEKKEN.part(tail)]) == TEKKEN.count(head + expected + tail)


def test_numbers_are_part_of_the_budget() -> None:
    """As if no unit were passed over; so a choice with labels is never over."""
    [size] = TEKKEN.count_units([unit("", "one two")])
    built = units_of([("", "one two")] * 12, " [{n}]")
    label = [TEKKEN.count_part(f" [{n}]") for n in range(1, 13)]
    fixed, sums = built.sums([3], [i for i in range(12) if i != 3])
    assert fixed == size + label[0]
    assert sums.tolist() == list(accumulate((size + more for more in label[1:]), initial=0))


def test_a_question_is_let_go_of_at_once() -> None:
    """Its thousands of texts must not wait until Python looks for cycles."""
    built = units_of([("", "one two")])
    built.context([0])
    gone = weakref.ref(built)
    gc.disable()
    try:
        del built
        assert gone() is None
    finally:
        gc.enable()
