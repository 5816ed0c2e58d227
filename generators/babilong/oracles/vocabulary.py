"""Closed word lists of the oracle; with open slots, "Elizabeth went to the window." in a novel would be a fact.

Editions: classic, per task (bAbI v1.2, docs/spec/babilong.md 3.1); large, the same for all tasks (words_large.yaml).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

from pydantic import TypeAdapter

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml

Words = tuple[str, ...]


class OracleError(BuildError):
    """The text does not decide its question; if it is `ambiguous`, `strict` forbids a best guess."""

    def __init__(self, what: str, *, where: str = "", fix: str = "", ambiguous: bool = False) -> None:
        super().__init__(what, where=where, fix=fix)
        self.ambiguous = ambiguous

    def __reduce__(self) -> tuple[object, ...]:
        return partial(OracleError, self.what, where=self.where, fix=self.fix, ambiguous=self.ambiguous), ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words for the slots of facts and questions, without article.

    Attributes:
        people: capitalised.
        places: rooms, buildings, regions.
        objects: things that people carry.
        kinds: (singular, plural) of each species, lower case.
        colours: of animals.
        figures: things placed on a grid.
        things: things compared by size.
        motives: (state, place it leads to, object it leads to).
    """

    people: Words = ()
    places: Words = ()
    objects: Words = ()
    kinds: tuple[tuple[str, str], ...] = ()
    colours: Words = ()
    figures: Words = ()
    things: Words = ()
    motives: tuple[tuple[str, str, str], ...] = ()


_HOME = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
_TOWN = ("bedroom", "cinema", "kitchen", "office", "park", "school")
_CARRIED = ("apple", "football", "milk")
_FOUR = ("Mary", "Sandra", "John", "Daniel")

CLASSIC: dict[str, Vocabulary] = {
    **dict.fromkeys(("qa1", "qa9", "qa11", "qa12", "qa13"), Vocabulary(people=_FOUR, places=_HOME)),
    **dict.fromkeys(("qa2", "qa3", "qa6", "qa7", "qa8"), Vocabulary(people=_FOUR, places=_HOME, objects=_CARRIED)),
    **dict.fromkeys(("qa4", "qa19"), Vocabulary(places=_HOME)),
    "qa5": Vocabulary(people=("Mary", "Bill", "Fred", "Jeff"), places=_HOME, objects=_CARRIED),
    **dict.fromkeys(("qa10", "qa14"), Vocabulary(people=("Mary", "Julie", "Bill", "Fred"), places=_TOWN)),
    "qa15": Vocabulary(
        people=("Gertrude", "Winona", "Jessica", "Emily"),
        kinds=(("mouse", "mice"), ("wolf", "wolves"), ("cat", "cats"), ("sheep", "sheep")),
    ),
    "qa16": Vocabulary(
        people=("Lily", "Bernhard", "Greg", "Julius", "Brian"),
        kinds=(("swan", "swans"), ("lion", "lions"), ("frog", "frogs"), ("rhino", "rhinos")),
        colours=("gray", "white", "yellow", "green"),
    ),
    "qa17": Vocabulary(
        figures=("triangle", "pink rectangle", "red sphere", "red square", "blue square", "yellow square")
    ),
    "qa18": Vocabulary(things=("chocolate", "box of chocolates", "box", "chest", "suitcase", "container")),
    "qa20": Vocabulary(
        people=("Sumit", "Yann", "Antoine", "Jason"),
        places=("bedroom", "garden", "kitchen"),
        objects=("apple", "football", "milk", "pajamas"),
        motives=(
            ("hungry", "kitchen", "apple"),
            ("thirsty", "kitchen", "milk"),
            ("bored", "garden", "football"),
            ("tired", "bedroom", "pajamas"),
        ),
    ),
}


@cache
def _large() -> Vocabulary:
    return TypeAdapter(Vocabulary).validate_python(read_yaml(Path(__file__).with_name("words_large.yaml")))


def words(task: str, edition: str) -> Vocabulary:
    """Return the words of a task in the edition "classic" or "large".

    Raises:
        OracleError: no such task or edition.
    """
    if task not in CLASSIC:
        raise OracleError(f"no oracle for task {task!r}", fix="use one of qa1 .. qa20")
    if edition not in ("classic", "large"):
        raise OracleError(f"unknown vocabulary {edition!r}", fix="use classic or large")
    return CLASSIC[task] if edition == "classic" else _large()


_YES_NO = ("yes", "no")
_CLOSED: dict[str, Words] = {
    "qa6": _YES_NO,
    "qa7": ("none", "one", "two", "three"),
    "qa9": _YES_NO,
    "qa10": ("maybe", *_YES_NO),
    "qa17": _YES_NO,
    "qa18": _YES_NO,
    "qa19": tuple(f"{a},{b}" for a, b in product("nsew", repeat=2) if {a, b} not in ({"n", "s"}, {"e", "w"})),
}


def labels(task: str, edition: str) -> Words:
    """Return the sorted answers of a task; lists (qa8) consist of these (docs/spec/babilong.md 7.1)."""
    known = words(task, edition)
    found: dict[str, Iterable[str]] = {
        **_CLOSED,
        "qa5": known.people + known.objects,
        "qa8": (*known.objects, "nothing"),
        "qa15": [kind for kind, _ in known.kinds],
        "qa16": known.colours,
        "qa20": {word for state, place, _ in known.motives for word in (state, place)},
    }
    return tuple(sorted(found.get(task, known.places)))
