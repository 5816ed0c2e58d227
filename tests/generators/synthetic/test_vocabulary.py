"""Word lists never change unseen; what is drawn from them belongs to one split, whatever task or seed draws it."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tokenizers import tokenizer
from generators.generated import vocabulary
from generators.generated.splits import split_of, texts_of
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from tests.extras import LONG
from tests.generators.synthetic import proving, small

FOLDER = files("generators.generated").joinpath("words")
LISTS = {"adjectives.txt": (vocabulary.ADJECTIVES, 1310), "nouns.txt": (vocabulary.NOUNS, 2635)}


def test_lists_are_sorted_words_and_what_they_were() -> None:
    sums = dict(line.split("  ")[::-1] for line in FOLDER.joinpath("SHA256SUMS").read_text().splitlines())
    others = [each for each in FOLDER.iterdir() if each.name != "SHA256SUMS"]
    assert {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in others} == sums
    for name, (loaded, count) in LISTS.items():
        words = FOLDER.joinpath(name).read_text().removesuffix("\n").split("\n")
        assert loaded == tuple(words) == tuple(sorted(set(words))) and len(words) == count
        assert all(re.fullmatch("[a-z]{3,12}", word) for word in words)
    assert not {*vocabulary.ADJECTIVES} & {*vocabulary.NOUNS}
    assert not {"special", "number", "none", "key", "magic"} & {*vocabulary.ADJECTIVES, *vocabulary.NOUNS}


def test_nouns_go_with_a_singular_verb() -> None:
    """Ours 9: "The separate trousers was missing"."""
    plural = "algae bellows cattle data dice goggles jeans people pliers scissors shorts trousers clothes stairs tongs police"
    assert not set(plural.split()) & set(vocabulary.NOUNS)


def test_runs_have_runs() -> None:
    """Five digits are drawn, each of five more stands beside its copy: so at most five runs of different digits."""
    stream = Stream("test")
    samples = [vocabulary.runs(10, stream) for _ in range(500)]
    assert all(re.fullmatch("[0-9]{10}", each) for each in samples)
    assert max(len(list(groupby(each))) for each in samples) <= 5
    assert len(set(samples)) > 450
    assert Counter(each[0] for each in samples).keys() == set("0123456789")


def test_noise_is_plain_lines_of_similar_length_with_numbers_and_rare_words_as_needles_have() -> None:
    lines = vocabulary.noise(6000, "k")
    assert len(set(lines)) == 6000
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9 ,-]+\.", line) for line in lines)
    sizes = tokenizer.load("tekken").count_units([f" {line}" for line in lines])
    assert min(sizes) >= 8 and max(sizes) <= 40 and 15 < sum(sizes) / len(sizes) < 18
    digits = Counter(len(number) for line in lines for number in set(re.findall(r"\d+", line)))
    assert set(digits) == {5, 7, 10}
    assert all(count > 0.07 * len(lines) for count in digits.values())
    assert any(re.search(r"\b0\d{4}\b", line) for line in lines)
    said_twice = sum(len(re.findall(r"\d+", line)) == 2 for line in lines)
    assert said_twice > 0.04 * len(lines)
    assert sum("-" in line for line in lines) > 0.15 * len(lines)


SPLITS: tuple[Split, ...] = get_args(Split)
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
DRAWN: list[tuple[str, dict[str, Any], str, int]] = [  # task, entry, what is drawn, how many are in a row of 32k at least
    ("json_kv", {"distractors": 20}, UUID, 500),
    ("kv_retrieval", {"keys": "word", "distractors": 20, "depths": 2, "unanswerable": True}, r'(?<=")[a-z]+-[a-z]+(?=":)', 500),
    ("math_find", {}, r"(?<!\d)[1-9]\d{6}(?!\d)", 3_000),
    ("math_find", {"negative": True}, r"(?<!\d)[1-9]\d{6}(?!\d)", 3_000),
    ("code_run", {}, r"\b[a-z]+_[a-z]+\b", 1_000),
    ("vt", {"chains": 6}, r"\b[B-DF-HJ-NP-TV-XZ]{5}\b|(?<= = )\d{5}(?=\.)", 36),
    ("vt", {}, r"(?<=\. )[A-Z][a-z][^.=]*\.", 1_200),
    ("cwe", {}, r"\b[a-z]+-[a-z]+\b", 750),
    ("fwe", {"alpha": 1.4}, r"\b[b-df-hj-np-tv-xz]{6}\b", 400),
]  # fmt: skip


@cache
def material(case: int, split: Split) -> set[str]:
    """All texts of the kind in a row of a split, or in two where one has too few, their frame's worked examples too; the long form takes two always."""
    task, entry, pattern, least = DRAWN[case]
    generated = small.task(task, **entry)
    found: set[str] = set()
    for group in range(2):
        if len(found) >= least and not os.environ.get(LONG):
            break
        built = proving.row_of(generated, "32k", group, split=split)
        found |= set(re.findall(pattern, built["prompt"][built["spans"][0]["end"] :]))
    return found


SLOW = "json_kv", "kv_retrieval", "code_run", "math_find"
"""Drawn like other cases: words of keys and of functions like those of cwe, numbers like those of vt; UUIDs for each split."""
_CASES = [
    pytest.param(
        case,
        marks=pytest.mark.slow if DRAWN[case][0] in SLOW else (),
        id=f"{DRAWN[case][0]}-{case}",
    )
    for case in range(len(DRAWN))
]


@pytest.mark.parametrize("case", _CASES)
def test_splits_share_nothing_that_is_drawn(case: int) -> None:
    test, dev, train = (material(case, split) for split in SPLITS)
    assert min(map(len, (test, dev, train))) >= DRAWN[case][3]
    assert not (test & dev or test & train or dev & train)
    if UUID not in DRAWN[case][2]:  # those are drawn for each split: 122 bits are enough
        assert {split_of(text.replace("_", "-")) for text in material(case, "train")} == {"train"}


@given(st.sampled_from(SPLITS), st.integers(0, 300), st.integers(0, 300))
def test_a_split_takes_its_own_texts_in_order(split: Split, fewer: int, more: int) -> None:
    texts = [f"text {i}" for i in range(10_000)]
    mine = texts_of(lambda count: texts[:count], fewer + more, split)
    assert mine == [text for text in texts if split_of(text) == split][: fewer + more]
    assert texts_of(lambda count: texts[:count], fewer, split) == mine[:fewer]
    assert [split_of(text) for text in ("calm-otter", "BCDFG", "1234567")] == ["test", "dev", "train"]
