"""Metrics of the suite frontier: difflib's ratio in less time, which needle a reply repeats, time on endless replies."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.scoring.metrics import get
from haymaker.scoring.metrics.mrcr import given as needle_of
from haymaker.scoring.metrics.mrcr import ratio
from tests.growth import TIMES, grows

TEXTS = st.text("ab \n", max_size=40) | st.text("abcdefgh ", max_size=200)
PROSE = "a boat lay at its rope while grey rain fell on the fields and nobody came to the mill. " * 3
ROW: dict[str, Any] = {
    "answers": [f"P1{PROSE}"], "references": [PROSE, "Bees sleep in winter."], "max_new_tokens": None, "language": "en",
    "metadata": json.dumps({"string": "P1", "asked": 2, "needles": 2}), "category": "recall", "answer_groups": [["a1"]],
}  # fmt: skip


@given(TEXTS, TEXTS)
def test_the_ratio_is_that_of_difflib(left: str, right: str) -> None:
    expected = SequenceMatcher(None, left, right, autojunk=False).ratio() if left or right else 0.0
    assert ratio(left, right) == expected


def test_a_common_letter_repeated_takes_little_time_and_growth_is_linear() -> None:
    """Without autojunk, difflib takes the product of three lengths for such replies."""
    for piece in (" ", "a", "a e", "the "):
        size = 5_000 // len(piece)
        assert grows(lambda size, piece=piece: ratio(piece * size, PROSE * 4), size) < 2.5 * TIMES, piece


@pytest.mark.parametrize("metric", ["mrcr", "which_needle", "graphwalks"])
@pytest.mark.parametrize("piece", ["P1", "Final Answer: [", "Final Answer: ", "```\n", "\n", "] ", "the boat "])
def test_time_grows_with_the_length_of_an_output(metric: str, piece: str) -> None:
    editions = ("strict",) if metric == "which_needle" else ("strict", "official")
    for edition in editions:
        function = get(f"{metric}@{edition}").function
        assert grows(lambda size, function=function: function(f"P1{piece * size}x", ROW), 1_500) < 2.5 * TIMES


def test_which_needle_a_reply_repeats() -> None:
    assert [needle_of(text, ROW) for text in (*ROW["references"], f"P1{PROSE}", "", "No such text.")] == [1, 2, 1, 0, 0]


@pytest.mark.parametrize("metadata", [None, "{}", '{"string": "P1"}'])
def test_a_row_without_string_or_number_has_no_score(metadata: str | None) -> None:
    for metric in map(get, ("mrcr@strict", "mrcr@official", "which_needle@strict")):
        row = ROW | {"metadata": metadata}
        assert metric.misses(row) and metric.function(f"P1{PROSE}", row) == 0.0
