"""The simulated bAbI files: separation of splits, shares of answers, what can be asked for, the files as written."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpora.sources import create
from corpora.sources.babi import parse_file
from haymaker.core.errors import BuildError, ParamsError
from haymaker.core.rows.source_records import Split
from tests.extras import LONG
from worlds import babi
from worlds.babi import SLUGS, TASKS, Ask, Balance, Fact, Story, VocabularyName, stories, write_files
from worlds.babi_worlds.answers import shares
from worlds.babi_worlds.vocabulary import vocabulary

ALL = tuple(TASKS)
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


KINDS: list[tuple[VocabularyName, Balance, bool]] = [
    ("classic", "natural", False),
    ("classic", "even", True),
    ("large", "natural", True),
]


@pytest.mark.parametrize(("words", "balance", "longer"), KINDS)
@pytest.mark.parametrize("task", ALL)
def test_no_sample_twice_and_none_in_two_splits(
    task: str, words: VocabularyName, balance: Balance, longer: bool
) -> None:
    """Whatever the seeds, as many facts as in the real files or more."""
    lengths = TASKS[task].lengths(vocabulary(words))
    asked = {"vocabulary": words, "balance": balance, "facts": lengths[len(lengths) // 3] if longer else None}
    count = 12 if longer else 100
    count *= 4 if os.environ.get(LONG) else 1
    sets = {}
    for split in SPLITS:
        for seed in (3, 4):
            told = list(stories(task, split, seed=seed, questions=count, **asked))  # type: ignore[arg-type]
            sets[split, seed] = set(alike(told))
            assert len(sets[split, seed]) == count
    seen = [(sample, split) for (split, _), found in sets.items() for sample in found]
    assert len(set(seen)) == len({sample for sample, _ in seen}), "in two splits"


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("task", ALL)
def test_more_questions_only_append(task: str, words: VocabularyName) -> None:
    few, many = (list(stories(task, "dev", seed=5, questions=n, vocabulary=words)) for n in (12, 40))
    assert few[:-1] == many[: len(few) - 1]
    last = few[-1].lines
    assert many[len(few) - 1].lines[: len(last)] == last
    assert sum(isinstance(line, Ask) for story in few for line in story.lines) == 12
    assert list(stories(task, "dev", seed=5, questions=0, vocabulary=words)) == []
    assert next(stories(task, "dev", seed=6, questions=12, vocabulary=words)) != few[0]


EVEN = [task for task in ALL if task not in ("qa8", "qa15", "qa16", "qa18", "qa19", "qa20", "qa17")]


@pytest.mark.parametrize("task", EVEN)
def test_even_shares(task: str) -> None:
    """Natural shares stand beside those of the real files in test_babi_real.py."""
    found = answers(task, 600, balance="even")
    assert set(found) == set(shares(task, vocabulary("classic"), "natural"))
    for label in found:
        assert abs(found[label] / 6 - 100 / len(found)) <= 3, found


@pytest.mark.parametrize("task", ["qa1", "qa3", "qa14"])
def test_large_answers_are_many_and_none_is_frequent(task: str) -> None:
    found = answers(task, 1000, vocabulary="large")
    assert len(found) > 250
    assert max(found.values()) < 25


def test_tasks_end_when_exhausted(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BuildError, match="-1 questions"):
        stories("qa1", "test", seed=1, questions=-1)
    monkeypatch.setattr(babi, "_PATIENCE", 3)
    with pytest.raises(BuildError, match=r"qa1 dev produced no new story in 3 tries after .* samples"):
        list(stories("qa1", "dev", seed=1, questions=100_000))


def test_written_files_parse_back(tmp_path: Path) -> None:
    counts: dict[Split, int] = {"test": 20, "train": 33, "dev": 7}
    paths = write_files(tmp_path, tasks=ALL, questions=counts, seed=9)
    home = tmp_path / "tasks_1-20_v1-2" / "en-10k"
    assert paths == [home / f"{t}_{SLUGS[t]}_{end}.txt" for t in ALL for end in ("test", "train", "valid")]
    assert sorted(home.iterdir()) == sorted(paths)
    assert paths[0].name == "qa1_single-supporting-fact_test.txt"
    for path, (task, (split, n)) in zip(paths, ((t, item) for t in ALL for item in counts.items()), strict=True):
        raw = path.read_bytes()
        assert raw.isascii() and b"\r" not in raw and raw.endswith(b"\n") and b"\n\n" not in raw
        spaced = task not in ("qa4", "qa15", "qa16", "qa17", "qa18", "qa19", "qa20")
        assert raw.count(b"? \t") == (n if spaced else 0)
        told = list(stories(task, split, seed=9, questions=n))
        assert [(q.facts, q.question) for q in parse_file(path, task, split)] == list(samples(told))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"facts": 7}, "qa1 with classic words cannot make a story of 7 facts; choose facts: 2 to 320 in steps of 2"),
        ({"facts": 0}, "facts: Input should be greater than or equal to 1"),
        ({"vocabulary": "huge"}, "vocabulary: Input should be 'classic' or 'large'"),
        ({"balance": "odd"}, "balance: Input should be 'natural' or 'even'"),
        ({"tasks": ["qa21"]}, "'qa21' is not a bAbI task; nearest is 'qa2'"),
    ],
)
def test_the_source_refuses_what_cannot_be(option: dict[str, Any], message: str) -> None:
    with pytest.raises(ParamsError, match=re.escape(message)):
        create("b", "simulated_babi", {"seed": 1, "tasks": ["qa1"], "questions": {"test": 1}, **option}, where="w")
