"""The answer reader agrees with a person about outputs that were written before it (tests/yardstick/README.md)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from haymaker.scoring.metrics import get

FOLDER = Path(__file__).parents[1] / "yardstick"
LEAST = 0.98


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def agrees(case: dict[str, Any]) -> bool:
    """Whether full marks are given exactly to what a person calls right."""
    return (get(case["metric"]).function(case["output"], case["row"]) >= 0.99) == (case["verdict"] == "right")


@pytest.mark.parametrize("name", ["open", "hidden"])
@pytest.mark.parametrize("verdict", ["right", "wrong"])
def test_the_reader_agrees_with_a_person(name: str, verdict: str) -> None:
    judged = [case for case in cases(name) if case["verdict"] == verdict]
    wrong = [case for case in judged if not agrees(case)]
    assert len(judged) - len(wrong) >= LEAST * len(judged), [(case["kind"], case["output"][:80]) for case in wrong]


def test_every_kind_is_balanced_and_large_enough() -> None:
    every = cases("open") + cases("hidden")
    kinds = Counter(case["kind"] for case in every)
    assert len(every) >= 400 and min(kinds.values()) >= 15
    for kind, count in kinds.items():
        right = sum(case["kind"] == kind and case["verdict"] == "right" for case in every)
        assert 0.4 <= right / count <= 0.6, kind
