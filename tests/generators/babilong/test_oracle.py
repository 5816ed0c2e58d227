"""The bAbI oracles: rules on small stories, finished prompts, prose; and against the simulator, which was written apart."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sources.babi_shapes import LargeLookalikes
from generators.babilong.oracle import OracleError, Vocabulary, find_facts, labels, solve, solve_story
from generators.babilong.oracles.shapes import QUESTION_SHAPES, SIDES, WAYS, grammar
from generators.babilong.oracles.vocabulary import words
from generators.babilong.prompts import load_prompts, render_head, render_tail
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Split
from tests.errors import refused
from tests.extras import few
from tests.growth import TIMES, grows
from worlds.babi import TASKS, Ask, Balance, Fact, VocabularyName, stories
from worlds.babi_worlds import vocabulary as simulator


class Case(NamedTuple):
    task: str
    facts: str
    question: str
    answer: str
    supporting: tuple[int, ...]


# Stories for the rules of docs/spec/babilong.md 5; facts are joined by " / " and get their full stop in the test.
_STORIES = json.loads(Path(__file__).with_name("stories.json").read_text(encoding="utf-8"))


def _cases(group: str) -> list[Case]:
    return [Case(**story | {"supporting": tuple(story["supporting"])}) for story in _STORIES[group]]


CASES, AMBIGUOUS, UNKNOWN = _cases("solved"), _cases("ambiguous"), _cases("unknown")
IDS = [f"{case.task}-{i}" for i, case in enumerate(CASES)]


OWN = Vocabulary(people=("Elizabeth",), places=("window", "bay window"))


def _facts(case: Case) -> list[str]:
    return [f"{fact}." for fact in case.facts.split(" / ")]


@pytest.mark.parametrize("case", CASES, ids=IDS)
@few
@given(draw=st.data())
def test_a_prompt_is_solved_wherever_the_facts_stand(case: Case, draw: st.DataObject) -> None:
    prose = [
        "Elizabeth went to the window.", "Then he said: “No!”", "The sea is\nsouth of us.", "Mary is tall.", "☞ Ω.",
        "CHAPTER",
    ]  # fmt: skip
    context, starts = "", []
    head = render_head(load_prompts()[case.task])
    for fact in _facts(case):
        for sentence in draw.draw(st.lists(st.sampled_from(prose), max_size=3)):
            context += f" {sentence}" if context else sentence
        context += " " if context else ""
        starts.append(len(head) + len(context))
        context += fact
    prompt = head + context + " The end." + render_tail(case.question)
    found = solve(case.task, prompt, strict=True)
    assert found.answer == case.answer
    assert found.supporting == tuple(starts[i] for i in case.supporting)
    story = solve_story(case.task, _facts(case), case.question + " ", strict=True)
    assert (story.answer, story.supporting) == (case.answer, case.supporting)
    enough = [_facts(case)[line] for line in story.evidence]
    assert solve_story(case.task, enough, case.question, strict=True).answer == case.answer
    assert solve(case.task, prompt.removesuffix("\nAnswer:"), strict=True) == found


def test_what_the_supports_of_qa3_leave_out() -> None:
    facts = ["John got the milk.", "John went to the office.", "Mary went to the hallway.", "John went to the garden."]
    facts += ["John went to the kitchen.", "John left the milk there."]
    found = solve_story("qa3", facts, "Where was the milk before the garden?", strict=True)
    assert (found.supporting, found.also, found.evidence) == ((5, 3, 1), (0, 0), (0, 1, 3, 5))


@pytest.mark.parametrize("case", AMBIGUOUS, ids=lambda case: case.task)
def test_several_readings_are_an_error_when_strict_and_a_guess_when_not(case: Case) -> None:
    found = solve_story(case.task, _facts(case), case.question)
    assert (found.answer, found.supporting) == (case.answer, case.supporting)
    with refused(OracleError, "", "ambiguous") as caught:
        solve_story(case.task, _facts(case), case.question, strict=True)
    assert caught.value.ambiguous
    assert copy.copy(caught.value).ambiguous  # copies like pickling does: a worker can hand it to its parent


@pytest.mark.parametrize("case", UNKNOWN, ids=lambda case: case.task)
def test_a_question_the_facts_do_not_answer_is_an_error(case: Case) -> None:
    with refused(OracleError, "", "answered") as caught:
        solve_story(case.task, _facts(case), case.question)
    assert not caught.value.ambiguous
    assert isinstance(caught.value, BuildError)


@pytest.mark.parametrize(
    ("task", "vocabulary", "sentence", "fact"),
    [
        ("qa1", "classic", "Mary went back to the office.", True),
        *(("qa1", "classic", other, False) for other in (
            "Mary went to the office", "Mary went to the office. ", " Mary went to the office.", "Mary went to the window.",
            "Elizabeth went to the office.", "Mary and John went to the office.", "mary went to the office.", "Mary went to the office.”",
            "", "Zuleika went to the barn.",
        )),
        ("qa11", "classic", "Then they went to the office.", False),
        ("qa13", "classic", "Then they went to the office.", True),
        ("qa1", "large", "Zuleika went to the barn.", True),
        ("qa1", "large", "Mary went to the office.", False),
        ("qa1", OWN, "Elizabeth went to the bay window.", True),
        ("qa1", OWN, "Mary went to the window.", False),
    ],
)  # fmt: skip
def test_a_fact_is_a_whole_sentence_of_a_vocabulary(
    task: str, vocabulary: str | Vocabulary, sentence: str, fact: bool
) -> None:
    known = words(task, vocabulary) if isinstance(vocabulary, str) else vocabulary
    assert (grammar(task, known).fact(sentence) is not None) == fact


def test_facts_are_found_only_between_spaces() -> None:
    text = (
        "Mary went to the office. “John went to the garden. So John went to the garden.) Rosemary went to the office."
    )
    text += " Mary went to the kitchen."
    assert find_facts("qa1", text) == [
        (0, "Mary went to the office."),
        (text.rindex("Mary"), "Mary went to the kitchen."),
    ]
    assert find_facts("qa12", "Mary and John went to the office.") == [(0, "Mary and John went to the office.")]


def test_what_is_not_a_prompt_is_named() -> None:
    tail = render_tail("Where is Mary?")
    for prompt, message in (
        ("Mary went to the office." + tail, ("qa1 prompt", "context")),
        ("a\n<text>\nMary went to the office.", ("qa1 prompt", "context")),
        ("a\n<text>\nMary went to the office.\n</text>\n\nWhere is Mary?", ("qa1 prompt", "line")),
        ("a\n<text>\nMary went to the office." + render_tail("Who is Mary?"), ("qa1", "question")),
    ):
        with refused(OracleError, *message):
            solve("qa1", prompt)
    with refused(OracleError, "", "'qa21'"):
        solve("qa21", "")
    with refused(OracleError, "qa1, fact 0"):
        solve_story("qa1", ["Mary sings."], "Where is Mary?")
    with refused(OracleError, "", "'huge'"):
        words("qa1", "huge")


def test_reading_costs_no_more_than_a_prompt_is_long() -> None:
    """A million tokens take 0.03 s; quadratic reading would need minutes."""
    head, tail = render_head(load_prompts("large")["qa1"]), render_tail("Where is Cyrus?")

    def read(sentences: int) -> None:
        prose = "Cyrus said that John went away. The house, the garden and Then. " * sentences
        prompt = f"{head}{prose}Cyrus went to the barn. {prose.strip()}{tail}"
        assert solve("qa1", prompt, vocabulary="large").answer == "barn"

    assert grows(read, 4_000) < 2.5 * TIMES


EDITIONS: tuple[VocabularyName, ...] = get_args(VocabularyName)
NAMES = tuple(f"qa{n}" for n in range(1, 21))
EACH = list(product(EDITIONS, NAMES))
# Sentences of a novel with words of `large`; no fact stands in them between a space and a full stop.
NEAR = (
    "Zuleika went to the barn with her dog.", "zuleika went to the barn.", "Zuleika Prescott went to the barn.",
    "Zuleika went to the barn,", "Zuleika went to the old barn.", "Elizabeth went to the barn.",
    "Zuleika went to the church tower.", "Zuleika is cold and hungry.", "Zuleika is a badger at heart.",
    "Cyrus gave the sword to the king.", "“Cyrus took the sword there.”", "The barn is north of the old chapel.",
    "The van is bigger than the barn door.", "The purple cone is above the purple sky.", "Badgers are afraid of dogs.",
    "Then she went to the barn and slept.",
)  # fmt: skip


def story_questions(task: str, edition: VocabularyName, **more: Any) -> Iterator[tuple[list[str], Ask, dict[int, int]]]:
    """Every question of some stories: facts before it, itself, and line id to fact."""
    for story in stories(task, vocabulary=edition, **more):
        facts: list[str] = []
        fact_at: dict[int, int] = {}
        for number, line in enumerate(story.lines, start=1):
            if isinstance(line, Fact):
                fact_at[number] = len(facts)
                facts.append(line.text)
            else:
                yield facts[:], line, fact_at


@pytest.mark.parametrize("edition", EDITIONS)
def test_both_have_the_same_in_questions(edition: VocabularyName) -> None:
    theirs = simulator.vocabulary(edition)
    known = [words(task, edition) for task in NAMES]

    def ours(name: str) -> set[Any]:
        return {word for each in known for word in getattr(each, name)}

    assert ours("people") == {name for group in theirs.people.values() for name in group}
    assert ours("places") == {name for group in theirs.places.values() for name in group}
    assert ours("objects") == {*theirs.objects, *(motive.what for motive in theirs.motives)}
    assert ours("kinds") == {tuple(kind) for group in theirs.species.values() for kind in group}
    assert ours("colours") == set(theirs.colours)
    assert ours("figures") == set(theirs.figures)
    assert ours("things") == {thing for row in theirs.things for thing in row}
    assert ours("motives") == {tuple(motive) for motive in theirs.motives}


@st.composite
def settings_of_stories(draw: st.DrawFn) -> dict[str, Any]:
    """Any task, edition, length, balance, split and seed."""
    task, edition = draw(st.sampled_from(NAMES)), draw(st.sampled_from(EDITIONS))
    lengths = TASKS[task].lengths(simulator.vocabulary(edition))
    return {
        "task": task, "edition": edition,
        "facts": draw(st.none() | st.sampled_from(lengths) | st.just(lengths[-1])),
        "balance": draw(st.sampled_from(get_args(Balance))), "split": draw(st.sampled_from(get_args(Split))),
        "seed": draw(st.integers(0, 2**32)), "questions": 3,  # dev has four stories of qa15 with three facts
    }  # fmt: skip


@given(settings_of_stories())
def test_simulated_stories_are_solved_with_supports_and_evidence(chosen: dict[str, Any]) -> None:
    task, edition = chosen["task"], chosen["edition"]
    for facts, item, fact_at in story_questions(**chosen):
        found = solve_story(task, facts, item.question, strict=True, vocabulary=edition)
        assert found.answer == item.answer
        if task == "qa18":  # the choice among several paths is arbitrary (docs/defects/babilong.md 5.18)
            assert len(found.supporting) == len(item.supporting)
        else:
            assert found.supporting == tuple(fact_at[line] for line in item.supporting)
            assert found.evidence == tuple(fact_at[line] for line in item.evidence)
        enough = [facts[line] for line in found.evidence]
        assert solve_story(task, enough, item.question, strict=True, vocabulary=edition).answer == item.answer


def test_sentences_of_a_novel_are_no_facts_of_large() -> None:
    text = " ".join(NEAR)
    assert not [found for task in NAMES for found in find_facts(task, text, vocabulary="large")]
    assert find_facts("qa1", f"{text} Zuleika went to the barn.", vocabulary="large")


def test_a_background_without_lookalikes_has_no_fact() -> None:
    """Whatever the oracle takes for a fact of `large`, the cleaning leaves out, also inside a sentence."""
    looks = LargeLookalikes().look
    told = [story_questions(task, "large", split="train", seed=8, questions=15) for task in NAMES]
    for fact in {fact for each in told for facts, _, _ in each for fact in facts}:
        assert looks(f" {fact}") == looks(f" “Well, {fact[:-1]},” he said.") == looks(f" {fact.upper()}") == "fact"
    assert looks(" He went to the church, and she took the lamp.") == ""
    assert looks(" Mary went to the garden.") == looks(" The street is north of the river.") == ""
    assert looks(" Cyrus took the road to Rome.") == "near"


# ------------------------------------------------------------------------------------------------------------ labels


def _in_questions(task: str, edition: str) -> set[str]:
    """Everything that can stand in a question of the task: single words, and what fills its slots; in lower case."""
    found: set[str] = set()
    for shape in QUESTION_SHAPES[task].values():
        found |= set(re.findall(r"\w+", re.sub(r"\{.*?\}", " ", shape)))
        for of in re.findall(r"=(\w+)\}", shape):
            found |= set({"ways": WAYS, "sides": SIDES}.get(of) or getattr(words(task, edition), of))
    return {word.lower() for word in found}


def test_no_label_hides_in_another_nor_in_a_question() -> None:
    """Both metrics look for labels in the output and the official one takes away those that stand in the question."""
    for edition, task in EACH:
        found = [label.lower() for label in labels(task, edition)]
        assert len(found) == len(set(found)) and list(labels(task, edition)) == sorted(labels(task, edition))
        inside = {(a, b) for a, b in product(found, found) if a != b and a in b}
        assert inside == ({("one", "none")} if task == "qa7" else set())
        assert not {
            (label, word)
            for label, word in product(found, _in_questions(task, edition))
            if label != word and label in word
        }


# -------------------------------------------------------------------------------------------------------- large worlds


def test_many_equally_short_paths_are_counted_not_listed() -> None:
    """A street of squares: 2 to the power of 100 shortest ways, a fact a side."""
    places = words("qa19", "large").places
    corners, turns = places[:101], [places[101:201], places[201:301]]
    facts = []
    for (here, there), *sides in zip(pairwise(corners), *turns, strict=True):
        facts += [f"The {sides[0]} is north of the {here}.", f"The {there} is east of the {sides[0]}."]
        facts += [f"The {sides[1]} is east of the {here}.", f"The {there} is north of the {sides[1]}."]
    question = f"How do you go from the {corners[0]} to the {corners[-1]}?"
    found = solve_story("qa19", facts, question, vocabulary="large")
    assert found.answer == ",".join(["n,e"] * 100)
    assert len(found.evidence) == 200
    with refused(OracleError, "", "short"):
        solve_story("qa19", facts, question, strict=True, vocabulary="large")
