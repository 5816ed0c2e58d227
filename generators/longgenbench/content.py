"""What a group asks, whatever its length: whom it is about, which events, and where they would stand.

Drawn from streams named by scenario, part and group: a week of a diary and a day of one ask the same of the same group, and no two scenarios
share a draw (docs/spec/longgenbench.md 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from generators.longgenbench.places import FIFTHS, KINDS, ONCE, PERIODIC, RANGE, Wish
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream

_SIZES = {"diary": (2, 7), "menu": (2, 7), "skyscraper": (3, 7), "city": (2, 4)}  # entries of a range
_TIMES = (5, 12)  # of a periodic demand, about
_START_BINS = 4


@dataclass(frozen=True, slots=True)
class Content:
    """What a group asks.

    Attributes:
        about: fields of the prompt that say whom or what it is about.
        wishes: one per demand: singles in order of place, ranges, periodic demands.
        texts: phrases, one per wish.
    """

    about: Mapping[str, str]
    wishes: tuple[Wish, ...]
    texts: tuple[str, ...]


@cache
def pools() -> dict[str, Any]:
    """Phrases and names, by scenario and kind."""
    return read_yaml(Path(__file__).with_name("pools.yaml"))


def drawn(scenario: str, group: int, counts: Mapping[str, int], draws: Callable[[str], Stream]) -> Content:
    """The content of a group.

    Args:
        scenario: key of pools.yaml.
        group: its number.
        counts: demands of each kind.
        draws: stream of this scenario and group for a purpose.
    """
    pool = pools()[scenario]
    texts = [text for kind in KINDS for text in draws(kind).sample(pool[kind], counts[kind])]
    places = draws("places")
    wishes = [
        *_singles(counts[ONCE], places),
        *_ranges(counts[RANGE], group, _SIZES[scenario], draws("range places")),
        *_periodics(counts[PERIODIC], group, draws("periodic places")),
    ]
    return Content(_about(pool, draws("about")), tuple(wishes), tuple(texts))


def _singles(number: int, places: Stream) -> list[Wish]:
    """One in each fifth in turn."""
    found = [Wish(ONCE, i % FIFTHS, places.unit()) for i in range(number)]
    return sorted(found, key=lambda wish: (wish.fifth, wish.offset))


def _ranges(number: int, group: int, sizes: tuple[int, int], places: Stream) -> list[Wish]:
    """The fifth goes by turn from group to group."""
    return [Wish(RANGE, (group + i) % FIFTHS, places.unit(), places.between(*sizes)) for i in range(number)]


def _periodics(number: int, group: int, places: Stream) -> list[Wish]:
    """Begins in the first fifth, in one of its quarters by turn."""
    bins = [(group // FIFTHS + i) % _START_BINS for i in range(number)]
    return [Wish(PERIODIC, 0, (each + places.unit()) / _START_BINS, places.between(*_TIMES)) for each in bins]


def _about(pool: Mapping[str, Sequence[str]], draws: Stream) -> dict[str, str]:
    if "places" in pool:
        return {"place": draws.choice(pool["places"])}
    who, partner, friend, *children = draws.sample(pool["names"], 4 + draws.below(3))
    many = f"{', '.join(children[:-1])} and {children[-1]}" if len(children) > 1 else children[0]
    return {
        "who": f"{who} {draws.choice(pool['surnames'])}",
        "work": draws.choice(pool["people"]),
        "partner": partner,
        "friend": friend,
        "children": f"their child is {many}" if len(children) == 1 else f"their children are {many}",
    }
