"""The simulated bAbI stories of all tasks: truth of every answer and support, facts that agree, wording, length.

The solvers of generators/babilong share no code with the simulator, know the words and sentences of every task, and are tested on
the real files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from generators.babilong.oracle import solve_story
from generators.babilong.oracles.shapes import TIMES, Parsed, grammar
from generators.babilong.oracles.vocabulary import words as known_words
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Split
from tests.extras import LONG
from worlds.babi import BABI_WORLD_VERSION, TASKS, Ask, Balance, Fact, Story, VocabularyName, check, stories
from worlds.babi_worlds.vocabulary import vocabulary

SPLITS: tuple[Split, ...] = ("train", "dev", "test")
WORDS: tuple[VocabularyName, ...] = ("classic", "large")

GOLDEN = {
    "qa1": "430cd3a32bdbf0ea 6b8dd8c3ccf2bb87", "qa2": "040c2ba0a5ca5620 754abfc0ff2cb195",
    "qa3": "1bf3a086bbe13874 9b843760cec676c1", "qa4": "8eb350953ff86e7f 770367c9c2e3212d",
    "qa5": "7c40b27894cd4e1c 9352d1eeb130d99b", "qa6": "fee47e2cf429571e 702a3e41d28d5546",
    "qa7": "aadc7a6041dc7013 0eb9c8f0b253e003", "qa8": "08be47b11cd06a22 85d92ce326a30119",
    "qa9": "662bd7792e72d3ad 83c91bd8112163c9", "qa10": "839e8760fb0e88d6 9a3387c5591e6e36",
    "qa11": "63125fd5fe2df962 300cf0857ab4243d", "qa12": "af5dcb2a3c47234b ce49a717023b378e",
    "qa13": "6aa4687bb84314d6 826ff5ffba27ea22", "qa14": "8c23d477f874fa92 182a98628a58b539",
    "qa15": "d086024dce1d444c 472353aac11cad8d", "qa16": "f005fa750aaa874f f550fbbf78db6dab",
    "qa17": "0799d2c9f4eafed3 c5e9976ed0b5f646", "qa18": "09a7f408e62555c3 ee48979492ddadc7",
    "qa19": "2e3c66771fb7a81d 6e061ee490786626", "qa20": "e2f061d73a938f4a 0f95e38f7acb4c44",
}  # fmt: skip
"""First 16 hex digits of the SHA-256 of 200 test questions, seed 1: classic, large. New bytes need a new version."""

Point = tuple[int, int]
STEP = {
    "north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0), "above": (0, 1), "below": (0, -1),
    "to the right of": (1, 0), "to the left of": (-1, 0),
}  # fmt: skip


def rendered(task: str, told: Iterable[Story]) -> str:
    space = " " if TASKS[task].trailing_space else ""
    return "".join(
        f"{n} {line.text}\n"
        if isinstance(line, Fact)
        else f"{n} {line.question}{space}\t{line.answer}\t{' '.join(map(str, line.supporting))}\n"
        for story in told
        for n, line in enumerate(story.lines, start=1)
    )


def solved(task: str, story: Story, words: VocabularyName) -> int:
    """Compare every question with its solver, which also knows the answer from the evidence alone; how many there were."""
    told = {n: line.text for n, line in enumerate(story.lines, start=1) if isinstance(line, Fact)}
    asked = [(n, line) for n, line in enumerate(story.lines, start=1) if isinstance(line, Ask)]
    for at, ask in asked:
        before = [n for n in told if n < at]
        found = solve_story(task, [told[n] for n in before], ask.question, strict=True, vocabulary=words)
        assert (found.answer, tuple(before[i] for i in found.supporting)) == (ask.answer, ask.supporting), ask
        assert tuple(before[i] for i in found.evidence) == ask.evidence, ask
        alone = solve_story(task, [told[n] for n in ask.evidence], ask.question, vocabulary=words)
        assert alone.answer == ask.answer, ask
    return len(asked)


def parsed(task: str, facts: Iterable[str], words: VocabularyName = "classic") -> list[Parsed]:
    found = [grammar(task, known_words(task, words)).fact(text) for text in facts]
    assert None not in found, facts
    return [each for each in found if each]


def texts(story: Story) -> list[str]:
    return [line.text for line in story.lines if isinstance(line, Fact)]


class Reading:
    """What a careful reader knows after some facts; a fact that cannot follow the ones before is an AssertionError."""

    def __init__(self, pronouns: dict[str, str]) -> None:
        self.at: dict[str, str | None] = {}
        self.said: dict[str, Parsed] = {}
        self.holder: dict[str, str] = {}
        self.lies: dict[str, str | None] = {}
        self.days: dict[str, dict[int, str]] = {}
        self.pronouns = pronouns
        self.moved: list[str] = []

    def read(self, facts: Iterable[Parsed]) -> None:
        for fact in facts:
            self.fact(fact)
            if "who" in fact.words:
                self.said[fact["who"]] = fact

    def fact(self, fact: Parsed) -> None:
        who, shape = fact.get("who") or "", fact.shape
        if shape in ("move", "pair", "pronoun", "they"):
            self.goes(fact)
        elif shape.startswith("when"):
            day, time = self.days.setdefault(who, {}), TIMES.index(fact["when"].lower())
            assert time not in day, "two places at one time"
            day[time] = fact["where"]
            assert all(day.get(each) != fact["where"] for each in (time - 1, time + 1)), "moved to where he was"
        elif shape == "get":
            here, lay = self.at.get(who), self.lies.get(fact["what"])
            assert fact["what"] not in self.holder and (not here or not lay or here == lay), "took it from afar"
            self.holder[fact["what"]] = who
        elif shape == "drop":
            assert self.holder.pop(fact["what"], "") == who, "dropped what he has not"
            self.lies[fact["what"]] = self.at.get(who)
        elif shape == "give":
            here, there = self.at.get(who), self.at.get(fact["whom"])
            assert self.holder.get(fact["what"]) == who != fact["whom"], "gave what he has not"
            assert not here or not there or here == there, "handed over afar"
            self.holder[fact["what"]] = fact["whom"]
        elif shape in ("in", "not in", "either"):
            last = self.said.get(who)
            assert shape == "either" or last is None or last.words != fact.words or last.shape != shape, "told twice"
            assert shape == "in" or fact["where"] != fact.get("other"), "either one place or the same"
            assert shape != "not in" or self.at.get(who) in (None, fact["where"]), "denies what nobody thought"
            self.at[who] = fact["where"] if shape == "in" else None

    def goes(self, fact: Parsed) -> None:
        people = [fact[slot] for slot in ("who", "whom") if slot in fact.words] or self.moved
        assert len(set(people)) == len(people) == (2 if fact.shape in ("pair", "they") else 1), "nobody, or others"
        for person in people:
            if fact.shape == "pronoun":
                gender = "she" if " she " in fact.text else "he"
                assert self.pronouns.setdefault(person, gender) == gender, "he or she?"
            assert self.at.get(person) != fact["where"], "moved to where he is known to be"
            self.at[person] = fact["where"]
        self.moved = [] if fact.shape in ("pronoun", "they") else people


def points(facts: Sequence[Parsed]) -> dict[str, Point]:
    """Where each thing of a map lies: all on different points, and by one way only."""
    near: dict[str, dict[str, Point]] = {}
    for fact in facts:
        (right, up), one, other = STEP[fact.get("way") or fact["side"]], fact["first"], fact["second"]
        near.setdefault(other, {})[one] = (right, up)
        near.setdefault(one, {})[other] = (-right, -up)
    assert len(near) == len(facts) + 1, "not a tree"
    at = {one: (0, 0)}
    queue = [one]
    for here in queue:
        for there in near[here].keys() - at.keys():
            at[there] = add(at[here], near[here][there])
            queue.append(there)
    assert len(set(at.values())) == len(near), "two on one point, or not connected"
    return at


def add(one: Point, other: Point) -> Point:
    return one[0] + other[0], one[1] + other[1]


def consistent(task: str, facts: Iterable[str], words: VocabularyName, pronouns: dict[str, str]) -> None:
    """Read the facts of a story; `pronouns` are those of the stories before: nobody is "she" in one and "he" in another."""
    found, reading = parsed(task, facts, words), Reading(pronouns)
    reading.read(found)
    if found[0].shape in ("compass", "figure"):
        points(found)
    leads = {state: {"where": place, "what": what} for state, place, what in known_words(task, words).motives}
    states = {fact["who"]: leads[fact["motive"]] for fact in found if fact.shape == "state"}
    for fact in found if states else ():
        for slot in fact.words.keys() & {"where", "what"}:
            assert states[fact["who"]][slot] == fact[slot], fact


def agree(task: str, told: Iterable[Story], words: VocabularyName) -> int:
    """Check facts and questions of stories; how many questions there were."""
    asked, pronouns = 0, dict[str, str]()
    for story in told:
        consistent(task, texts(story), words, pronouns)
        asked += solved(task, story, words)
    return asked


@pytest.mark.parametrize("task", TASKS)
def test_bytes_change_only_with_version(task: str) -> None:
    told = [rendered(task, stories(task, "test", seed=1, questions=200, vocabulary=words)) for words in WORDS]
    found = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in told]
    assert (BABI_WORLD_VERSION, " ".join(found)) == (3, GOLDEN[task])


@pytest.mark.parametrize("task", TASKS)
def test_the_solver_agrees_on_every_answer_and_support(task: str) -> None:
    count = 1000 if os.environ.get(LONG) else 150
    for words in WORDS:
        told = list(stories(task, "train", seed=11, questions=count, vocabulary=words))
        assert agree(task, told, words) == count
        for questions in ([line.question for line in story.lines if isinstance(line, Ask)] for story in told):
            assert TASKS[task].trailing_space or len(set(questions)) == len(questions)


@given(
    task=st.sampled_from(list(TASKS)), split=st.sampled_from(SPLITS), seed=st.integers(-(2**40), 2**40),
    words=st.sampled_from(WORDS), balance=st.sampled_from(("natural", "even")), facts=st.none() | st.integers(0, 40),
)  # fmt: skip
def test_the_solver_agrees_whatever_is_asked_for(
    task: str, split: Split, seed: int, words: VocabularyName, balance: Balance, facts: int | None
) -> None:
    lengths = TASKS[task].lengths(check(task, words, None).vocabulary)
    length = None if facts is None else lengths[facts % len(lengths)]
    assume((task, split, length) != ("qa15", "dev", 3))  # of which there are four samples
    asked = {"seed": seed, "questions": 13, "vocabulary": words, "facts": length, "balance": balance}
    told = list(stories(task, split, **asked))  # type: ignore[arg-type]
    assert agree(task, told, words) == 13
    assert told == list(stories(task, split, **asked))  # type: ignore[arg-type]
    assert all(isinstance(story.lines[-1], Ask) for story in told)
    assert {len(texts(story)) for story in told[:-1]} <= {length} or length is None


LONGEST = {"qa4": 5, "qa14": 16, "qa15": 8, "qa16": 9, "qa17": 5, "qa19": 5, "qa20": 9}


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("task", TASKS)
def test_shortest_and_longest_stories(task: str, words: VocabularyName) -> None:
    lengths = TASKS[task].lengths(vocabulary(words))
    large = 63 if task == "qa17" else 320
    assert lengths[-1] == (large if words == "large" else LONGEST.get(task, 320))
    for facts in (lengths[0], lengths[-1]):
        told = list(stories(task, "train", seed=2, questions=6, vocabulary=words, facts=facts))
        assert agree(task, told, words) == 6
        assert {len(texts(story)) for story in told[:-1]} <= {facts}
    for facts in (lengths[0] - 1, lengths[-1] + 1):
        with pytest.raises(BuildError, match=f"{lengths[0]} to {lengths[-1]}"):
            stories(task, "train", seed=2, questions=1, vocabulary=words, facts=facts)


@pytest.mark.parametrize("words", WORDS)
def test_a_walk_round_a_corner_is_the_only_one(words: VocabularyName) -> None:
    """No place lies at the other corner, over which a reader could go as well."""
    for story in stories("qa19", "test", seed=11, questions=300, vocabulary=words):
        at, ask = points(parsed("qa19", texts(story), words)), story.lines[-1]
        assert isinstance(ask, Ask)
        (start,) = [place for place in at if f"from the {place} to" in ask.question]
        step = next(STEP[way] for way in ("north", "south", "east", "west") if way.startswith(ask.answer[-1]))
        assert ask.answer[0] == ask.answer[-1] or add(at[start], step) not in at.values(), ask


@pytest.mark.parametrize(
    ("task", "facts"),
    [
        ("qa9", "Mary is in the office.|Mary is not in the garden."),  # denies what nobody thought
        ("qa9", "Mary is in the office.|Mary is in the office."),
        ("qa10", "Mary is either in the office or the office."),
        ("qa11", "Mary went to the office.|Then he moved to the garden.|Mary went to the park.|Then she moved to the office."),
        ("qa13", "Mary and John went to the office.|Then they moved to the garden.|Then they moved to the office."),
        ("qa2", "Mary got the milk there.|John dropped the milk."),
        ("qa5", "Mary went to the office.|Mary got the milk there.|Bill went to the park.|Mary gave the milk to Bill."),
        ("qa14", "Yesterday Mary went to the office.|This morning Mary went to the office."),
        ("qa19", "The office is north of the garden.|The kitchen is north of the garden."),
        ("qa20", "Sumit is tired.|Sumit went to the kitchen."),
    ],
)  # fmt: skip
def test_facts_that_cannot_be_are_refused(task: str, facts: str) -> None:
    with pytest.raises(AssertionError):
        consistent(task, facts.split("|"), "classic", {})
