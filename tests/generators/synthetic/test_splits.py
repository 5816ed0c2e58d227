"""Test, dev and train share no key, value, number, name, word or sentence: each belongs to one split, whatever task or seed draws it."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.synthetic.splits import split_of, texts_of
from haymaker.core.rows.source_records import Split
from tests.extras import LONG
from tests.generators.synthetic import proving, small

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
