"""The bAbI oracles: rules on small stories, finished prompts, prose, and (marked real) the published files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.babilong.oracle import OracleError, Vocabulary, find_facts, solve, solve_story
from generators.babilong.oracles.shapes import grammar
from generators.babilong.oracles.vocabulary import words
from generators.babilong.prompts import load_prompts, render_head, render_tail
from haymaker.core.errors import BuildError
from tests.errors import refused
from tests.extras import few
from tests.growth import TIMES, grows

TASKS = tuple(f"qa{n}" for n in range(1, 21))


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
