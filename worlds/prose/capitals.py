"""Capital letters: words that keep theirs when a sentence continues after a joint."""

from __future__ import annotations

import re
from functools import cache

from .cast import World
from .recall import DAYS
from .texts import lexicon, rules

_ALWAYS = ("Mr", "Mrs", "Miss", "Doctor", "God")


@cache
def _of_every_book() -> frozenset[str]:
    """Titles, days, months, feasts, and what the lists of words write with a capital ("Quaker", "Michaelmas daisies")."""
    feasts = {feast for _, text in rules()["feast"] for feast in re.findall(r"[A-Z][\w ]+", text)}
    listed = {w for field, words in lexicon().items() if not field.startswith("name.") for w in words if w[0].isupper()}
    return frozenset((*_ALWAYS, *DAYS, *feasts, *listed))


def names(world: World) -> re.Pattern[str]:
    """Return a pattern of texts that begin with a name: people and places of a book, days, months, feasts."""
    people = {name for p in world.people for name in (p.given, p.surname, p.home.split()[0])}
    called = (world.town, *world.strangers, *world.villages, *world.far, *world.lands, *world.hills, *world.locals)
    places = {name.split()[0] for name in called if name[0].isupper()}
    found = sorted(people | places | _of_every_book())
    return re.compile(rf"I\b|(?:{'|'.join(map(re.escape, found))})s?\b")


def within(text: str, named: re.Pattern[str]) -> str:
    """Return a sentence as it continues after a joint: with a small letter, unless it begins with a name."""
    return text if named.match(text) else text[:1].lower() + text[1:]
