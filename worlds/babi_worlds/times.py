"""qa14: places of people by time of day, in any order (docs/spec/babilong.md 5.14)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup, cast, pairs_of_facts
from worlds.babi_worlds.vocabulary import MOVES, Vocabulary

_TIMES = ("yesterday", "this morning", "this afternoon", "this evening")
_PEOPLE = 4


class _Visit(NamedTuple):
    who: int
    time: int
    place: int


class Timelines:
    """People who go from place to place through four times; sentences of a block are not in order of time.

    A block is a pair of facts; the first block continues until a question is possible. Its sentences are put in
    the order of a random cycle, so no sentence is at its place in time (measured on the real files).
    """

    def __init__(self, stream: Stream, people: Sequence[str], places: Sequence[str]) -> None:
        self.lines: list[Line] = []
        self._stream, self._people, self._places = stream, people, places
        self._days: list[list[int]] = [[] for _ in people]
        self._told_at: dict[tuple[int, int], int] = {}
        self._visits: list[_Visit] = []
        self._waiting: list[_Visit] = []

    def step(self) -> Fact:
        """Tell one visit."""
        if not self._waiting:
            self._waiting = self._block()
        visit = self._waiting.pop()
        stream, name = self._stream, self._people[visit.who]
        went, time = f"{stream.choice(MOVES)} to the {self._places[visit.place]}", _TIMES[visit.time]
        first = stream.below(2)
        fact = Fact(f"{time.capitalize()} {name} {went}." if first else f"{name} {went} {time}.")
        self.lines.append(fact)
        self._told_at[visit.who, visit.time] = len(self.lines)
        return fact

    def _block(self) -> list[_Visit]:
        block = [self._visit(), self._visit()]
        while not any(visit.time for visit in self._visits):
            block += [self._visit(), self._visit()]
        for last in range(len(block) - 1, 0, -1):
            other = self._stream.below(last)
            block[last], block[other] = block[other], block[last]
        return block[::-1]

    def _visit(self) -> _Visit:
        """Return the next event: a person goes to another place at the next time of day."""
        who = self._stream.choice([who for who, day in enumerate(self._days) if len(day) < len(_TIMES)])
        day = self._days[who]
        place = self._stream.choice([place for place in range(len(self._places)) if day[-1:] != [place]])
        day.append(place)
        visit = _Visit(who, len(day) - 1, place)
        self._visits.append(visit)
        return visit

    def ask(self, quota: Quota) -> Ask | None:
        """Where the person of one of the last visits was before that; when he came there twice, before the later time."""
        late = [visit for visit in self._visits[-REACH - 1 :] if visit.time]
        if self._waiting or not late:
            return None
        return quota.ask(lambda: self._draw(self._stream.choice(late)), attrgetter("answer"), wait=False)

    def _draw(self, visit: _Visit) -> Ask:
        who, place = visit.who, visit.place
        day = self._days[who]
        time = max(at for at, stop in enumerate(day) if stop == place)
        question = f"Where was {self._people[who]} before the {self._places[place]}?"
        supporting = (self._told_at[who, time], self._told_at[who, time - 1])
        return Ask(question, self._places[day[time - 1]], supporting)


def time_reasoning(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa14 story; a long one has more people, four facts in five filling the times they have."""
    words, facts = setup.vocabulary, setup.facts or 0
    crowd = max(_PEOPLE, -(-facts * 5 // (4 * len(_TIMES))))
    people, places = cast(stream, words.people["C"], crowd), cast(stream, words.places["B"], 6)
    return tell(split, quota, setup.facts, partial(Timelines, stream, people, places))


def time_reasoning_lengths(words: Vocabulary) -> range:
    """Nobody has more than four times."""
    return range(2, min(pairs_of_facts(words)[-1], len(words.people["C"]) * len(_TIMES)) + 1, 2)
