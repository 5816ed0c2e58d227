"""Contexts of whole units: joined, labelled and counted exactly."""

from __future__ import annotations

import gc
import weakref
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages.store import OPENER, SEPARATOR, unit
from corpora.tokenizers import tokenizer
from generators.context.units import Labels, Units
from haymaker.errors import BuildError

ENDING = SEPARATOR + OPENER
WORDS = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8), min_size=1, max_size=9)
TEXTS = st.lists(st.tuples(WORDS.map(" ".join) | st.just(""), WORDS.map(" ".join)), min_size=1, max_size=12)


@given(TEXTS, st.booleans(), st.randoms(use_true_random=False), st.sampled_from(["", "Find it.\n\n", "é: "]))
def test_joined_and_counted_exactly(texts: list[tuple[str, str]], numbered: bool, random: object, before: str) -> None:
    tekken = tokenizer.load("tekken")
    units = [unit(title, text) for title, text in texts]
    leads = [f" (Title: {title}):" if title else "" for title, _ in texts]
    labels = Labels(" [{n}]", [tekken]) if numbered else None
    built = Units(units.__getitem__, [tekken.count_units(units)], [tekken], ENDING, leads.__getitem__, labels)
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    head, tail = before + OPENER, f"{SEPARATOR}Question: who?\nAnswer:"

    context = built.context(order)
    marks = [f" [{n}]" if numbered else "" for n in range(1, len(order) + 1)]
    expected = "".join(mark + units[i] for mark, i in zip(marks, order, strict=True)).removesuffix(ENDING)
    assert context.text.decode() == expected
    assert (context.characters, context.words) == (len(expected), len(expected.split()))
    assert [expected[a:b] for a, b in zip(context.starts, context.ends, strict=True)] == [texts[i][1] for i in order]
    assert context.tokens == (tekken.count_part(expected),)
    assert context.token_starts == [tekken.count_part(expected[: start - 1]) for start in context.starts]
    for [parts] in (built.edges(order), context.parts()):
        assert tekken.joined([tekken.part(head), *parts, tekken.part(tail)]) == tekken.count(head + expected + tail)


def test_labels_are_part_of_the_budget() -> None:
    """As if no unit were passed over; so a choice with labels is never over."""
    tekken = tokenizer.load("tekken")
    units = [unit("", "one two")] * 12
    size = tekken.count_units(units)[0]
    built = Units(units.__getitem__, [[size] * 12], [tekken], ENDING, lambda unit: "", Labels(" [{n}]", [tekken]))
    label = [tekken.count_part(f" [{n}]") for n in range(1, 13)]
    fixed, sums = built.sums([3], [i for i in range(12) if i != 3])
    assert fixed == size + label[0]
    assert sums.tolist() == list(accumulate((size + more for more in label[1:]), initial=0))


def test_no_unit() -> None:
    tekken = tokenizer.load("tekken")
    with pytest.raises(BuildError, match="no unit fits"):
        Units(str, [[]], [tekken], ENDING, str).context([])


def test_a_question_is_let_go_of_at_once() -> None:
    """Its thousands of texts must not wait until Python looks for cycles."""
    tekken = tokenizer.load("tekken")
    units = [unit("", "one two")]
    built = Units(units.__getitem__, [tekken.count_units(units)], [tekken], ENDING, lambda unit: "")
    built.context([0])
    gone = weakref.ref(built)
    gc.disable()
    try:
        del built
        assert gone() is None
    finally:
        gc.enable()
