"""Which questions a release asks and in what order, what their words mean, and what a row says of its own facts."""

from __future__ import annotations

import json
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
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.params import ReleaseParams, parse
from haymaker.core.rows.source_records import Split, StoryQuestion
from haymaker.core.text.strings import folded
from haymaker.scoring.metrics import get
from pipelines.checks.shortcuts.answer_formats import mentioned
from pipelines.checks.shortcuts.questions import Learnt
from tests.pipelines import tiny
from worlds.babi import Ask, Fact, VocabularyName, stories

FACTS = ("Mary went to the office.", "John went to the garden.")
STORIES = json.loads(Path(__file__).with_name("stories.json").read_text(encoding="utf-8"))


def question(
    position: int, question: str, answer: str, *, task: str = "qa1", facts: tuple[str, ...] = FACTS
) -> StoryQuestion:
    return StoryQuestion(task, "test", 0, position, facts, question, answer, (0,))


MARY, JOHN = question(0, "Where is Mary?", "office"), question(1, "Where is John?", "garden")
OTHER = question(2, "Where is Mary?", "kitchen", facts=("Mary went to the kitchen.",))


def files(**questions: list[StoryQuestion]) -> Read:
    return lambda task, split: questions[split]


def test_the_same_facts_and_question_are_used_once_and_counted() -> None:
    again = question(7, "Where is Mary?", "office")
    kept, dropped = pool(
        files(test=[MARY, JOHN, again, OTHER, again]), "qa1", "test", stream_key=1, apart_from={"test"}
    )
    assert sorted(q.position for q in kept) == [0, 1, 2]
    assert dropped == {"duplicate": 2}


def test_train_and_dev_leave_out_what_earlier_splits_hold() -> None:
    read = files(test=[MARY], dev=[MARY, JOHN], train=[MARY, JOHN, OTHER])

    def positions(split: Split, *splits: Split) -> tuple[list[int], dict[str, int]]:
        kept, dropped = pool(read, "qa1", split, stream_key=1, apart_from=splits)
        return sorted(q.position for q in kept), dict(dropped)

    assert positions("train", "test", "dev", "train") == ([2], {"duplicate": 2})
    assert positions("train", "test", "train") == ([1, 2], {"duplicate": 1})
    assert positions("dev", "test", "dev") == ([1], {"duplicate": 1})
    assert positions("test", "test", "dev", "train") == ([0], {})


def test_a_question_with_several_readings_or_another_answer_is_left_out_and_counted() -> None:
    doubtful = [question(5, "Where is John?", "kitchen")]
    for case in STORIES["ambiguous"]:
        facts = tuple(f"{fact}." for fact in case["facts"].split(" / "))
        doubtful.append(question(5, case["question"], case["answer"], task=case["task"], facts=facts))
    for each in doubtful:
        with pytest.raises(BuildError, match="no question can be solved from its facts"):
            pool(files(test=[each]), each.task, "test", stream_key=1, apart_from={"test"})
    kept, dropped = pool(files(test=[MARY, doubtful[0]]), "qa1", "test", stream_key=1, apart_from={"test"})
    assert (kept, dropped) == ([MARY], {"undecidable": 1})


def test_seed_0_is_a_seed_like_any_other_and_none_is_refused() -> None:
    release = tiny.params()["release"]
    assert parse(ReleaseParams, release | {"seed": 0}, where="release").seed == 0
    for seed in (None, -1, 0.5, "0"):
        with pytest.raises(ParamsError, match="seed"):
            parse(ReleaseParams, release | {"seed": seed}, where="release")
    with pytest.raises(ParamsError, match="'seed' is missing"):
        parse(ReleaseParams, {key: value for key, value in release.items() if key != "seed"}, where="release")
    many = [question(i, "Where is Mary?", "office", facts=(*FACTS, *FACTS[1:] * i)) for i in range(20)]
    orders = [
        [q.position for q in pool(files(test=many), "qa1", "test", stream_key=seed, apart_from={"test"})[0]]
        for seed in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(20)) != orders[0]


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


def test_the_same_facts_in_another_order_are_the_same_question() -> None:
    one = question(0, "What is north of the garden?", "kitchen", task="qa4", facts=PLACES)
    other = question(1, "What is north of the garden?", "kitchen", task="qa4", facts=PLACES[::-1])
    kept, dropped = pool(lambda *_: [one, other], "qa4", "test", stream_key=1, apart_from={"test"})
    assert (len(kept), dropped) == (1, {"duplicate": 1})
    held: dict[Split, list[StoryQuestion]] = {"test": [one], "train": [other], "dev": []}
    third = question(2, "What is south of the office?", "kitchen", task="qa4", facts=PLACES)
    held["train"].append(third)
    kept, dropped = pool(lambda _, split: held[split], "qa4", "train", stream_key=1, apart_from={"test", "train"})
    assert (kept, dropped) == ([third], {"duplicate": 1})
    # where the order decides, another answer is another question
    swapped = (MOVES[1], MOVES[0], MOVES[2])
    two = [
        question(0, "Where is Mary?", "garden", task="qa1", facts=MOVES),
        question(1, "Where is Mary?", "office", task="qa1", facts=swapped),
    ]
    later = question(2, "Where is Mary?", "garden", task="qa1", facts=(MOVES[2], *MOVES[:2]))
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
