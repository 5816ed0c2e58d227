"""What goes from a search result, by which rule, each passage counted once; aliases and near-duplicates as comparing texts finds them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.retrieval.mining.duplicates import near_duplicates
from corpora.retrieval.mining.filter import Hits, sift
from corpora.retrieval.mining.locate import Gold
from corpora.retrieval.mining.params import FilterParams
from corpora.retrieval.mining.words import PassageWords, Words, numbered
from corpora.stores.passages.store import Passages
from haymaker.core.text.strings import filter_aliases, holds, padded, words
from tests.corpora.retrieval.mining_material import make_store, passage

LONG = " ".join(f"common{i}" for i in range(30))
PASSAGES = [
    passage(0, "The mill was built by Ada Brook in spring.", "Mill"),
    passage(1, "The police were called to the mill.", "Police", "police"),
    passage(2, "A story of the river and its banks.", "Ada Brook", "ada"),  # the alias stands in the title
    passage(3, "Ada, Brook's sister, left the town.", "Sister", "sister"),
    passage(4, "THE POLICE were called; to the mill!", "Other", "other"),  # the words of passage 1
    passage(5, f"{LONG} one.", "Five", "five"),
    passage(6, f"{LONG} two.", "Six", "six"),
    passage(7, "The wheel of the mill turned day and night.", "Mill"),
    passage(8, "Polders are land taken from the sea.", "Polder", "polder"),
    passage(9, "The mill was built by ada brook in spring!", "Copy", "copy"),  # the words of gold
    passage(10, "The beginning of an article.", "Harl", "harl"),
    passage(11, "The end of it.", "Harl", "harl"),
    passage(12, "Of another place of that name.", "Harl", "harl2"),
    passage(13, "Harl may also refer to:", "Harl again", "harl3"),
    passage(14, "The mill in the town.", "Mill (disambiguation)", "mills"),
    passage(15, "These words may refer to the mill that burnt.", "Words", "words"),
    passage(16, "Harl could refer to: Harl (river), a river Harl (town), a town", "Harl names", "harl4"),
]
NAMES = ("Ada Brook", "pol")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Passages:
    return make_store(tmp_path_factory.mktemp("filter") / "s", PASSAGES, duplicates=True)


def left(store: Passages, passages: Sequence[int], gold: Sequence[int] = (0,), names: Sequence[str] = NAMES,
         gold_score: float | None = 20.0, **rules: Any) -> tuple[list[int], dict[str, int]]:  # fmt: skip
    """Passages that stay of a result with scores 30, 29, 28 ..., and what went."""
    hits = Hits(
        np.array(passages, np.int64), np.arange(30, 30 - len(passages), -1).astype(np.float32),
        tuple(map(Gold, gold)), gold_score, tuple(filter_aliases(names)),
    )  # fmt: skip
    at, removed = sift(hits, FilterParams(**rules), store, PassageWords(store))
    assert len(at) + sum(removed.values()) == len(passages)
    return hits.passages[at].tolist(), removed


def test_usual_rules(store: Passages) -> None:
    kept, removed = left(store, range(12))
    assert kept == [1, 5, 7, 8, 10, 11]
    assert removed == {"gold": 1, "alias": 3, "duplicate": 1, "near_duplicate": 1}
    assert left(store, [13, 14, 15, 16]) == ([15], {"disambiguation": 3})


def test_words_not_letters_decide_on_aliases(store: Passages) -> None:
    """docs/defects/helmet.md D24: "pol" is not in "police" or "polders"; "Ada, Brook" has the words of "Ada Brook"."""
    assert left(store, [1, 8, 3, 2], names=("pol",))[0] == [1, 8, 3, 2]
    assert left(store, [1, 8, 3, 2], names=("Ada Brook",))[0] == [1, 8]
    assert left(store, [1, 8, 3, 2], names=("Ada Brook",), aliases=False)[0] == [1, 8, 3, 2]


def test_texts_equal_to_gold_or_to_a_better_passage_go(store: Passages) -> None:
    assert left(store, [1, 9, 4], names=()) == ([1], {"duplicate": 2})
    assert left(store, [4, 9, 1], names=()) == ([4], {"duplicate": 2})
    assert left(store, [4, 9, 1], gold=(), names=()) == ([4, 9], {"duplicate": 1})


def test_near_duplicates_of_gold_or_of_a_better_passage_go(store: Passages) -> None:
    assert left(store, [6, 5]) == ([6], {"near_duplicate": 1})
    assert left(store, [5, 8], gold=(6,)) == ([8], {"near_duplicate": 1})
    assert left(store, [5, 6], near_duplicates=None) == ([5, 6], {})
    assert left(store, [5, 6], near_duplicates=0.97) == ([5, 6], {})  # 28 of 30 runs are shared: 0.93


def test_windows_of_ranks_and_scores(store: Passages) -> None:
    assert left(store, [8, 1, 5, 7], first_rank=1, last_rank=3) == ([1, 5], {"rank": 2})
    assert left(store, [8, 1, 5, 7], score_floor=28) == ([8, 1, 5], {"score_floor": 1})
    assert left(store, [8, 1, 5, 7], score_ceiling=28) == ([5, 7], {"score_ceiling": 2})
    assert left(store, [8, 1, 5, 7], gold_score=30, margin=1) == ([1, 5, 7], {"margin": 1})
    assert left(store, [8, 1, 5, 7], gold_score=30, relative_margin=0.05) == ([5, 7], {"relative_margin": 2})
    assert left(store, [8, 1, 5, 7], gold=(), gold_score=None, margin=1, relative_margin=0.5)[0] == [8, 1, 5, 7]


def test_passages_of_the_gold_article_go_on_demand(store: Passages) -> None:
    assert left(store, [11, 12, 7], gold=(10,), gold_article=True) == ([12, 7], {"gold_article": 1})
    assert left(store, [7, 8], gold_article=True) == ([8], {"gold_article": 1})  # of no article: by title
    assert left(store, [11, 8, 7], gold=(), gold_article=True) == ([11, 8, 7], {})


def test_the_first_rule_counts(store: Passages) -> None:
    """Passage 9 is outside the window, above the ceiling, holds an alias and has gold's words."""
    everything: dict[str, Any] = {"first_rank": 0, "last_rank": 1, "score_ceiling": 1, "margin": 100}
    assert left(store, [9], **everything) == ([], {"score_ceiling": 1})
    assert left(store, [0, 9], **everything) == ([], {"gold": 1, "rank": 1})
    assert left(store, [8, 9], score_floor=29.5, margin=0) == ([], {"score_floor": 1, "margin": 1})
    assert left(store, [8, 9]) == ([8], {"alias": 1})


FEW = st.sampled_from("a b c aa ab é E ß İ ﬁ 10 10.5 U.S. x-y \x01 _ ् क".split(" "))
ANY = st.lists(FEW, max_size=9).map(" ".join) | st.text(max_size=30)


def of(pairs: list[tuple[str, str]]) -> Words:
    numbers, ends = numbered([text for pair in pairs for text in pair])
    return Words(np.split(numbers, ends[1:-1:2]))


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=6), st.lists(ANY, max_size=5))
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
