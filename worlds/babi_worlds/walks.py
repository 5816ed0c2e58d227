"""qa1: people walk, nothing is carried (docs/spec/babilong.md 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import REDRAWS, Quota
from worlds.babi_worlds.setup import Setup, cast
from worlds.babi_worlds.vocabulary import MOVES

_MOVES = len(MOVES)
_UNKNOWN = -1


@lru_cache(1 << 14)
def moved(who: str, verb: int, place: str) -> Fact:
    """Someone moved; remembered, since classic words say only 120 different things."""
    return Fact(f"{who} {MOVES[verb]} to the {place}.")


@lru_cache(1 << 14)
def where_is(who: str, place: str, line: int) -> Ask:
    """A question answered by one line; remembered, since stories are short."""
    return Ask(f"Where is {who}?", place, (line,))


class Walk:
    """People who move, to another place every time."""

    __slots__ = ("_moved", "_people", "_places", "_stream", "_walkers", "_ways", "_where", "lines")

    def __init__(self, stream: Stream, people: Sequence[str], places: Sequence[str]) -> None:
        self.lines: list[Line] = []
        self._stream, self._people, self._places = stream, people, places
        self._ways = len(people) * len(places) * _MOVES
        self._where = [_UNKNOWN] * len(people)
        self._moved = [0] * len(people)
        self._walkers: list[int] = []

    def step(self) -> Fact:
        """Tell one move."""
        where, places = self._where, self._places
        while True:
            rest, verb = divmod(self._stream.below(self._ways), _MOVES)
            who, place = divmod(rest, len(places))
            if where[who] != place:
                break
        where[who] = place
        self._walkers.append(who)
        fact = moved(self._people[who], verb, places[place])
        self.lines.append(fact)
        self._moved[who] = len(self.lines)
        return fact

    def ask(self, quota: Quota) -> Ask | None:
        """About the person of one of the last facts."""
        recent = self._walkers[-REACH - 1 :]
        for _ in range(REDRAWS):
            who = recent[self._stream.below(len(recent))]
            place = self._places[self._where[who]]
            if quota.takes(place):
                break
        return where_is(self._people[who], place, self._moved[who]) if quota.settle(place) else None


def single_support(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa1 story."""
    people = cast(stream, setup.vocabulary.people["A"], 4)
    places = cast(stream, setup.vocabulary.places["A"], 6)
    return tell(split, quota, setup.facts, partial(Walk, stream, people, places))
