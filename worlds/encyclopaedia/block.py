"""A whole block: 200 entities and all that is true of them, a pure function of the seed and the block's number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split

from . import history, people, places, works
from .build import begin, hamlets
from .check import check
from .model import BLOCK, LAYOUT, PEOPLE, Entity, split_of

_STRANGERS = 20  # of each sex
_HAMLETS = 45  # per cent of the towns mentioned in passing
_TRIES = 12  # before all are looked at
_LEAST, _MOST = 300, 3000  # weights of a mention: the most popular is mentioned eleven times as often as the least


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One region and what belongs to it.

    Attributes:
        seed, number: name the block.
        entities: in the order of their articles.
        kinds: the same by kind.
        hamlets, strangers: places and people without an article.
    """

    seed: int
    number: int
    entities: tuple[Entity, ...]
    kinds: dict[str, list[Entity]]
    hamlets: tuple[str, ...]
    strangers: tuple[str, ...]
    _scales: dict[str, tuple[list[Entity], list[int]]] = field(default_factory=dict)

    def draw(self, kind: str, s: Stream, fits: Callable[[Entity], bool]) -> str:
        """A name to mention: of "person" or a kind, the popular ones more often; of towns nearly half are hamlets.

        If no person fits, it is a stranger.
        """
        if kind == "town" and s.below(100) < _HAMLETS:
            return s.choice(self.hamlets)
        if kind not in self._scales:
            pool = [e for k in (PEOPLE if kind == "person" else (kind,)) for e in self.kinds[k]]
            weights = [min(e.views, _MOST) + _LEAST for e in pool]
            self._scales[kind] = pool, list(accumulate(weights))
        pool, scale = self._scales[kind]
        for _ in range(_TRIES):
            if fits(one := pool[bisect_right(scale, s.below(scale[-1]))]):
                return one.name
        return next((e.name for e in s.shuffled(pool) if fits(e)), s.choice(self.strangers))

    @property
    def split(self) -> Split:
        """The split whose questions ask about it."""
        return split_of(self.number)

    @property
    def region(self) -> Entity:
        """The region that all of it belongs to."""
        return self.kinds["region"][0]


@lru_cache(maxsize=16)
def make_block(seed: int, number: int) -> Block:
    """Block `number` of the world `seed`."""
    m = begin(seed, number)
    places.make_land(m)
    people.make_people(m)
    places.settle(m)
    people.finish_people(m)
    places.make_institutions(m)
    works.make_companies(m)
    works.make_works(m)
    works.make_awards(m)
    history.make_history(m)
    entities = tuple(entity for kind in LAYOUT for entity in m.entities[kind])
    if [entity.index for entity in entities] != list(range(number * BLOCK, (number + 1) * BLOCK)):
        raise AssertionError("entities do not fill the layout")
    check(entities)
    for entity in entities:
        entity.facts |= {"country": m.culture.country, "people": m.culture.people}
    strangers = (*m.minors["men"][:_STRANGERS], *m.minors["women"][:_STRANGERS])
    return Block(seed, number, entities, m.entities, hamlets(m), strangers)
