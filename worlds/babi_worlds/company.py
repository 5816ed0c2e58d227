"""qa11, qa12 and qa13: people named, in pairs, or by a pronoun (docs/spec/babilong.md 5.11, 5.12, 5.13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations
from operator import attrgetter

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup, cast
from worlds.babi_worlds.vocabulary import MOVES

_OPENERS = ("After that", "Afterwards", "Then", "Following that")
_UNKNOWN = -1


class Company:
    """People who move, some of them together; a person never moves to the place where the reader knows them to be.

    Args:
        stream: of the draws.
        people: everybody.
        places: everywhere.
        size: how many move together.
        pronoun: of a person; given, every second fact repeats the people of the one before by their pronoun.
    """

    def __init__(
        self,
        stream: Stream,
        people: Sequence[str],
        places: Sequence[str],
        size: int,
        pronoun: Callable[[str], str] | None = None,
    ) -> None:
        self.lines: list[Line] = []
        self._stream, self._people, self._places, self._pronoun = stream, people, places, pronoun
        self._groups = list(permutations(range(len(people)), size))
        self._where = [_UNKNOWN for _ in people]
        self._support: list[tuple[int, ...]] = [() for _ in people]
        self._movers: Sequence[int] = ()
        self._mentions: list[int] = []
        self._repeat = False

    def step(self) -> Fact:
        """Return the sentence of one move; a pronoun refers to the people of the line above."""
        stream, line = self._stream, len(self.lines) + 1
        while True:
            movers = self._movers if self._repeat else stream.choice(self._groups)
            place = stream.below(len(self._places))
            if all(self._where[who] != place for who in movers):
                break
        for who in movers:
            self._where[who] = place
            self._support[who] = (line - 1, line) if self._repeat else (line,)
        self._movers = movers
        self._mentions += movers
        fact = Fact(f"{self._subject(movers)} {stream.choice(MOVES)} to the {self._places[place]}.")
        self.lines.append(fact)
        self._repeat = self._pronoun is not None and not self._repeat
        return fact

    def _subject(self, movers: Sequence[int]) -> str:
        names = [self._people[who] for who in movers]
        if self._repeat and self._pronoun is not None:
            return f"{self._stream.choice(_OPENERS)} {self._pronoun(names[0])}"
        return " and ".join(names)

    def ask(self, quota: Quota) -> Ask | None:
        """About one of the last people mentioned."""
        recent = self._mentions[-REACH - 1 :]
        return quota.ask(lambda: self._draw(self._stream.choice(recent)), attrgetter("answer"))

    def _draw(self, who: int) -> Ask:
        return Ask(f"Where is {self._people[who]}?", self._places[self._where[who]], self._support[who])


def coreference(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa11 story."""
    she = setup.vocabulary.she
    return _story(setup, stream, split, quota, 1, lambda name: "she" if name in she else "he")


def conjunction(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa12 story."""
    return _story(setup, stream, split, quota, 2, None)


def compound_coreference(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa13 story."""
    return _story(setup, stream, split, quota, 2, lambda name: "they")


def _story(
    setup: Setup, stream: Stream, split: Split, quota: Quota, size: int, pronoun: Callable[[str], str] | None
) -> list[Line]:
    people = cast(stream, setup.vocabulary.people["A"], 4)
    places = cast(stream, setup.vocabulary.places["A"], 6)
    return tell(split, quota, setup.facts, partial(Company, stream, people, places, size, pronoun))
