"""The registry of metrics, and what must hold for BABILong's on every label and any output."""

from __future__ import annotations

from pathlib import Path

import pytest

from haymaker.core.errors import HaymakerError
from haymaker.scoring.metrics import UnknownMetric, all_metrics, get
from tests.errors import refused

PLACES = ["bathroom", "bedroom", "garden", "hallway", "kitchen", "office"]
WORDS = {
    "Where is Mary?": PLACES,
    "Who gave the cake?": ["Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"],
    "Is Mary in the office?": ["yes", "no"],
    "How many objects is Mary carrying?": ["none", "one", "two", "three"],
    "What is Mary carrying?": ["apple", "football", "milk", "nothing"],
    "Is Bill in the park?": ["maybe", "yes", "no"],
    "Where was Bill before the station?": ["bedroom", "cinema", "kitchen", "office", "park", "school"],
    "What is gertrude afraid of?": ["cat", "mouse", "sheep", "wolf"],
    "What color is Lily?": ["gray", "green", "white", "yellow"],
    "How do you go from the office to the garden?": "e,e e,n e,s n,e n,n n,w s,e s,s s,w w,n w,s w,w".split(),
    "Where will yann go?": ["bedroom", "garden", "kitchen", "bored", "hungry", "thirsty", "tired"],
}


@pytest.mark.parametrize("question", WORDS)
def test_a_stored_answer_is_right_and_nothing_is_wrong(question: str) -> None:
    strict, official = get("babilong@strict").function, get("babilong@official").function
    choices = WORDS[question]
    for label in choices:
        row = {"answers": [label], "question": question, "choices": choices}
        assert [other for other in choices if strict(other, row)] == [label]
        assert strict("", row) == official("", row) == 0.0
        assert official(label, row) == float(label != "none")


@pytest.mark.parametrize("metric", ["babilong@strict", "babilong@official"])
def test_labels_come_from_the_row_however_many(metric: str) -> None:
    names = [f"{a}{b}{c}" for a in "bcdfglmprt" for b in "aeiou" for c in "bdfgklmnpr"]
    row = {"answers": [names[123]], "question": "Where is Mary?", "choices": names}
    function = get(metric).function
    assert [function(f"Mary is in the {name}.", row) for name in names] == [float(i == 123) for i in range(500)]
    assert function(f"The {names[123]} or the {names[7]}.", row) == function("", row) == 0.0
    assert function(" ".join(names * 40), row) == 0.0


def test_an_unknown_metric_names_the_nearest() -> None:
    with refused(UnknownMetric, "", "babilong@strct", fix="'babilong@strict'") as caught:
        get("babilong@strct")
    assert isinstance(caught.value, HaymakerError)
    with refused(UnknownMetric, "", "zzz", fix="babilong@official"):
        get("zzz")


def test_every_metric_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/metrics.md").read_text(encoding="utf-8")
    names = {metric_id.partition("@")[0] for metric_id in all_metrics()}
    assert sorted(name for name in names if f"`{name}`" not in page) == []
