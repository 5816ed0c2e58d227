"""The word lists of the simulated bAbI files: sizes, and that no answer can be mistaken for another word."""

from __future__ import annotations

import re
from itertools import chain, combinations, permutations
from pathlib import Path

import pytest
import yaml

from worlds.babi import TASKS
from worlds.babi_worlds.answers import shares
from worlds.babi_worlds.vocabulary import Vocabulary, vocabulary

QUESTION_WORDS = (
    "where is the was before what of did give to who gave received in how many objects carrying are afraid color above "
    "below left right bigger than does fit do you go from will why get north south east west"
).split()
PROMPTS = Path(__file__).parents[2] / "generators/babilong/prompts.yaml"


def kinds(words: Vocabulary) -> dict[str, list[str]]:
    """Words by kind; a word of two kinds would be ambiguous."""
    return {
        "people": list(words.people["A"]), "places": list(words.places["A"]), "objects": list(words.objects),
        "species": [kind.one for kind in words.species["A"]], "colours": list(words.colours),
        "states": [motive.state for motive in words.motives],
    }  # fmt: skip


@pytest.fixture(scope="module")
def large() -> Vocabulary:
    return vocabulary("large")


@pytest.fixture(scope="module")
def words(large: Vocabulary) -> list[str]:
    """Every single word that can be an answer, lower case."""
    return [word.lower() for word in chain(*kinds(large).values())]


def test_large_is_large(large: Vocabulary) -> None:
    """And its words have the shape that sentences need."""
    sizes = {kind: len(found) for kind, found in kinds(large).items()}
    least = {"people": 300, "places": 320, "objects": 320, "species": 40, "colours": 20, "states": 16}
    assert all(sizes[kind] >= n for kind, n in least.items()), sizes
    assert len(large.figures) >= 40
    assert sum(map(len, large.things)) >= 40
    assert 0.4 < len(large.she) / len(large.people["A"]) < 0.6
    for kind, found in kinds(large).items():
        assert all(re.fullmatch("[A-Z][a-z]{3,}" if kind == "people" else "[a-z]{3,}", word) for word in found), kind
    assert all(re.fullmatch("[a-z]+ [a-z]+", figure) for figure in large.figures)
    assert all(re.fullmatch("[a-z]+", thing) for thing in chain(*large.things))
    assert all(re.fullmatch("[b-df-hj-np-tv-z][a-z]+", kind.one) for kind in large.species["A"]), "'a', never 'an'"
    assert {motive.place for motive in large.motives} == set(large.places["C"]) <= set(large.places["A"])
    assert {motive.what for motive in large.motives} <= set(large.objects)


def test_no_large_word_lies_inside_another(words: list[str], large: Vocabulary) -> None:
    """Neither another answer nor a word of a question."""
    assert len(words) == len(set(words))
    joined = "\n".join(words)
    assert [word for word in words if joined.count(word) > 1] == []
    assert not [(word, other) for word in words for other in QUESTION_WORDS if word in other]
    asked = [*words, *large.figures, *chain(*large.things)]
    assert not [word for word in asked if re.search("yes|no|maybe", word)]
    assert not [name for name in large.people["A"] if re.search("one|two|three", name.lower())]
    for group in (large.figures, [*chain(*large.things)]):
        assert len(group) == len(set(group))
        assert not [(one, other) for one, other in permutations(group, 2) if one in other]


def test_large_shares_no_word_with_bAbI_and_none_with_the_worked_examples(large: Vocabulary, words: list[str]) -> None:
    classic = vocabulary("classic")
    real = {name.lower() for names in classic.people.values() for name in names}
    real |= {*chain(*classic.places.values()), *classic.objects, *classic.colours, *chain(*classic.species.values())}
    real |= {*chain(*classic.motives), *chain(*classic.things)}
    examples = [
        line
        for task in yaml.safe_load(PROMPTS.read_text(encoding="utf-8")).values()
        for example in task["examples"]
        for line in [*example["facts"], example["question"], example["answer"]]
    ]
    assert len(examples) > 150
    told = set(re.findall("[a-z]+", " ".join(examples).lower()))
    mine = {*words, *" ".join(large.figures).split(), *chain(*large.things), *chain(*large.species["A"])}
    assert mine & real == set()
    assert set(large.figures).isdisjoint(classic.figures)
    assert mine & told == set()


def test_labels_of_a_classic_task_are_told_apart() -> None:
    for task in TASKS:
        labels = list(shares(task, vocabulary("classic"), "natural"))
        inside = [(one, other) for one, other in combinations(labels, 2) if one in other or other in one]
        assert inside == ([("one", "none")] if task == "qa7" else []), task
