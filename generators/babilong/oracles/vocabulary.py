"""The closed word lists an oracle accepts, per task and edition; closed on purpose: a pattern with open slots would take
"Elizabeth went to the window." in a novel for a fact.

classic: as measured on bAbI v1.2 (spec/babilong.md 3.1). large: hundreds of words (words_large.yaml), for all tasks alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from generators.babilong.oracles.errors import OracleError

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words that may fill the slots of facts and questions, each as written in a fact.

    Attributes:
        people: names, capitalised.
        places: without article.
        objects: things that people carry, without article.
        kinds: (singular, plural) of each species, lower case.
        colours: what a creature may be.
        figures: things placed above or beside each other, without article.
        things: things compared by size, without article.
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

_MOVERS = Vocabulary(people=_FOUR, places=_HOME)
_CARRIERS = Vocabulary(people=_FOUR, places=_HOME, objects=_CARRIED)
_TOWNSFOLK = Vocabulary(people=("Mary", "Julie", "Bill", "Fred"), places=_TOWN)
_COMPASS = Vocabulary(places=_HOME)

CLASSIC: dict[str, Vocabulary] = {
    "qa1": _MOVERS,
    "qa2": _CARRIERS,
    "qa3": _CARRIERS,
    "qa4": _COMPASS,
    "qa5": Vocabulary(people=("Mary", "Bill", "Fred", "Jeff"), places=_HOME, objects=_CARRIED),
    "qa6": _CARRIERS,
    "qa7": _CARRIERS,
    "qa8": _CARRIERS,
    "qa9": _MOVERS,
    "qa10": _TOWNSFOLK,
    "qa11": _MOVERS,
    "qa12": _MOVERS,
    "qa13": _MOVERS,
    "qa14": _TOWNSFOLK,
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
    "qa19": _COMPASS,
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
    import yaml

    raw: dict[str, list[Any]] = yaml.safe_load(files(__package__).joinpath("words_large.yaml").read_text("utf-8"))
    kinds, motives = (tuple(map(tuple, raw.pop(name))) for name in ("kinds", "motives"))
    return Vocabulary(kinds=kinds, motives=motives, **{name: tuple(group) for name, group in raw.items()})


def words(task: str, edition: str) -> Vocabulary:
    """The words of a task in the edition "classic" or "large".

    Raises:
        OracleError: no such task or edition.
    """
    if task not in CLASSIC:
        raise OracleError(f"no oracle for task {task!r}", fix="use one of qa1 .. qa20")
    if edition not in ("classic", "large"):
        raise OracleError(f"no vocabulary {edition!r}", fix="use classic or large")
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
    """The closed set of a task's answers in an edition, sorted; lists (qa8) are made of these (spec/babilong.md 7.1).

    Raises:
        OracleError: as `words`.
    """
    known = words(task, edition)
    if task in _CLOSED:
        found = _CLOSED[task]
    elif task == "qa5":
        found = known.people + known.objects
    elif task == "qa8":
        found = (*known.objects, "nothing")
    elif task == "qa15":
        found = tuple(kind for kind, _ in known.kinds)
    elif task == "qa16":
        found = known.colours
    elif task == "qa20":
        found = tuple({word for state, place, _ in known.motives for word in (state, place)})
    else:
        found = known.places
    return tuple(sorted(found))
