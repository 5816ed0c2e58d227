"""Invented names: no two entities share one by accident, whatever the number of articles.

Names are numbered, and the n-th town, family or work takes the n-th of its pool in a keyed order without repeats; so a block
knows its names without looking at any other block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Key, Stream
from haymaker.core.text.strings import padded
from worlds.prose.morphology import plural

FAMILIES = 35  # per block
_GIVEN = 6  # names of each sex that one family may use: the rest of the pool is for its namesake families
_HARD = re.compile(r"(.)\1\1|[^aeiouyåæøôéíèáüö' -]{5}", re.IGNORECASE)  # unpronounceable
ARTICLES_AT_MOST = 237_600
"""So many articles have names of their own: families end first."""
# Forms are used one after the other, each when its pool has been gone through once more.
_PLACE_FORMS = ("{}", "New {}", "Nether {}", "Great {}", "Upper {}", "East {}", "West {}", "High {}")
_RIVER_FORMS = ("{}", "North {}", "South {}", "Young {}")
_PRIZE_FORMS = ("{}", "Royal {}", "National {}", "Grand {}")
_GENUS_FORMS = ("{}", "Neo{}", "Para{}", "Pseudo{}", "Eu{}")
_WATER_FORMS = ("{}", "Little {}", "Great {}", "Upper {}", "Black {}", "White {}", "Old {}", "Cold {}")


@dataclass(frozen=True, slots=True)
class Culture:
    """How the people of some regions name themselves, their towns and their waters."""

    country: str
    people: str
    men: tuple[str, ...]
    women: tuple[str, ...]
    surnames: tuple[str, ...]
    places: tuple[str, ...]
    waters: tuple[str, ...]


@cache
def data(name: str) -> Any:
    """A data file of this package."""
    return read_yaml(Path(__file__).with_name("data") / name)


@cache
def cultures() -> tuple[Culture, ...]:
    """All cultures; no name is in two lists, and none twice in one."""
    seen, words = set[str](), set(data("names.yaml")["words"])

    def fresh(names: list[str]) -> tuple[str, ...]:
        kept = []
        for name in names:
            if (key := padded(name)) not in seen:
                seen.add(key)
                kept.append(name)
        return tuple(kept)

    def joined(parts: dict[str, list[str]]) -> tuple[str, ...]:
        names = [front + end for front in parts["fronts"] for end in parts["ends"] if end != front.lower()]
        return fresh([name for name in names if not _HARD.search(name) and name not in words])

    return tuple(
        Culture(
            country=entry["country"],
            people=entry["people"],
            places=joined(entry["places"]),
            surnames=joined(entry["surnames"]),
            men=joined(entry["men"]),
            women=joined(entry["women"]),
            waters=fresh([form.format(water) for form in _WATER_FORMS for water in entry["waters"]]),
        )
        for entry in data("names.yaml")["cultures"]
    )


@cache
def _walk(size: int, key: tuple[Key, ...]) -> tuple[int, int]:
    stream = Stream(*key)
    start, step = stream.below(size), stream.below(size) | 1
    while gcd(step, size) > 1:
        step += 2
    return start, step


def pick(pool: tuple[str, ...], n: int, *key: Key) -> str:
    """The n-th name of a pool, in an order that `key` decides; all are different.

    Raises:
        BuildError: the pool is used up.
    """
    if n >= len(pool):
        raise BuildError(f"the encyclopaedia has only {len(pool)} names of one kind", fix="request fewer articles")
    start, step = _walk(len(pool), key)
    return pool[(start + n * step) % len(pool)]


def _in_rounds(forms: tuple[str, ...], pool: tuple[str, ...], n: int, *key: Key) -> str:
    """The n-th name of a pool that is gone through once for each form.

    Raises:
        BuildError: all names are used up.
    """
    form, n = divmod(n, len(pool))
    if form >= len(forms):
        raise BuildError(
            f"the encyclopaedia has only {len(forms) * len(pool)} names of one kind",
            fix="request fewer articles",
        )
    name, words = pick(pool, n, *key), forms[form]
    return words.format(name if " " in words or not form else name.lower())  # a prefix takes a small letter


def place_name(seed: int, culture: Culture, n: int) -> str:
    """The n-th place of a culture; plain names first.

    Raises:
        BuildError: all names are used up.
    """
    return _in_rounds(_PLACE_FORMS, culture.places, n, seed, culture.country, "places")


def river_name(seed: int, culture: Culture, n: int) -> str:
    """Return the n-th river of a culture."""
    return _in_rounds(_RIVER_FORMS, culture.waters, n, seed, culture.country, "waters")


def prize_name(seed: int, n: int) -> str:
    """Return the n-th award."""
    return _in_rounds(_PRIZE_FORMS, prize_names(), n, seed, "prizes")


def genus_name(seed: int, n: int) -> str:
    """Return the n-th genus."""
    return _in_rounds(_GENUS_FORMS, genera(), n, seed, "genera")


@dataclass(frozen=True, slots=True)
class Family:
    """A surname with the given names that no other family of this surname uses."""

    surname: str
    men: tuple[str, ...]
    women: tuple[str, ...]


def family(seed: int, culture: Culture, n: int) -> Family:
    """The n-th family of a culture."""
    surname = pick(culture.surnames, n % len(culture.surnames), seed, culture.country, "surnames")
    chunk = n // len(culture.surnames) * _GIVEN

    def given(pool: tuple[str, ...], sex: str) -> tuple[str, ...]:
        return tuple(pick(pool, chunk + j, seed, surname, sex) for j in range(_GIVEN))

    return Family(surname, given(culture.men, "men"), given(culture.women, "women"))


@cache
def work_titles() -> tuple[str, ...]:
    """Titles of books, films and albums, each once."""
    parts = data("names.yaml")["works"]
    forms = [(a, n, form) for form in parts["forms"] for a in parts["adjectives"] for n in parts["nouns"]]
    titles = [form.format(a=a, n=n, ns=_several(n), an="An" if a[0] in "AEIOU" else "A") for a, n, form in forms]
    return tuple({padded(title): title for title in titles}.values())


def _several(noun: str) -> str:
    """The plural of a noun in a title."""
    if noun in ("Bellows", "Echo"):
        return {"Bellows": noun, "Echo": "Echoes"}[noun]
    return f"{noun[:-3]}men" if noun.endswith("man") else plural(noun)


@cache
def genera() -> tuple[str, ...]:
    """Names of genera."""
    parts = data("names.yaml")["genus"]
    return tuple(dict.fromkeys(front + end for front in parts["fronts"] for end in parts["ends"]))


@cache
def prize_names() -> tuple[str, ...]:
    """Names of awards."""
    words = data("words.yaml")
    return tuple(
        f"{metal} {emblem} {prize}"
        for prize in words["prizes"]
        for metal in words["metals"]
        for emblem in words["emblems"]
    )
