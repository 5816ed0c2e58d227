"""The simulated bAbI files: separation of splits, shares of answers, what can be asked for, the files as written."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from corpora.sources import create
from corpora.sources.babi import parse_file
from corpora.sources.base import FetchContext
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.source_records import Split
from tests.extras import LONG
from tests.worlds.babi_reader import reread
from worlds import babi
from worlds.babi import SLUGS, TASKS, Ask, Balance, Fact, Story, VocabularyName, stories, write_files
from worlds.babi_worlds.quota import SLACK, WAITS, Quota

ALL = tuple(f"qa{n}" for n in range(1, 21))
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
WORDS: tuple[VocabularyName, ...] = ("classic", "large")


def samples(told: list[Story]) -> Iterator[tuple[tuple[str, ...], str]]:
    for story in told:
        facts: list[str] = []
        for line in story.lines:
            if isinstance(line, Fact):
                facts.append(line.text)
            else:
                yield tuple(facts), line.question


def alike(told: list[Story]) -> Iterator[tuple[str, ...]]:
    """What two samples share that are the same: facts in whatever order, question, answer."""
    asked = (line for story in told for line in story.lines if isinstance(line, Ask))
    for (facts, question), ask in zip(samples(told), asked, strict=True):
        yield *sorted(facts), question, ask.answer


def answers(task: str, questions: int, **asked: Any) -> Counter[str]:
    told = stories(task, "test", seed=6, questions=questions, **asked)
    return Counter(line.answer for story in told for line in story.lines if isinstance(line, Ask))


# Parts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("task", ALL)
def test_no_sample_twice_and_none_in_two_splits(task: str, words: VocabularyName) -> None:
    train, other = (2000, 400) if os.environ.get(LONG) else (300, 150)
    sizes: dict[Split, int] = {"train": train, "dev": other, "test": other}
    sets = {
        split: list(alike(list(stories(task, split, seed=3, questions=n, vocabulary=words))))
        for split, n in sizes.items()
    }
    for split, n in sizes.items():
        assert len(sets[split]) == len(set(sets[split])) == n
    for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert set(sets[one]).isdisjoint(sets[other])  # type: ignore[index]
    other_seed = list(stories(task, "train", seed=4, questions=train, vocabulary=words))
    assert set(alike(other_seed)).isdisjoint(sets["test"])


KINDS: list[tuple[VocabularyName, Balance]] = [("classic", "even"), ("large", "natural")]
if os.environ.get(LONG):
    KINDS += [("classic", "natural"), ("large", "even")]


@pytest.mark.parametrize(("words", "balance"), KINDS)
@pytest.mark.parametrize("task", ALL)
def test_parts_stay_apart_at_any_length_and_balance(task: str, words: VocabularyName, balance: Balance) -> None:
    lengths = TASKS[task].lengths(babi.check(task, words, None).vocabulary)
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    count = 30 if os.environ.get(LONG) else 15
    for split in SPLITS:
        for seed in (1, 2):
            asked = {"vocabulary": words, "facts": lengths[len(lengths) // 3], "balance": balance}
            told = list(stories(task, split, seed=seed, questions=count, **asked))  # type: ignore[arg-type]
            seen.update({(*sample, split): 1 for sample in samples(told)}.keys())  # type: ignore[misc]
    splits: dict[tuple[Any, ...], set[str]] = {}
    for *sample, split in seen:
        splits.setdefault(tuple(sample), set()).add(split)  # type: ignore[arg-type]
    assert all(len(found) == 1 for found in splits.values())


def test_seeds_and_splits_differ() -> None:
    told = {next(stories("qa2", split, seed=seed, questions=5)) for split in SPLITS for seed in range(5)}
    assert len(told) == 15


# Order and length --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("task", ALL)
def test_more_questions_only_append(task: str, words: VocabularyName) -> None:
    few, many = (list(stories(task, "dev", seed=5, questions=n, vocabulary=words)) for n in (12, 40))
    assert few[:-1] == many[: len(few) - 1]
    last = few[-1].lines
    assert many[len(few) - 1].lines[: len(last)] == last
    assert sum(isinstance(line, Ask) for story in few for line in story.lines) == 12
    assert isinstance(last[-1], Ask)
    assert list(stories(task, "dev", seed=5, questions=0, vocabulary=words)) == []


def test_order_of_asking_does_not_matter() -> None:
    alone = list(islice(stories("qa5", "test", seed=2, questions=50), 4))
    one, other = (stories(task, "test", seed=2, questions=50) for task in ("qa5", "qa2"))
    mixed = []
    for _ in range(4):
        mixed.append(next(one))
        next(other)
    assert mixed == alone


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("task", ALL)
def test_stories_have_the_number_of_facts_asked_for(task: str, words: VocabularyName) -> None:
    lengths = TASKS[task].lengths(babi.check(task, words, None).vocabulary)
    assert len(lengths) > 1
    assert words == "classic" or task == "qa17" or lengths[-1] == 320
    for facts in {lengths[1], lengths[len(lengths) // 2], lengths[-1]}:
        told = list(stories(task, "train", seed=8, questions=25, vocabulary=words, facts=facts))
        for story in told[:-1]:
            assert sum(isinstance(line, Fact) for line in story.lines) == facts
            assert isinstance(story.lines[-1], Ask)


# Shares of answers -------------------------------------------------------------------------------------------------

SHARES = {
    **{
        task: dict.fromkeys(("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"), 16.7)
        for task in ("qa1", "qa2", "qa3", "qa4", "qa11", "qa12", "qa13")
    },
    "qa5": {"Mary": 18.9, "Fred": 18.8, "Bill": 16.4, "Jeff": 12.9, "apple": 13.7, "football": 9.5, "milk": 9.8},
    "qa6": {"yes": 50, "no": 50},
    "qa7": {"one": 48.7, "none": 47.0, "two": 4.1, "three": 0.2},
    "qa8": {"nothing": 36.2, "milk": 19.9, "apple": 18.9, "football": 18.6, "list": 6.4},
    "qa9": {"no": 62.5, "yes": 37.5},
    "qa10": {"no": 47.5, "yes": 37.7, "maybe": 14.7},
    "qa14": dict.fromkeys(("bedroom", "cinema", "kitchen", "office", "park", "school"), 16.7),
}


@pytest.mark.parametrize("task", SHARES)
def test_natural_shares_are_those_of_the_real_files(task: str) -> None:
    found: Counter[str] = Counter()
    for answer, n in answers(task, 1000).items():
        found["list" if "," in answer else answer] += n
    assert set(found) == set(SHARES[task])
    for label, share in SHARES[task].items():
        assert abs(found[label] / 10 - share) <= 3, (label, found)


@pytest.mark.parametrize("task", [task for task in SHARES if task != "qa8"])
def test_even_shares(task: str) -> None:
    found = answers(task, 600, balance="even")
    assert set(found) == set(SHARES[task])
    for label in found:
        assert abs(found[label] / 6 - 100 / len(found)) <= 3, found


def test_even_shares_of_qa8_are_those_of_its_closed_labels() -> None:
    found = answers("qa8", 600, balance="even")
    lists = sum(n for answer, n in found.items() if "," in answer)
    assert lists < 60
    assert abs(found["nothing"] - 150) < 10
    assert all(abs(found[thing] - (450 - lists) / 3) < 25 for thing in ("apple", "football", "milk")), found


@pytest.mark.parametrize("task", ["qa1", "qa2", "qa3", "qa12", "qa14"])
def test_large_answers_are_many_and_none_is_frequent(task: str) -> None:
    found = answers(task, 1000, vocabulary="large")
    assert len(found) > 250
    assert max(found.values()) < 25


def test_a_quota_lets_no_answer_run_ahead() -> None:
    quota = Quota({"a": 3, "b": 1})
    for _ in range(5):
        assert quota.takes("b")
        quota.count("b")
    assert SLACK == 3
    assert not quota.takes("b")  # 5 are more than a quarter of 6 and the slack
    assert quota.takes("a")
    assert quota.takes("something else")
    fork = quota.fork()
    for _ in range(4):
        fork.count("a")
    assert fork.takes("b")
    assert not quota.takes("b")
    quota.become(fork)
    assert quota.takes("b")


def test_an_even_quota_waits_but_not_for_ever() -> None:
    quota = Quota({"a": 1, "b": 1}, even=True)
    drawn = [quota.ask(lambda: "a", str) for _ in range(60)]
    ahead = drawn.index(None)
    assert drawn[:ahead] == ["a"] * 7
    assert drawn[ahead : ahead + WAITS + 1] == [None] * WAITS + ["a"]
    assert quota.ask(lambda: "a", str, wait=False) == "a"
    assert Quota({"a": 1, "b": 1}).ask(lambda: None, str) is None


# Errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "near"), [("qa", "qa"), ("qa_1", "qa1"), ("qa22", "qa2"), ("counting", "qa")])
def test_unknown_task_names_the_nearest(name: str, near: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=f"'{name}' is not a bAbI task; nearest is '{near}"):
        stories(name, "test", seed=1, questions=1)
    with pytest.raises(BuildError):
        write_files(tmp_path, tasks=["qa1", name], questions={"test": 1}, seed=1)
    assert not list(tmp_path.iterdir())


def test_negative_count_is_refused() -> None:
    with pytest.raises(BuildError, match="-1 questions"):
        stories("qa1", "test", seed=1, questions=-1)


@pytest.mark.parametrize(
    ("task", "words", "facts", "can"),
    [
        ("qa1", "classic", 3, "2 to 320 in steps of 2"),
        ("qa2", "large", 322, "2 to 320 in steps of 2"),
        ("qa3", "classic", 2, "4 to 320 in steps of 2"),
        ("qa14", "classic", 18, "2 to 16 in steps of 2"),
        ("qa14", "large", 1, "2 to 320 in steps of 2"),
    ],
)
def test_a_number_of_facts_that_cannot_be_told(
    task: str, words: VocabularyName, facts: int, can: str, tmp_path: Path
) -> None:
    said = f"{task} with {words} words cannot make a story of {facts} facts. Next: choose facts: {can}"
    with pytest.raises(BuildError, match=f"^{re.escape(said)}$"):
        stories(task, "test", seed=1, questions=1, vocabulary=words, facts=facts)
    asked = {"tasks": ["qa1", task], "questions": {"test": 1}, "seed": 1, "vocabulary": words, "facts": facts}
    with pytest.raises(BuildError, match=re.escape(can)):
        write_files(tmp_path, **asked)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_tasks_end_when_exhausted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(babi, "_PATIENCE", 3)
    with pytest.raises(BuildError, match=r"qa1 dev produced no new story in 3 tries after .* samples"):
        list(stories("qa1", "dev", seed=1, questions=100_000))


# Files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", WORDS)
def test_written_files_parse_back(words: VocabularyName, tmp_path: Path) -> None:
    counts: dict[Split, int] = {"test": 20, "train": 33, "dev": 7}
    paths = write_files(tmp_path, tasks=ALL, questions=counts, seed=9, vocabulary=words)
    home = tmp_path / "tasks_1-20_v1-2" / "en-10k"
    assert paths == [home / f"{t}_{SLUGS[t]}_{end}.txt" for t in ALL for end in ("test", "train", "valid")]
    assert sorted(home.iterdir()) == sorted(paths)
    assert paths[0].name == "qa1_single-supporting-fact_test.txt"
    for path, (task, (split, n)) in zip(paths, ((t, item) for t in ALL for item in counts.items()), strict=True):
        raw = path.read_bytes()
        assert raw.isascii() and b"\r" not in raw and raw.endswith(b"\n") and b"\n\n" not in raw
        spaced = task not in ("qa4", "qa15", "qa16", "qa17", "qa18", "qa19", "qa20")
        assert raw.count(b"? \t") == (n if spaced else 0)
        parsed = parse_file(path, task, split)
        told = list(stories(task, split, seed=9, questions=n, vocabulary=words))
        assert [(q.facts, q.question) for q in parsed] == list(samples(told))
        if spaced:
            assert reread(raw.decode()) == n


def test_the_source_passes_its_options_on(tmp_path: Path) -> None:
    options = {"seed": 2, "tasks": ["qa7"], "questions": {"test": 40}}
    wide = create("b", "simulated_babi", {**options, "vocabulary": "large", "facts": 20, "balance": "even"}, where="w")
    wide.fetch(tmp_path, FetchContext(None, tmp_path / "cache", tmp_path / "lock.json"))
    asked = {"vocabulary": "large", "facts": 20, "balance": "even"}
    told = list(stories("qa7", "test", seed=2, questions=40, **asked))  # type: ignore[arg-type]
    found = [(q.facts, q.question) for q in wide.stories(tmp_path, "qa7", "test")]
    assert found == list(samples(told))
    assert wide.vocabulary_name() == "large"
    assert create("b", "simulated_babi", options, where="w").vocabulary_name() == "classic"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"facts": 7}, "qa1 with classic words cannot make a story of 7 facts; choose facts: 2 to 320 in steps of 2"),
        ({"facts": 0}, "facts: Input should be greater than or equal to 1"),
        ({"vocabulary": "huge"}, "vocabulary: Input should be 'classic' or 'large'"),
        ({"balance": "odd"}, "balance: Input should be 'natural' or 'even'"),
        ({"tasks": ["qa21"]}, "'qa21' is not a bAbI task; nearest is 'qa2'"),
        ({"fact": 4}, "did you mean 'facts'"),
    ],
)
def test_the_source_refuses_what_cannot_be(option: dict[str, Any], message: str) -> None:
    with pytest.raises(ParamsError, match=re.escape(message)):
        create("b", "simulated_babi", {"seed": 1, "tasks": ["qa1"], "questions": {"test": 1}, **option}, where="w")
