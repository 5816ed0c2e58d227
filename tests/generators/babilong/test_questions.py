"""The order in which a release asks its questions, which questions are the same, and what a question's words mean."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from corpora.sources.babi import story_questions
from generators.babilong.oracle import OracleError, labels, solve_story
from generators.babilong.prompts import load_prompts
from generators.babilong.questions import Read, identity, pool
from generators.babilong.suite import SUITE
from haymaker.core.rows.source_records import Split, StoryQuestion
from haymaker.core.text.strings import folded
from haymaker.scoring.metrics import get
from pipelines.checks.shortcuts.answer_formats import mentioned
from pipelines.checks.shortcuts.questions import Learnt
from worlds.babi import Ask, Fact, VocabularyName, stories

TASKS = tuple(f"qa{n}" for n in range(1, 21))


@cache
def simulated(task: str, split: Split, words: VocabularyName = "classic", questions: int = 250) -> list[StoryQuestion]:
    found: list[StoryQuestion] = []
    for story, told in enumerate(stories(task, split, seed=8, questions=questions, vocabulary=words)):
        facts: list[str] = []
        line: dict[int, int] = {}
        for number, each in enumerate(told.lines, start=1):
            if isinstance(each, Fact):
                line[number] = len(facts)
                facts.append(each.text)
            elif isinstance(each, Ask):
                supports = tuple(line[n] for n in each.supporting)
                asked = each.question, each.answer
                found.append(StoryQuestion(task, split, story, len(found), tuple(facts), *asked, supports))
    return found


def asked(task: str, words: VocabularyName = "classic") -> list[StoryQuestion]:
    """In the order of a release."""
    read: Read = lambda name, split: simulated(name, split, words)  # noqa: E731
    return pool(read, task, "test", stream_key="here", apart_from={"test"}, vocabulary=words)[0]


@pytest.fixture(scope="module")
def real(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Read:
    raw = tmp_path_factory.mktemp("babi")
    with zipfile.ZipFile(mirror / "babi" / "tasks_1-20_v1-2.zip") as archive:
        archive.extractall(
            raw, [name for name in archive.namelist() if "/en-10k/" in name and name.endswith("_test.txt")]
        )
    return cache(lambda task, split: story_questions(raw, task, split, "en-10k", name="babi"))


def answer(question: StoryQuestion) -> str:
    """The lists of qa8 are one answer."""
    return "list" if question.task == "qa8" and "," in question.answer else question.answer


def assert_balanced(questions: list[StoryQuestion]) -> None:
    """However many are taken: an answer comes as often as the commonest or once less, or all its questions have come."""
    whole, so_far = Counter(map(answer, questions)), Counter[str]()
    for question in questions:
        so_far[answer(question)] += 1
        most = max(so_far.values())
        behind = {label for label, n in whole.items() if so_far[label] < min(n, most - 1)}
        assert not behind, (so_far, behind)


@pytest.mark.parametrize("task", ("qa1", "qa4", "qa5", "qa7", "qa8", "qa10", "qa19", "qa20"))
def test_answers_take_turns_in_every_prefix(task: str) -> None:
    questions = asked(task)
    assert_balanced(questions)
    assert sorted(q.position for q in questions) == sorted(q.position for q in simulated(task, "test"))


@pytest.mark.real
@pytest.mark.parametrize("task", ("qa5", "qa8", "qa14", "qa19"))
def test_answers_take_turns_in_every_prefix_of_the_real_files(task: str, real: Read) -> None:
    questions = pool(real, task, "test", stream_key="here", apart_from={"test"})[0]
    assert len(questions) >= 600
    assert_balanced(questions)


@pytest.mark.real
@pytest.mark.parametrize("task", TASKS)
def test_the_published_test_files_are_solved(task: str, real: Read) -> None:
    """docs/spec/babilong.md 4: all answers and ordered supports, but 2 in qa5 and the pick in qa18."""
    found: Counter[str] = Counter()
    for q in real(task, "test"):
        solved = solve_story(task, q.facts, q.question)
        found["answers"] += solved.answer == q.answer
        found["supports"] += solved.supporting == tuple(q.supporting) or task == "qa18"
        found["alone"] += _answer_from_alone(task, q.facts, q.supporting, q.question) == q.answer
        found["enough"] += _answer_from_alone(task, q.facts, solved.evidence, q.question) == solved.answer
        assert task == "qa3" or solved.also == ()
    right = 998 if task == "qa5" else 1000
    alone = 209 if task == "qa3" else 1000  # qa3: not enough (docs/defects/babilong.md 5.3)
    assert found == {"answers": right, "supports": right, "alone": alone, "enough": 1000}


def _answer_from_alone(task: str, facts: Sequence[str], lines: Sequence[int], question: str) -> str:
    """The answer from some facts and nothing else."""
    try:
        return solve_story(task, [facts[line] for line in sorted(set(lines))], question).answer
    except OracleError:
        return ""


@pytest.mark.parametrize("task", ("qa5", "qa8", "qa16", "qa20"))
def test_answers_of_a_large_edition_differ_and_keep_their_kinds(task: str) -> None:
    first = Counter(map(answer, asked(task, "large")[:20]))
    kinds = {"nothing": 4, "list": 4} if task == "qa8" else {}
    assert {kind: first.pop(kind) for kind in kinds} == kinds
    assert set(first.values()) == {1}


# ------------------------------------------------------------------------------------------------------ the same question

PLACES = ("The office is north of the kitchen.", "The kitchen is north of the garden.")
MOVES = ("Mary went to the office.", "Mary went to the garden.", "John went to the kitchen.")


def question(task: str, facts: tuple[str, ...], words: str, answer: str, position: int = 0) -> StoryQuestion:
    return StoryQuestion(task, "test", 0, position, facts, words, answer, (0,))


def test_the_same_facts_in_another_order_are_the_same_question() -> None:
    one = question("qa4", PLACES, "What is north of the garden?", "kitchen")
    other = question("qa4", PLACES[::-1], "What is north of the garden?", "kitchen", 1)
    kept, dropped = pool(lambda *_: [one, other], "qa4", "test", stream_key=1, apart_from={"test"})
    assert (len(kept), dropped) == (1, {"duplicate": 1})
    held: dict[Split, list[StoryQuestion]] = {"test": [one], "train": [other], "dev": []}
    third = question("qa4", PLACES, "What is south of the office?", "kitchen", 2)
    held["train"].append(third)
    kept, dropped = pool(lambda _, split: held[split], "qa4", "train", stream_key=1, apart_from={"test", "train"})
    assert (kept, dropped) == ([third], {"duplicate": 1})
    # where the order decides, another answer is another question
    swapped = (MOVES[1], MOVES[0], MOVES[2])
    two = [question("qa1", MOVES, "Where is Mary?", "garden"), question("qa1", swapped, "Where is Mary?", "office", 1)]
    later = question("qa1", (MOVES[2], *MOVES[:2]), "Where is Mary?", "garden", 2)
    kept, dropped = pool(lambda *_: [*two, later], "qa1", "test", stream_key=1, apart_from={"test"})
    assert (sorted(q.position for q in kept), dropped) == ([0, 1], {"duplicate": 1})


@pytest.mark.parametrize("task", ["qa4", "qa14", "qa16", "qa18", "qa19"])
def test_simulated_splits_share_no_set_of_facts(task: str) -> None:
    """Where the order of the facts does not decide."""
    read: Read = lambda name, split: simulated(name, split)  # noqa: E731
    assert not pool(read, task, "train", stream_key=1, apart_from={"test", "train"})[1]
    test, train = (
        {identity(q.facts, q.question, q.answer) for q in simulated(task, split)} for split in ("test", "train")
    )  # type: ignore[arg-type]
    assert len(test) == len(train) == 250 and test.isdisjoint(train)


# ------------------------------------------------------------------------------------------------------------- one answer


@pytest.mark.parametrize(
    ("task", "words", "example", "shown", "answer"),
    [
        ("qa3", "The answer is the last place the object was in before the given place, not an earlier one", 0, r"Clara \w+ to the .* Clara \w+ to the .* Clara \w+ to the", ""),
        ("qa4", "north of a place means directly north of it: the next place on that side, never one farther on", 0,
            r"attic is north of the library.* library is north of the cellar.*What is north of the cellar\?", "library"),
        ("qa14", "The answer is the last place the person was in before the given place, not an earlier one", 1, r"Hugo \w+ to the .* Hugo \w+ to the .* Hugo \w+ to the", ""),
        ("qa16", "Animals of other species may differ in colour among themselves", 1,
            r"Priya is a horse.*Clara is a horse.*Priya is black.*Clara is brown.*What color is Leila\?", "blue"),
        ("qa17", "anywhere higher up, even if it is also off to one side", 0, r" is above .* is to the left of ", "yes"),
        ("qa19", "between two places that one of these facts connects; no other step is allowed", 1,
            r"(?=.*library is south of the balcony)(?=.*attic is south of the workshop).*balcony is west of the workshop", "w,s"),
    ],
)  # fmt: skip
def test_a_second_reading_is_ruled_out_and_an_example_shows_it(
    task: str, words: str, example: int, shown: str, answer: str
) -> None:
    prompt = load_prompts()[task]
    assert words in prompt.instruction
    given = prompt.examples[example]
    assert re.search(shown, " ".join([*given.facts, given.question]))
    assert not answer or given.answer == answer


# -------------------------------------------------------------------------------------------------------------- shortcuts


@pytest.mark.parametrize("task", TASKS)
def test_a_label_that_stands_first_or_last_gets_no_more_than_is_allowed(task: str) -> None:
    (spec,) = (spec for spec in SUITE.tasks if spec.name == task)
    choices, score = labels(task, "classic"), get("babilong@strict").function
    chance = max(10.0, min(150 / len(choices), 100 / len(choices) + 15))
    questions = simulated(task, "test", questions=400)
    for name, last in (("last_mentioned", True), ("first_mentioned", False)):
        right = 0.0
        for q in questions:
            said = mentioned(folded(" ".join(q.facts)), choices, last=last)
            right += score(said, {"answers": [q.answer], "question": q.question, "choices": list(choices)})
        allowed = max(chance, spec.allows[name].percent if name in spec.allows else 0)
        assert 100 * right / len(questions) <= allowed + 5, (name, right)
    every = dict(enumerate(questions))
    learnt = Learnt({f"{at}": q.question for at, q in every.items()}, {f"{at}": [q.answer] for at, q in every.items()})
    right = sum(learnt.answer(f"{at}") == q.answer for at, q in every.items())
    allowed = max(chance, spec.allows["question_alone"].percent if "question_alone" in spec.allows else 0)
    assert 100 * right / len(questions) <= allowed + 5, right
    assert task not in ("qa18", "qa20") or 100 * right / len(questions) >= 50, "bAbI's own rule: the card says so"
