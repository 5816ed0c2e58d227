"""Pools: large enough, phrases that cannot be taken for one another, nothing that clashes with a calendar or a heading."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from generators.longgenbench.content import KINDS, pools
from haymaker.core.text.strings import padded, words

SCENARIOS = ("diary", "menu", "skyscraper", "city")
EMPTY = frozenset(
    "a an the of to in on at by for from with into onto over under and or as than that this it its is was were are be been has have "
    "our his her their my your may".split()
)
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday "
    "saturday sunday spring summer autumn winter christmas easter ramadan carnival midsummer solstice halloween thanksgiving hanukkah "
    "diwali weekend weekly monthly yearly annual birthday day days week weeks month months year years today yesterday tomorrow".split()
)
HEADINGS = {
    "diary": {"day", "week", "entry"}, "menu": {"day", "week", "menu", "menus"}, "skyscraper": {"floor", "floors"},
    "city": {"block", "blocks", "row", "rows", "column", "columns"},
}  # fmt: skip


def phrases(scenario: str) -> list[str]:
    return [text for kind in KINDS for text in pools()[scenario][kind]]


def telling(text: str) -> frozenset[str]:
    """Folded words that say something, without the s of a plural."""
    return frozenset(word.removesuffix("s") for word in words(text) if word not in EMPTY)


def test_every_kind_of_every_scenario_has_more_than_thirty_phrases() -> None:
    """docs/defects/longgenbench.md D3: the reference says more than 20, and has 5 to 10 of most kinds."""
    assert {len(pools()[scenario][kind]) for scenario in SCENARIOS for kind in KINDS} == {34}
    assert all(
        len(pools()[scenario][name]) >= 30
        for scenario, name in (("menu", "places"), ("city", "places"), ("diary", "names"), ("diary", "people"))
    )
    assert len(set(pools()["skyscraper"]["places"])) == len(set(pools()["city"]["places"])) == 30


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_two_phrases_can_be_taken_for_one_another(scenario: str) -> None:
    """They share one telling word at most, and each has two or more: none is told where another is."""
    every = phrases(scenario)
    assert min(len(telling(text)) for text in every) >= 2
    shared = {(a, b): telling(a) & telling(b) for a, b in combinations(every, 2)}
    assert {pair: both for pair, both in shared.items() if len(both) > 1} == {}
    assert [(a, b) for a, b in combinations(every, 2) if padded(a) in padded(b) or padded(b) in padded(a)] == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_phrases_are_plain_and_clash_with_no_date_or_heading(scenario: str) -> None:
    """docs/defects/longgenbench.md D14."""
    for text in phrases(scenario):
        assert re.fullmatch(r"[a-z][a-zA-Z' -]+", text), text
        assert text.split()[0] in ("a", "an", "the", "jury", "student", "road", "choir")
        assert not set(words(text)) & (CALENDAR | HEADINGS[scenario]), text
        assert not re.match(r"a [aeio]|an (?!hour)[^aeiou]", text), text


def test_names_are_no_dates_and_no_words_of_phrases() -> None:
    """docs/defects/longgenbench.md D15."""
    pool = pools()["diary"]
    every = [*pool["names"], *pool["surnames"]]
    assert len(set(every)) == len(every)
    assert not {name.lower() for name in every} & (
        CALENDAR | {word for text in phrases("diary") for word in words(text)}
    )
    assert not [who for who in pool["people"] if not re.match(r"an? [a-z]", who)]
    assert all(isinstance(name, str) for name in every)  # a bare No is no name in YAML
