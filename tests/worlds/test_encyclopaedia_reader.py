"""Finished articles read by somebody who knows nothing of the program: no two of them contradict each other, and he would see it."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Article
from tests.extras import LONG
from tests.worlds.encyclopaedia_reader import Library
from worlds.encyclopaedia.block import make_block
from worlds.encyclopaedia.check import check, contradictions
from worlds.encyclopaedia.model import BLOCK, Entity
from worlds.encyclopaedia.page import write_page

SEED, BLOCKS = 3, 6 if os.environ.get(LONG) else 3


@cache
def told() -> Library:
    return Library([article for number in range(BLOCKS) for article in block(number)])


@cache
def block(number: int = 0) -> tuple[Article, ...]:
    return tuple(write_page(SEED, index).article for index in range(number * BLOCK, (number + 1) * BLOCK))


def changed(article: Article, pattern: str, new: str) -> Article:
    """The article with the first match replaced; the same where there is none."""
    paragraphs = list(article.paragraphs)
    for number, paragraph in enumerate(paragraphs):
        if re.search(pattern, paragraph.text):
            paragraphs[number] = replace(paragraph, text=re.sub(pattern, new, paragraph.text, count=1))
            return replace(article, paragraphs=tuple(paragraphs))
    return article


def problems(pattern: str, new: str, title: str = "", beside: str = "") -> Counter[str]:
    """Classes of contradictions in a block when one article of it, the first that it can be, says something else.

    Args:
        pattern: what is replaced.
        new: by what.
        title: of the article; empty: any.
        beside: what the article must say too.
    """
    for articles in map(block, range(BLOCKS)):
        for article in articles if not title else [each for each in articles if each.title == title]:
            if (other := changed(article, pattern, new)) != article and re.search(beside, str(article)):
                told = Library([other if each is article else each for each in articles])
                return Counter(kind for kind, _ in told.problems())
    raise AssertionError(f"no article says {pattern!r}")


def test_no_two_articles_contradict_each_other() -> None:
    """A reader who finds no claims would find no contradictions: of most relations every block makes some."""
    assert told().problems() == []
    found = Counter(relation for entry in told().entries for relation, claims in entry.claims.items() if claims)
    least = {
        "life": 70, "spouse": 40, "father": 40, "mother": 30,
        "school": 20, "award": 12, "biography": 12, "moment": 60, "house": 50, "founded": 22, "club": 8, "age": 2,
        "novel": 4, "war": 3, "worked": 5, "bought": 2, "mate": 12,
    }  # fmt: skip
    assert {relation: found[relation] for relation, n in least.items() if found[relation] < n * BLOCKS} == {}


@pytest.mark.parametrize(
    ("kind", "pattern", "new", "beside"),
    [
        ("sex", r"\bwife was", "husband was", ""),
        ("sex", r"\. He ", ". She ", ""),
        ("dates", r"In (\d{4}) ([^.]+) married", r"In 2011 \2 married", ""),
        ("dates", r"(published a life of .* in) \d{4}", r"\1 1850", ""),
        ("surname", r"His father, (\S+) \S+,", r"His father, \1 Otherman,", ""),
        ("name", r"(real name was|under the name) (\S+) \w+", r"\1 \2 Otherman", ""),
        ("age", r"aged (only )?\d+", "aged 7", ""),
        ("founding", r"(was founded) on (\d+ \w+) \d{4}", r"\1 on \2 2011", ""),
        ("grammar", r"The walls were", "A bronze sickle were", ""),
        ("living dead", r"\(([^()]*?\d{4}) – [^()]*\) was a", r"(born \1) is a", r"\b(obituary|funeral|memorial service|is buried)\b"),
    ],
)  # fmt: skip
def test_a_planted_contradiction_is_named(kind: str, pattern: str, new: str, beside: str) -> None:
    assert problems(pattern, new, beside=beside)[kind] > 0


def test_a_war_of_a_thousand_years_is_named() -> None:
    battle = next(a for a in block() if a.title.startswith("Battle of") and "fighting took place on" in str(a))
    other = changed(battle, r"place on (\d+ \w+) \d{4}", r"place on \1 1066")
    assert Counter(kind for kind, _ in Library([*block(), other]).problems())["war"] == 1


def test_people_of_other_times_are_named() -> None:
    """Dead at a funeral, dead before a friend was born, not born when a film was made."""
    blocks = [told().entries[number * BLOCK : (number + 1) * BLOCK] for number in range(BLOCKS)]
    pairs = [
        (min(lives, key=lambda e: e.life[1]), max(lives, key=lambda e: e.life[0]), entries)
        for entries in blocks
        if (lives := [e for e in entries if e.life])
    ]
    early, late, entries = max(pairs, key=lambda pair: pair[1].life[0] - pair[0].life[1])  # furthest apart
    assert problems(r"\.$", f". {early.name} spoke at the funeral and said little.", late.title)["funeral"] == 1
    assert problems(r"\.$", f". Among the friends was {early.name}.", late.title)["contemporary"] == 1
    dated = [entry for entry in entries if entry.claims["moment"] and not entry.claims["founded"]]
    first = min(dated, key=lambda entry: entry.one("moment"))
    assert problems(r"\.$", f". {late.name} wept.", first.title)["event"] == 1


def broken(entities: tuple[Entity, ...]) -> list[str]:
    return [problem.split(": ", 1)[1] for problem in contradictions(entities)]


def test_the_check_at_generation_sees_what_is_wrong() -> None:
    entities = make_block(SEED, 1).entities
    assert broken(entities) == []
    wed = next(e for e in entities if e.person and "spouse" in e.refs)
    children = (e for e in entities if "father" in e.refs and "mother" in e.facts)
    child = next(e for e in children if "spouse" in e.refs["father"].facts)
    species = next(e for e in entities if e.kind == "species")
    changes = [
        (wed.facts, "mate", "twin", "has a twin"),
        (wed.facts, "married_year", "2090", "married in 2090"),
        (wed.facts, "spouse", "Nobody", "spouse is Nobody"),
        (child.facts, "mother", "Nobody", "has another mother than the wife"),
        (child.facts, "father_trade", "tanner", "gives another trade"),
        (species.facts, "type", "duck", "its genus has another animal"),
        (species.years, "described", 1700, "lived at another time"),
    ]
    for facts, key, wrong, said in changes:
        before, facts[key] = facts[key], wrong
        assert any(said in problem for problem in broken(entities)), said
        with pytest.raises(BuildError, match="contradicts itself"):
            check(entities)
        facts[key] = before
    assert broken(entities) == []
