"""qa6, qa7 and qa8: where people are, how many and which things they carry (docs/spec/babilong.md 5.6, 5.7, 5.8)."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import NamedTuple

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.answers import LIST
from worlds.babi_worlds.lines import Ask, Line
from worlds.babi_worlds.moves import Habits, Scene, draw_cast
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup

_CARRY = Habits()
_HAND_OVER = Habits("m" * 5 + "g" * 5 + "d" * 5 + "v" * 20)
_COLLECT = Habits("m" * 4 + "g" * 12 + "d" + "v" * 8)
"""Where full hands are asked about as often as empty ones."""
_NUMBERS = ("none", "one", "two", "three")


class _Drawn(NamedTuple):
    label: str
    ask: Ask


class Recent(Scene):
    """A scene with questions about the people of the last facts."""

    def _draw(self, who: int) -> _Drawn:
        """A question about a person, and the label it counts for."""
        raise NotImplementedError

    def _subjects(self) -> list[int]:
        """People a question can be about, each as often as the last facts speak of him so."""
        raise NotImplementedError

    def ask(self, quota: Quota) -> Ask | None:
        """About one of those people."""
        recent = self._subjects()
        if not recent:
            return None
        found = quota.ask(lambda: self._draw(self.stream.choice(recent)), attrgetter("label"))
        return found and found.ask


class Present(Recent):
    """qa6: whether a person is in a place; half of the questions name the true one."""

    def _subjects(self) -> list[int]:
        return [who for told, who in self.walks[-REACH - 1 :] if told > self.told - REACH - 1]

    def _draw(self, who: int) -> _Drawn:
        places = self.cast.places
        place, answer = self.where[who], "yes"
        if self.stream.below(2):
            answer, other = "no", self.stream.below(len(places) - 1)
            place = other + (other >= place)
        return _Drawn(answer, Ask(f"Is {self.cast.people[who]} in the {places[place]}?", answer, (self.moved[who],)))


class Handlers(Recent):
    """People who got, dropped or gave something; who was only given something is not asked about, as in the real files."""

    def _subjects(self) -> list[int]:
        return [who for told, who in self.hands[-REACH - 1 :] if told > self.told - REACH - 1]


class Count(Handlers):
    """qa7: how many objects a person carries; supported by all he did with objects or was given."""

    def _draw(self, who: int) -> _Drawn:
        answer = _NUMBERS[len(self.in_hand(who))]
        lines = tuple(line for _, line in self.handled[who])
        return _Drawn(answer, Ask(f"How many objects is {self.cast.people[who]} carrying?", answer, lines))


class Inventory(Handlers):
    """qa8: which objects a person carries, in the order in which he first took each of them."""

    def _draw(self, who: int) -> _Drawn:
        ever = list(dict.fromkeys(what for what, _ in self.handled[who]))
        held = [self.cast.objects[what] for what in ever if self.holder[what] == who]
        lines = tuple(line for what in ever for thing, line in self.handled[who] if thing == what)
        label = LIST if len(held) > 1 else held[0] if held else "nothing"
        question = f"What is {self.cast.people[who]} carrying?"
        return _Drawn(label, Ask(question, ",".join(held) or "nothing", lines))


def yes_no(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa6 story."""
    return tell(split, quota, setup.facts, partial(Present, _CARRY, draw_cast(setup, stream, _CARRY), stream))


def counting(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa7 story."""
    habits = _COLLECT if quota.even else _HAND_OVER
    return tell(split, quota, setup.facts, partial(Count, habits, draw_cast(setup, stream, habits), stream))


def lists(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa8 story."""
    return tell(split, quota, setup.facts, partial(Inventory, _CARRY, draw_cast(setup, stream, _CARRY), stream))
