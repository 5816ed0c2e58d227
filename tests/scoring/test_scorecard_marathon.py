"""`haymaker score --aggregate marathon`: six accuracies and their mean, questions right in every order, how outputs keep to the form."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from haymaker.core.rows.schema import Sample
from haymaker.evaluation.score import published_table, table
from tests.scoring.test_scorecard import Printed, Release, sample

METRICS = ("option@strict", "option@official", "option_json@strict")
OPTIONS = ["Ann", "Bo", "Cy", "Di"]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    printed = Printed(monkeypatch)
    monkeypatch.setattr(published_table, "out", table.out)
    return printed


def rows(lengths: Iterable[str], tasks: Iterable[str], orders: int = 4) -> Iterable[Sample]:
    """Two questions a task and length, with their options in so many orders."""
    for length in lengths:
        for task in tasks:
            for group in range(2):
                for turn in range(orders):
                    choices = [*OPTIONS[-turn:], *OPTIONS[:-turn]] if turn else OPTIONS
                    letter = "ABCD"[choices.index("Bo")]
                    answers = [f'{{"option": "{letter}"}}', letter, f"{letter}. Bo"]
                    yield sample(
                        task, length, group, METRICS, answers, suite="marathon", choices=choices, depth_index=turn,
                        variant=None if length == "natural" else "distractor_documents",
                    )  # fmt: skip


def test_means_questions_right_in_every_order_and_forms(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, rows(["16k", "natural"], ["computation", "shortdep_qa"]))
    said = release.right()
    first = [row.id for row in release.samples if row.task == "computation" and row.length == "natural"]
    said[first[0]] = "no idea"  # one of eight rows: one of two questions is not right in all of its orders
    said[first[4]] = "B"  # of the second question, right at the first order
    said[first[5]] = '```json\n{"option": "C"}\n```'
    release.show(said, aggregate="marathon")
    lines = [line for line in printed.lines if line]
    assert lines[:8] == [
        "Marathon @strict of natural 16k",
        "Comprehension and reasoning 1 - -",
        "Multiple information retrieval 1 - -",
        "Timeline reorder 1 - -",
        "Computation 1 87.5 100.0",
        "Passage retrieval 1 - -",
        "Short-dependency QA 1 100.0 100.0",
        "overall 6 93.8 (2/6) 100.0 (2/6)",
    ]
    beside = lines.index("all rows of a question right of natural 16k")
    assert lines[beside : beside + 8] == [
        "all rows of a question right of natural 16k",
        "Comprehension and reasoning 1 - -",
        "Multiple information retrieval 1 - -",
        "Timeline reorder 1 - -",
        "Computation 1 50.0 100.0",
        "Passage retrieval 1 - -",
        "Short-dependency QA 1 100.0 100.0",
        "overall 6 75.0 (2/6) 100.0 (2/6)",
    ]
    assert lines[beside + 8 :] == [
        "percent of outputs natural 16k",
        "exactly the JSON object 81.2 100.0",
        "a JSON object tried 6.2 0.0",
        "plain text 12.5 0.0",
        "outputs 16 16",
    ]
    assert "missing at natural, 16k: passage_retrieval option@strict (not in this release)" in lines


def test_questions_with_one_order_say_nothing_of_others(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, rows(["natural"], ["computation"], orders=1))
    release.show(release.right(), aggregate="marathon", edition="official")
    lines = [line for line in printed.lines if line]
    assert "Marathon @official of natural" in lines and "Computation 1 100.0" in lines
    assert "Computation 1 -" in lines[lines.index("all rows of a question right of natural") :]
    assert "exactly the JSON object 100.0" in lines


def test_questions_whose_orders_lack_outputs_are_said(tmp_path: Path, printed: Printed) -> None:
    release = Release(tmp_path, rows(["natural"], ["computation"]))
    said = release.right()
    del said[release.samples[1].id]
    release.show(said, aggregate="marathon")
    told = "rows of these questions without an output: 1 (a question is scored by its other rows)"
    assert told in printed.lines
