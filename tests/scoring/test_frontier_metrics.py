"""Metrics of the suite frontier: difflib's ratio in less time, which needle a reply repeats, time on endless replies."""

from __future__ import annotations

import json
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.evaluation.report.page import write_report
from haymaker.scoring.metrics import get
from haymaker.scoring.metrics.mrcr import given as needle_of
from haymaker.scoring.metrics.mrcr import ratio
from tests.growth import TIMES, grows
from tests.scoring.test_scorecard import Release, sample

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


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Two rows at 4k and one at 8k that ask for one of two texts."""
    more = {"references": ["Bees sleep in winter.", "The mill stands by the river."], "suite": "frontier"}
    asked = [("4k", 0, 1), ("4k", 1, 2), ("8k", 0, 2)]
    metrics = ("mrcr@strict", "mrcr@official", "which_needle@strict")
    rows = [sample("mrcr", length, n, metrics, [f"P1{more['references'][i - 1]}"], **more) for length, n, i in asked]
    facts = [{"string": "P1", "asked": i, "needles": 2} for _, _, i in asked]
    return Release(tmp_path, [replace(row, metadata=json.dumps(each)) for row, each in zip(rows, facts, strict=True)])


def test_scores_and_page_have_a_table_of_requested_and_given_needles(release: Release, tmp_path: Path) -> None:
    """The second row of 4k gets the first text; the floor of 8k is not measured."""
    measured = {"4k": {"metric": "mrcr@strict", "questions": 2, "floors": {"random": 60.0}}}
    suites = {"frontier": {"title": "F", "tasks": [], "shortcuts": {"mrcr": measured}}}
    facts = {"name": "small", "version": "1.2.3", "edition": "simulated", "sources": {}, "suites": suites}
    (release.folder / "manifest.json").write_text(json.dumps(facts))
    outputs = release.right() | {"mrcr-4k-1-plain-0": "P1Bees sleep in winter.", "mrcr-8k-0-plain-0": "No."}
    release.show(outputs, json_file=tmp_path / "scores.json")
    found = json.loads((tmp_path / "scores.json").read_text())
    names = ("suite", "task", "length", "asked", "given", "rows")
    expected = [("4k", 1, 1, 1), ("4k", 2, 1, 1), ("8k", 2, 0, 1)]
    assert found["needles"] == [dict(zip(names, ("frontier", "mrcr", *each), strict=True)) for each in expected]
    cells = {(cell["metric"], cell["length"]): cell for cell in found["cells"]}
    mean = cells["mrcr@strict", "4k"]["mean"]
    assert cells["mrcr@strict", "4k"]["above_floor"] == pytest.approx((mean - 0.6) / 0.4)
    assert not any("floor" in cell for place, cell in cells.items() if place != ("mrcr@strict", "4k"))
    write_report(release.folder, [release.outputs(outputs)], tmp_path / "page.html", max_rows=10, share=0.85)
    assert "Which text outputs repeat" in (tmp_path / "page.html").read_text()
