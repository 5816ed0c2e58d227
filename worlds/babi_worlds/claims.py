"""qa9 and qa10: where people are, are not, may be (docs/spec/babilong.md 5.9, 5.10)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Fact, Line
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup, cast
from worlds.babi_worlds.vocabulary import MOVES


class Claims:
    """People whose moves or places are stated.

    Half of the facts are moves, a quarter "is in", a quarter a doubt. Where a person truly is changes with
    every fact and is never told by a doubt.
    """

    def __init__(self, stream: Stream, people: Sequence[str], places: Sequence[str]) -> None:
        self.lines: list[Line] = []
        self.stream, self.people, self.places = stream, people, places
        self.where = [stream.below(len(places)) for _ in people]
        self.named: list[tuple[int, ...]] = [() for _ in people]
        self.sure = [True for _ in people]
        self._told = [0 for _ in people]
        self._subjects: list[int] = []

    def other(self, place: int) -> int:
        """Any place but this."""
        found = self.stream.below(len(self.places) - 1)
        return found + (found >= place)

    def step(self) -> Fact:
        """Tell one fact."""
        stream = self.stream
        who, kind = stream.below(len(self.people)), stream.below(4)
        before = self.where[who]
        self.where[who] = place = self.other(before)
        self.sure[who] = kind > 0
        if kind:
            self.named[who] = (place,)
            verb = f"{stream.choice(MOVES)} to" if kind > 1 else "is in"
            fact = Fact(f"{self.people[who]} {verb} the {self.places[place]}.")
        else:
            fact = Fact(f"{self.people[who]} {self._doubt(who, before)}.")
        self.lines.append(fact)
        self._subjects.append(who)
        self._told[who] = len(self.lines)
        return fact

    def _doubt(self, who: int, before: int) -> str:
        """Return a statement about a person who was in the place `before`, without the present place; sets `named`."""
        raise NotImplementedError

    def _doubtful(self, who: int) -> tuple[int, str]:
        """A place to ask about after a doubt, and the answer."""
        raise NotImplementedError

    def ask(self, quota: Quota) -> Ask | None:
        """Whether the person of one of the last facts is somewhere."""
        recent = self._subjects[-REACH - 1 :]
        return quota.ask(lambda: self._draw(self.stream.choice(recent)), attrgetter("answer"))

    def _draw(self, who: int) -> Ask:
        if not self.sure[who]:
            place, answer = self._doubtful(who)
        elif self.stream.below(2):
            place, answer = self.where[who], "yes"
        else:
            place, answer = self.other(self.where[who]), "no"
        return Ask(f"Is {self.people[who]} in the {self.places[place]}?", answer, (self._told[who],))


class Denials(Claims):
    """qa9: a doubt names the place that the person has just left; questions are only about that place."""

    def _doubt(self, who: int, before: int) -> str:
        self.named[who] = (before,)
        verb = "is not in" if self.stream.below(2) else "is no longer in"
        return f"{verb} the {self.places[before]}"

    def _doubtful(self, who: int) -> tuple[int, str]:
        (place,) = self.named[who]
        return place, "no"


class Choices(Claims):
    """qa10: a doubt names the true place and another one, in any order; never the same twice, unlike 16 % in 5.10."""

    def _doubt(self, who: int, before: int) -> str:
        place = self.where[who]
        pair = (place, self.other(place))
        one, two = self.named[who] = pair if self.stream.below(2) else pair[::-1]
        return f"is either in the {self.places[one]} or the {self.places[two]}"

    def _doubtful(self, who: int) -> tuple[int, str]:
        """As if the true place were known: it, or any other one."""
        place = self.where[who]
        asked = place if self.stream.below(2) else self.other(place)
        return asked, "maybe" if asked in self.named[who] else "no"


def negation(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa9 story."""
    words = setup.vocabulary
    people, places = cast(stream, words.people["A"], 4), cast(stream, words.places["A"], 6)
    return tell(split, quota, setup.facts, partial(Denials, stream, people, places))


def indefinite(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa10 story."""
    words = setup.vocabulary
    people, places = cast(stream, words.people["C"], 4), cast(stream, words.places["B"], 6)
    return tell(split, quota, setup.facts, partial(Choices, stream, people, places))
