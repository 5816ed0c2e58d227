"""Common and frequent words (cwe, fwe), and variables (vt): counts, places drawn for each group, names that differ."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations, pairwise
from statistics import mean
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.synthetic import chains
from generators.synthetic.chains_content import one_digit_off, variables
from generators.synthetic.counting_frequent import CLEAR, coded_words
from haymaker.core.rng import Stream
from haymaker.scoring.metrics import get as metric
from tests.extras import few
from tests.generators.kit import Row, context, in_order, spans
from tests.generators.synthetic import proving, small
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


def stated(found: Row) -> list[Row]:
    return spans(found, "gold", "distractor")


def noise(found: Row) -> list[str]:
    return proving.units(task_of("vt"), found)


def test_names_are_distinct_and_no_words() -> None:
    names = [name for name, _ in zip(variables(Stream("names"), "test"), range(5000), strict=False)]
    assert len(set(names)) == 5000 and all(re.fullmatch("[B-DF-HJ-NP-TV-XZ]{5}", name) for name in names)


def test_near_values_differ_in_one_digit() -> None:
    assert {12340, 22345, 12945} <= set(one_digit_off(12345)) and 12345 not in one_digit_off(12345)
    assert one_digit_off(99998)[-1] == 99997 and one_digit_off(10000)[0] == 10001
    for group in range(3):
        first, *others = [
            str(c["value"])
            for c in json.loads(made("vt", "4k", group, hops=2, chains=6, distractor_similarity="high")["metadata"])[
                "chains"
            ]
        ]
        assert len({first, *others}) == 6
        assert all(sum(a != b for a, b in zip(first, other, strict=True)) == 1 for other in others)


def test_one_of_the_statements_goes_through_the_depths() -> None:
    which = set()
    for group in range(20):
        found = row("vt", "32k", group)
        assert found["depth_index"] == (7 * group + group // 10) % 10
        assert found["depth_index"] / 10 - 0.001 <= found["depth"] <= (found["depth_index"] + 1) / 10
        ends = [found["prompt"][found["context_start"] : span["start"]].count(". ") for span in stated(found)]
        shares = [abs(end / found["num_segments"] - found["depth"]) for end in ends]
        assert min(shares) < 0.01, "depth is the share of sentences before the statement"
        which.add(shares.index(min(shares)))
    assert which == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("ruler_prompt", [False, True])
def test_statements_stand_anywhere_with_the_same_chance(ruler_prompt: bool) -> None:
    """Ours 17.4: by fifth of the context 6, 10, 15, 24 and 45 % of the statements stood there, over 0.40 of it (RULER: 20 each, 0.67)."""
    task = small.task("vt", ruler_prompt=ruler_prompt)
    chains = [task._draw_chains(task.pool("test").candidate(group))[1][0] for group in range(600)]
    fifths = Counter(int(5 * depth) for chain in chains for depth in chain.depths)
    assert all(abs(fifths[fifth] / 3000 - 0.2) < 0.025 for fifth in range(5))
    assert abs(mean(chain.depths[-1] - chain.depths[0] for chain in chains) - 4 / 6) < 0.02


def test_a_list_of_all_variables_is_no_answer_beside_other_chains() -> None:
    """Ours 17, shortcuts: all names of the text got 100 % of vt_near by its first metric, which counts no precision."""
    plain, near = row("vt", "4k", 0), made("vt", "4k", 0, chains=4, distractor_similarity="high")
    assert plain["metrics"] == ["ruler_f1@strict", "ruler_all@strict", "ruler_all@official"]
    assert near["metrics"] == ["ruler_f1@strict"]
    everything = ", ".join(span["ref"] for span in stated(near))
    score = metric("ruler_f1@strict").function
    assert score(near["answers"][0], near) == 1.0 and score(everything, near) == pytest.approx(0.4)


def test_as_ruler_begins_the_answer_and_no_two_statements_stand_side_by_side() -> None:
    side_by_side = Counter[str]()
    for group in range(60):
        for case in ("vt", "vt_ruler"):
            found = row(case, "4k", group)
            placed = stated(found)
            side_by_side[case] += any(b["start"] - a["end"] < 2 for a, b in pairwise(placed))
            before = [found["prompt"][found["context_start"] : span["start"]].count(". ") for span in placed]
            depths = [(sentences - i) / found["num_segments"] for i, sentences in enumerate(before)]
            assert any(depth == pytest.approx(found["depth"], abs=1e-6) for depth in depths)
    value = json.loads(found["metadata"])["chains"][0]["value"]
    assert found["prompt"][found["answer_prefix_start"] :] == f"Answer: 5 variables hold the number {value}:"
    assert (found["variant"], found["depth_index"]) == ("ruler", None)
    assert side_by_side["vt"] > 0 == side_by_side["vt_ruler"]


def test_values_do_not_stand_in_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [int(number) for number in re.findall(r"\b[1-9]\d{4}\b", " ".join(noise(row("vt", "16k", 0))))]
    assert len(numbers) > 10, "noise says five digits"
    monkeypatch.setattr(chains, "values", lambda *given: iter(numbers[:2]))
    task = small.fresh("vt")
    found = proving.row_of(task, "16k", 0)
    proving.solved(task, found)
    assert not {str(value) for value in numbers[:2]} & set(re.findall(r"\d+", " ".join(noise(found))))


def test_noise_never_repeats() -> None:
    found = row("vt", "64k", 3)
    sentences = noise(found)
    assert len(sentences) == len(set(sentences)) == found["num_segments"] == found["num_unique_segments"]
    assert sum(any(c.isdigit() for c in sentence) for sentence in sentences) > 0.1 * len(sentences)
