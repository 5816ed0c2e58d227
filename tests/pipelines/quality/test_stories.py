"""Figures of bAbI stories: counted by hand on four questions, and as they are in the real files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.sources.babi import story_questions
from haymaker.records import Split, StoryQuestion
from pipelines.quality.figures.stories import Spread, StoryFigures, label_distance, measure
from worlds.babi import Fact, stories

WENT, CAME, LEFT = "Mary went to the office.", "John went to the garden.", "Mary went to the garden."


def asked(
    part: Split, story: int, position: int, facts: tuple[str, ...], answer: str, *supporting: int
) -> StoryQuestion:
    return StoryQuestion("qa1", part, story, position, facts, "Where is Mary?", answer, supporting)


TEST = [
    asked("test", 0, 0, (WENT,), "office", 0),
    asked("test", 0, 1, (WENT, CAME), "office", 0),
    asked("test", 0, 2, (WENT, CAME, LEFT, CAME), "garden", 2, 1),
    asked("test", 1, 3, (WENT,), "office", 0),
]
TRAIN = [asked("train", 0, 0, (WENT, CAME), "office", 0), asked("train", 1, 1, (LEFT,), "garden", 0)]


def test_figures_counted_by_hand() -> None:
    assert measure(TEST) == [
        StoryFigures(
            task="qa1",
            part="test",
            questions=4,
            stories=2,
            per_story=Spread(1, 2, 3),
            facts=Spread(1, 2, 4),
            supports=Spread(1, 1.25, 2),
            after_support=Spread(0, 0.5, 1),
            depth=Spread(0.5, 0.8125, 1),
            labels={"office": 0.75, "garden": 0.25},
            repeated=1,
            in_train=None,
        )
    ]


def test_parts_are_measured_apart_and_compared() -> None:
    test, train = measure(iter([*TEST, *TRAIN]))
    assert (test.part, test.questions, test.in_train) == ("test", 4, 1)
    assert (train.part, train.questions, train.in_train) == ("train", 2, None)
    assert measure([*TRAIN, *TEST]) == [train, test]
    assert measure([]) == []


def test_every_copy_counts_as_held_by_train() -> None:
    first = asked("train", 0, 0, (WENT,), "office", 0)
    assert measure([*TEST, first])[0].in_train == 2


def test_label_distance_sees_labels_of_either_side() -> None:
    test, train = measure([*TEST, *TRAIN])
    assert label_distance(test, train) == label_distance(train, test) == 0.25
    other = measure([asked("dev", 0, 0, (CAME,), "kitchen", 0)])[0]
    assert label_distance(test, other) == label_distance(other, test) == 1


REAL = {
    "qa1": (200, 5, (2, 6.00, 10), (1, 1), 1),
    "qa2": (200, 5, (2, 15.43, 88), (2, 2), 0),
    "qa4": (1000, 1, (2, 2, 2), (1, 1), 67),
    "qa7": (200, 5, (2, 8.14, 34), (1, 8), 1),
    "qa15": (250, 4, (8, 8, 8), (2, 2), 322),
    "qa17": (125, 8, (2, 2, 2), (2, 2), 368),
    "qa18": (199, 9, (5, 6.11, 15), (2, 2), 398),
    "qa20": (93, 12, (1, 5.90, 12), (1, 1), 94),
}
"""Stories, most questions of one, facts, least and most supports: docs/spec/babilong.md 2.4; repeated questions:
docs/spec/babilong.md 2.6, and counted."""


@pytest.fixture(scope="module")
def real_files(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("babi")
    with zipfile.ZipFile(mirror / "babi" / "tasks_1-20_v1-2.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.real
@pytest.mark.parametrize("task", REAL)
def test_figures_of_the_real_files(task: str, real_files: Path) -> None:
    (figures,) = measure(story_questions(real_files, task, "test", "en-10k"))
    stories, per_story, facts, supports, repeated = REAL[task]
    assert (figures.questions, figures.stories, figures.per_story.most) == (1000, stories, per_story)
    assert (figures.facts.least, round(figures.facts.mean, 2), figures.facts.most) == facts
    assert (figures.supports.least, figures.supports.most) == supports
    assert figures.repeated == repeated


@pytest.mark.real
@pytest.mark.parametrize(("task", "held"), [("qa4", 741), ("qa17", 152), ("qa20", 203)])
def test_test_questions_that_the_real_training_files_hold(task: str, held: int, real_files: Path) -> None:
    parts: tuple[Split, ...] = ("test", "train")
    questions = (question for part in parts for question in story_questions(real_files, task, part, "en-10k"))
    assert measure(questions)[0].in_train == held


# stories.txt: both sides, measured once ----------------------------------------------------------------------------

TABLE = Path(__file__).with_name("stories.txt").read_text(encoding="utf-8").splitlines()
FAST = ("qa1", "qa15", "qa17")
TASKS = tuple(f"qa{n}" for n in range(1, 21))
SIZES: tuple[tuple[Split, int], ...] = (("test", 1_000), ("train", 10_000))


def simulated(task: str) -> Iterator[StoryQuestion]:
    """As in the table: 1,000 test and 10,000 training questions of seed 1."""
    for part, questions in SIZES:
        position = 0
        for number, story in enumerate(stories(task, part, seed=1, questions=questions)):
            facts: list[str] = []
            index: dict[int, int] = {}
            for line, said in enumerate(story.lines, start=1):
                if isinstance(said, Fact):
                    index[line] = len(facts)
                    facts.append(said.text)
                else:
                    supporting = tuple(index[at] for at in said.supporting)
                    yield StoryQuestion(
                        task,
                        part,
                        number,
                        position,
                        tuple(facts),
                        said.question,
                        said.answer,
                        supporting,
                    )
                    position += 1


def line(figures: StoryFigures, name: str) -> str:
    """One line of the table."""
    shares = [100 * share for share in figures.labels.values()]
    cells = (
        figures.task,
        name,
        spelt(figures.per_story),
        spelt(figures.facts),
        spelt(figures.supports),
        f"{figures.after_support.mean:.1f}",
        f"{figures.depth.mean:.2f}",
        f"{len(shares)}: {min(shares):.1f} to {max(shares):.1f}",
        f"{figures.repeated:,}",
        f"{figures.in_train:,}",
    )
    return f"| {' | '.join(cells)} |"


def spelt(spread: Spread) -> str:
    """Least / mean / largest, or the one value there is."""
    if spread.least == spread.most:
        return f"{spread.least:.0f}"
    return f"{spread.least:.0f} / {spread.mean:.1f} / {spread.most:.0f}"


@pytest.mark.parametrize(
    "task", [task if task in FAST else pytest.param(task, marks=pytest.mark.slow) for task in TASKS]
)
def test_simulated_stories_are_as_measured(task: str) -> None:
    assert line(measure(simulated(task))[0], "simulated") in TABLE


@pytest.mark.real
@pytest.mark.parametrize("task", TASKS)
def test_real_stories_are_as_measured(task: str, real_files: Path) -> None:
    found = measure(
        question
        for part, _ in SIZES
        for question in story_questions(real_files, task, part, "en-10k", train_variant="en")
    )
    assert line(found[0], "real") in TABLE
