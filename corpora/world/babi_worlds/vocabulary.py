"""The words of the simulated bAbI tasks, as data (spec/babilong.md 3.1, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Closed word lists of one edition; a scorer's label sets are made of them, so a wider one is another edition.

    Attributes:
        people: cast of most moving tasks.
        givers: cast of the tasks about giving; who stands first receives most.
        places, objects: what the casts move between and carry.
        moves, gets, drops, gives: verb phrases, equally likely.
        compass: (direction, opposite) along each axis.
    """

    people: tuple[str, ...]
    givers: tuple[str, ...]
    places: tuple[str, ...]
    objects: tuple[str, ...]
    moves: tuple[str, ...]
    gets: tuple[str, ...]
    drops: tuple[str, ...]
    gives: tuple[str, ...]
    compass: tuple[tuple[str, str], ...]


classic = Vocabulary(
    people=("Mary", "Sandra", "John", "Daniel"),
    givers=("Mary", "Fred", "Bill", "Jeff"),
    places=("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"),
    objects=("apple", "football", "milk"),
    moves=("went", "journeyed", "travelled", "moved", "went back"),
    gets=("got", "grabbed", "took", "picked up"),
    drops=("dropped", "discarded", "left", "put down"),
    gives=("gave", "passed", "handed"),
    compass=(("north", "south"), ("east", "west")),
)
