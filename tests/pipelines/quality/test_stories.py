"""Figures of bAbI stories: counted by hand on four questions, and as they are in the real files."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.sources.babi import story_questions
from devtools.quality.figures import Report
from devtools.quality.stories import label_distance, measure
from haymaker.core.rows.source_records import Split, StoryQuestion
from tests.extras import LONG
from worlds.babi import Fact, stories

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


@pytest.fixture(scope="module")
def real_files(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("babi")
    with zipfile.ZipFile(mirror / "babi" / "tasks_1-20_v1-2.zip") as archive:
        archive.extractall(folder)
    return folder


TABLE = Path(__file__).with_name("stories.txt").read_text(encoding="utf-8").splitlines()
FAST = ("qa1", "qa15", "qa17")
TASKS = tuple(f"qa{n}" for n in range(1, 21))
SIZES: tuple[tuple[Split, int], ...] = (("test", 1_000), ("train", 10_000))


def simulated(task: str) -> Iterator[StoryQuestion]:
    """As in the table: 1,000 test and 10,000 training questions of seed 1."""
    for split, questions in SIZES:
        position = 0
        for number, story in enumerate(stories(task, split, seed=1, questions=questions)):
            facts: list[str] = []
            index: dict[int, int] = {}
            for line, said in enumerate(story.lines, start=1):
                if isinstance(said, Fact):
                    index[line] = len(facts)
                    facts.append(said.text)
                else:
                    supporting = tuple(index[at] for at in said.supporting)
                    yield StoryQuestion(task, split, number, position, tuple(facts), said.question, said.answer, supporting)  # fmt: skip
                    position += 1


def line(figures: Report, name: str) -> str:
    """One line of the table."""
    shares = [100 * share for share in figures["labels"].values()]
    cells = (
        figures["task"],
        name,
        spelt(figures["per_story"]),
        spelt(figures["facts"]),
        spelt(figures["supports"]),
        f"{figures['after_support']['mean']:.1f}",
        f"{figures['depth']['mean']:.2f}",
        f"{len(shares)}: {min(shares):.1f} to {max(shares):.1f}",
        f"{figures['questions'] * figures['repeated']:,.0f}",
        f"{figures['questions'] * figures['in_train']:,.0f}",
    )
    return f"| {' | '.join(cells)} |"


def spelt(spread: Report) -> str:
    """Least / mean / largest, or the one value there is."""
    low, mean, high = ends(spread)
    return f"{low:.0f}" if low == high else f"{low:.0f} / {mean:.1f} / {high:.0f}"


@pytest.mark.parametrize("task", TASKS if os.environ.get(LONG) else FAST)
def test_simulated_stories_are_as_measured(task: str) -> None:
    assert line(measure(simulated(task))[0], "simulated") in TABLE


@pytest.mark.real
@pytest.mark.parametrize("task", TASKS if os.environ.get(LONG) else FAST)
def test_real_stories_are_as_measured(task: str, real_files: Path) -> None:
    found = measure(
        question
        for split, _ in SIZES
        for question in story_questions(real_files, task, split, "en-10k", train_variant="en")
    )
    assert line(found[0], "real") in TABLE
