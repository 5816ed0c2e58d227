"""Common and frequent words (cwe, fwe): counts of words, the order in which they come, places drawn for each group, worked examples."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations, pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.synthetic.counting_frequent import CLEAR, coded_words
from haymaker.core.rng import Stream
from tests.extras import few
from tests.generators.kit import Row, context, in_order
from tests.generators.synthetic import proving
from tests.generators.synthetic.proving import made, row, task_of


def items(task: str, found: Row) -> list[str]:
    return cast("list[str]", task_of(task).background(found))


def names(found: Row) -> list[str]:
    return [name for group in found["answer_groups"] for name in group]


def test_coded_words_are_distinct_and_no_words() -> None:
    words = [word for word, _ in zip(coded_words(Stream("words"), "test"), range(5000), strict=False)]
    assert len(set(words)) == 5000 and all(re.fullmatch("[b-df-hj-np-tv-xz]{6}", word) for word in words)


def test_first_list_by_heart() -> None:
    found = row("cwe", "4k", 0)
    assert found["answers"] == [
        "amused-boot, cavernous-language, erect-book, fearless-template, focal-onion, habitual-timetable, "
        "kindly-calendar, mournful-jug, mythical-office, runny-visa"
    ]
    assert context(found).startswith(
        "1. habitual-timetable 2. mournful-jug 3. kindly-calendar 4. runny-visa 5. runny-visa "
    )
    assert (found["num_segments"], found["num_unique_segments"]) == (441, 57)
    assert found["prompt"].endswith("\n</list>\n\nQuestion: Which 10 words occur most often in the list?\nAnswer:")


@few
@given(st.integers(4, 24), st.integers(0, 2**40))
def test_lists_fill_the_length_and_are_counted_exactly(kilo: int, group: int) -> None:
    found = made("cwe", f"{kilo}k", group)
    proving.exact(found)
    counts = Counter(items("cwe", found))
    assert (len(items("cwe", found)), len(counts)) == (found["num_segments"], found["num_unique_segments"])
    assert sorted(counts.values()) == [3] * (len(counts) - 10) + [30] * 10
    assert sorted(name for name, times in counts.items() if times == 30) == names(found)


def test_no_length_is_left_with_a_gap() -> None:
    """docs/defects/synthetic.md A5 #5: one kind of words at every length, also where numbers get a digit more (1,000, 10,000)."""
    for kilo in (*range(8, 14), 96, 104, 128):
        found = made("cwe", f"{kilo}k", kilo)
        assert 0 <= found["unused_tokens"] <= 0.005 * kilo * 1024, kilo
        assert all(re.fullmatch("[a-z]+-[a-z]+", word) for word in set(items("cwe", found)))


@few
@given(st.integers(4, 24), st.integers(0, 2**40), st.sampled_from([2.0, 1.5, 2.6]))
def test_texts_fill_the_length_to_a_word_and_follow_the_law(kilo: int, group: int, alpha: float) -> None:
    found = made("fwe", f"{kilo}k", group, alpha=alpha)
    proving.exact(found)
    assert found["unused_tokens"] <= 9, "a coded word has six tokens at most"
    counts = Counter(items("fwe", found))
    ranked = [counts.pop("..."), *sorted(counts.values(), reverse=True)]
    for rank, times in enumerate(ranked, start=1):
        assert abs(times - ranked[0] / rank**alpha) <= 1 + 1 / rank**alpha
    assert [word for word, _ in counts.most_common(3)] == names(found)


@pytest.mark.parametrize("length", ["4k", "16k"])
def test_no_half_tells_the_most_frequent_words_of_fwe_hard(length: str) -> None:
    """Ours 17, shortcuts: the first half told all six words in 80 to 100 % of the rows, the first 250 words five of six."""
    told, share = Counter[str](), Counter[str]()
    for group in range(24):
        found = row("fwe_hard", length, group)
        words, gold = [item for item in items("fwe_hard", found) if item != "..."], set(names(found))
        half = len(words) // 2
        parts = {"half": words[:half], "rest": words[half:], "first": words[:250], "last": words[-250:]}
        for part, shown in parts.items():
            right = gold & {word for word, _ in Counter(shown).most_common(6)}
            told[part] += right == gold
            share[part] += len(right)
    assert max(told.values()) <= 1
    assert all(share[part] <= 24 * 6 * 0.7 for part in ("half", "rest"))
    assert all(share[part] <= 24 * 6 * {"4k": 0.55, "16k": 0.4}[length] for part in ("first", "last"))


def test_words_of_fwe_hard_stand_in_a_quarter_of_the_text_each_and_gaps_anywhere() -> None:
    for group in range(3):
        found = row("fwe_hard", "16k", group)
        listed = items("fwe_hard", found)
        at = {name: np.array([i for i, item in enumerate(listed) if item == name]) for name in (*names(found), "...")}
        first = sorted(_begin(each, len(listed)) for name, each in at.items() if name != "...")
        assert all(later - sooner > 0.01 for sooner, later in pairwise(first)), "quarters begin apart"
        for name, each in at.items():
            share = len(set((each * 20 // len(listed)).tolist())) / 20
            assert share == 1.0 if name == "..." else 0.1 < share < 0.5


def _begin(places: np.ndarray[Any, Any], length: int) -> float:
    """Where the widest gap between neighbouring places ends, going round."""
    gaps = np.diff(np.concatenate((places[-1:] - length, places)))
    return float(places[int(gaps.argmax())] / length)


def test_words_asked_for_are_clearly_apart_at_every_length() -> None:
    before = [0, 0, 0, 0]
    for length in ("4k", "8k", "64k", "128k"):
        found = row("fwe", length, 4)
        counts = json.loads(found["metadata"])["counts"]
        assert all(more - less >= CLEAR for more, less in pairwise(counts))
        assert all(now > then for now, then in zip(counts, before, strict=True))
        before = counts
    assert len(names(made("fwe", "64k", 0, asked=10))) == 10


@pytest.mark.parametrize("task", ["cwe", "fwe"])
def test_places_are_drawn_for_each_group(task: str) -> None:
    """docs/defects/synthetic.md A5 #2: the reference puts the common words at the same places in every row."""
    orders = []
    for group in range(6):
        found = row(task, "8k", group)
        listed, roles = items(task, found), dict[str, str]()
        at = [i for i, item in enumerate(listed) if item in names(found)]
        for i in at:
            roles.setdefault(listed[i], f"number {len(roles)} to be met")
        orders.append([roles[listed[i]] for i in at])
        assert 0.4 < sum(at) / len(at) / len(listed) < 0.6
    for one, other in combinations(sorted(orders, key=len), 2):
        assert not in_order(one, other), "with the same places in both rows it would"


@pytest.mark.parametrize("task", ["cwe", "fwe"])
def test_the_answer_has_room(task: str) -> None:
    """docs/defects/synthetic.md A5 #13: a list of ten items, numbered and one a line, is about 150 tokens."""
    found = row(task, "4k", 2)
    written = "\n".join(f"{n}. **{name}**" for n, name in enumerate(names(found), start=1))
    assert tokenizer.load("tekken").count(written) <= found["max_new_tokens"]
