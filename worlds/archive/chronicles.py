"""Chronicles of invented districts, told by kind of thing and not by year (docs/spec/marathon.md 1).

The history of a bridge is in the chapter on bridges, the reeves of its parish are in another, the fire that struck it in a third.
Questions on an order, a sum or a cause therefore need several chapters.
"""

from __future__ import annotations

from itertools import chain

from haymaker.core.rng import Stream
from worlds.prose.cast import place_name, place_names

from .chronicles_asked import Asker
from .chronicles_plan import FILE, Planner
from .chronicles_told import Teller
from .model import Work
from .wording import data, fresh_people, fresh_places, walk_code

_PART_WORDS = 10_000  # about: a part of the book
_PARISH_WORDS = 1_500  # about: a parish in it
_APART = 199  # place names between the first ones of two neighbouring documents


def chronicle_name(seed: int, index: int) -> tuple[str, str]:
    """Place and title; tens of thousands of a seed are all different."""
    titles = data(FILE)["titles"]
    code = walk_code(len(titles) * place_names(), index, seed, "archive", "chronicles", "titles")
    code, kind = divmod(code, len(titles))
    return place_name(code), titles[kind].format(home=place_name(code))


def write_chronicle(seed: int, index: int, words: int) -> Work:
    """The index-th chronicle of a seed.

    Args:
        seed: names the collection.
        index: position, from 0.
        words: wished length; decides how many parts and parishes there are.
    """
    s = Stream(seed, "archive", "chronicles", index)
    home, title = chronicle_name(seed, index)
    names = _names(seed, index, home)
    places = fresh_places(Stream(seed, "archive", "chronicles", index, "places"), (home, *names))
    planner = Planner(s, chain(names, places), fresh_people(s, names))  # people and parishes have different names
    count = max(1, round(words / _PART_WORDS))
    parishes = max(4, round(words / count / _PARISH_WORDS))
    parts = [planner.part(number, parishes, words / count) for number in range(count)]
    text = Teller(s, parts, title, words).text()
    return Work(title, text, tuple(Asker(s, parts, text).inquiries()), "", ())


def _names(seed: int, index: int, home: str) -> list[str]:
    """Names of places in the order of use; of documents with neighbouring numbers they are different, as long as each needs few."""
    codes = Stream(seed, "archive", "chronicles", "places").shuffled(range(place_names()))
    start = index * _APART % len(codes)
    return [name for code in (*codes[start:], *codes[:start]) if (name := place_name(code)) != home]
