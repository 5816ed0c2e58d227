"""The words of the simulated bAbI tasks (docs/spec/babilong.md 3.1, 3.2): lists in words/*.yaml, sentence parts here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml

VocabularyName = Literal["classic", "large"]
Words = tuple[str, ...]

MOVES: Words = ("went", "journeyed", "travelled", "moved", "went back")
GETS: Words = ("got", "grabbed", "took", "picked up")
DROPS: Words = ("dropped", "discarded", "left", "put down")
GIVES: Words = ("gave", "passed", "handed")
COMPASS: tuple[tuple[str, str], ...] = (("north", "south"), ("east", "west"))
"""(direction, opposite) along each axis."""


class Species(NamedTuple):
    """A kind of animal."""

    one: str
    many: str


class Motive(NamedTuple):
    """A state, the place it leads to, the object taken there."""

    state: str
    place: str
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Word lists of one edition; a scorer's label sets are made of them, so a wider one is another edition.

    Attributes:
        name: "classic" is bAbI v1.2; a story of "large" has a cast of its own (`setup.cast`).
        she: people spoken of as "she"; the others are "he".
        people: by group, A .. F (docs/spec/babilong.md 3.1); for "large" every group is the whole list.
        places: by group, A .. C; C is where motives lead.
        objects: what people carry.
        species: by group, A (who fears whom) and B (who has which colour).
        colours: of animals.
        figures: things placed above or beside each other; may be two words.
        things: rows from small to big; within a row the order is drawn for every story.
        motives: why people go and take.
    """

    name: VocabularyName
    she: frozenset[str]
    people: Mapping[str, Words]
    places: Mapping[str, Words]
    objects: Words
    species: Mapping[str, tuple[Species, ...]]
    colours: Words
    figures: Words
    things: tuple[Words, ...]
    motives: tuple[Motive, ...]


@cache
def vocabulary(name: str) -> Vocabulary:
    """The word lists of that name; the same object every time.

    Raises:
        BuildError: no such lists.
    """
    if name not in get_args(VocabularyName):
        raise BuildError(f"unknown vocabulary {name!r}", fix=f"choose from {', '.join(get_args(VocabularyName))}")
    raw = read_yaml(Path(__file__).with_name("words") / f"{name}.yaml")
    motives = tuple(Motive(*row) for row in raw["motives"])
    places = raw["places"]
    if not isinstance(places, dict):
        places = {"A": places, "B": places, "C": list(dict.fromkeys(motive.place for motive in motives))}
    everyone = [*raw["she"], *raw["he"]]
    return Vocabulary(
        name=name,  # type: ignore[arg-type]  # checked above
        she=frozenset(raw["she"]),
        people=_groups(raw.get("people", everyone), "ABCDEF"),
        places=_groups(places, "ABC"),
        objects=tuple(raw["objects"]),
        species={group: tuple(Species(*row) for row in rows) for group, rows in _groups(raw["species"], "AB").items()},
        colours=tuple(raw["colours"]),
        figures=tuple(raw["figures"]),
        things=tuple(map(tuple, raw["things"])),
        motives=motives,
    )


def _groups(raw: Any, names: str) -> dict[str, tuple[Any, ...]]:
    """Lists by group; one list serves all groups."""
    if isinstance(raw, dict):
        return {name: tuple(raw[name]) for name in names}
    return dict.fromkeys(names, tuple(raw))
