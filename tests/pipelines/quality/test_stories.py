"""Figures of bAbI stories: counted by hand on four questions."""

from __future__ import annotations

from devtools.quality.figures import Report
from devtools.quality.stories import label_distance, measure
from haymaker.core.rows.source_records import Split, StoryQuestion

WENT, CAME, LEFT = "Mary went to the office.", "John went to the garden.", "Mary went to the garden."


def asked(
    split: Split, story: int, position: int, facts: tuple[str, ...], answer: str, *supporting: int
) -> StoryQuestion:
    return StoryQuestion("qa1", split, story, position, facts, "Where is Mary?", answer, supporting)


TEST = [
    asked("test", 0, 0, (WENT,), "office", 0),
    asked("test", 0, 1, (WENT, CAME), "office", 0),
    asked("test", 0, 2, (WENT, CAME, LEFT, CAME), "garden", 2, 1),
    asked("test", 1, 3, (WENT,), "office", 0),
]
TRAIN = [asked("train", 0, 0, (WENT, CAME), "office", 0), asked("train", 1, 1, (LEFT,), "garden", 0)]


def ends(spread: Report) -> tuple[float, float, float]:
    return spread["low"], spread["mean"], spread["high"]


def test_figures_counted_by_hand() -> None:
    (found,) = measure(TEST)
    counts = ("task", "split", "questions", "repeated", "in_train")
    assert [found[key] for key in counts] == ["qa1", "test", 4, 1 / 4, None]
    assert found["labels"] == {"office": 0.75, "garden": 0.25}
    assert {key: ends(value) for key, value in found.items() if isinstance(value, dict) and key != "labels"} == {
        "per_story": (1, 2, 3), "facts": (1, 2, 4), "supports": (1, 1.25, 2), "after_support": (0, 0.5, 1),
        "depth": (0.5, 0.8125, 1),
    }  # fmt: skip


def test_parts_are_measured_apart_and_compared() -> None:
    test, train = measure(iter([*TEST, *TRAIN]))
    assert (test["split"], test["questions"], test["in_train"]) == ("test", 4, 1 / 4)
    assert (train["split"], train["questions"], train["in_train"]) == ("train", 2, None)
    assert measure([*TRAIN, *TEST]) == [train, test]
    copied = [*TEST, asked("train", 0, 0, (WENT,), "office", 0)]
    assert measure(copied)[0]["in_train"] == 2 / 4, "every copy counts"
    assert label_distance(test, train) == label_distance(train, test) == 0.25
    other = measure([asked("dev", 0, 0, (CAME,), "kitchen", 0)])[0]
    assert label_distance(test, other) == label_distance(other, test) == 1, "labels of either side"
