"""Words as numbers: the same verdicts as comparing texts, for thousands of passages at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.mining.words import PassageWords, Words, numbered
from haymaker.core.text.strings import filter_aliases, holds, padded
from tests.corpora.retrieval.mining_material import make_store, passage

FEW = st.sampled_from("a b c aa ab é E ß İ ﬁ 10 10.5 U.S. x-y \x01 _ ् क".split(" "))
TEXTS = st.lists(FEW, max_size=9).map(" ".join) | st.text(max_size=30)


def of(pairs: list[tuple[str, str]]) -> Words:
    numbers, ends = numbered([text for pair in pairs for text in pair])
    return Words(np.split(numbers, ends[1:-1:2]))


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), st.lists(TEXTS, max_size=5))
def test_an_alias_is_held_exactly_where_comparing_words_says_so(
    pairs: list[tuple[str, str]], aliases: list[str]
) -> None:
    wanted = filter_aliases(aliases)
    expected = [holds(padded(title), wanted) or holds(padded(text), wanted) for title, text in pairs]
    assert of(pairs).holding(wanted).tolist() == expected


def test_passages_are_read_in_any_order_and_few_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.retrieval.mining.words._HELD", 3)
    store = make_store(tmp_path / "s", [passage(i, f"word{i} and more", f"Title {i}") for i in range(12)])
    source = PassageWords(store)
    assert source.of(np.array([1, 1, 4, 3])).holding([" word1 ", " title 4 "]).tolist() == [True, True, True, False]
    assert source.of(np.zeros(0, np.int64)).holding([" word1 "]).tolist() == []
    for at in range(0, 12, 2):
        assert source.of(np.array([at + 1, at])).holding([f" word{at + 1} "]).tolist() == [True, False]
        assert len(source._of) <= 3 + 2


def test_overlap_counts_words_of_more_than_three_letters() -> None:
    found = of([("Mill", "the wheel of the mill"), ("", "nothing"), ("", "Who built the mill?")])
    assert found.overlap("Who built the mill wheel?") == pytest.approx([2 / 3, 0, 2 / 3])
    assert found.overlap("who is it") == [0.0, 0.0, 0.0]
