"""The world of the carrying tasks: people walk, carry things, hand them over; and what a reader of the facts knows.

Action by action it behaves as the real files do (measured on them): of all people and all kinds of action one pair is
drawn until it is possible, so who can do more acts more often (docs/spec/babilong.md 5, 5.2, 5.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from haymaker.core.rng import Stream
from worlds.babi_worlds.lines import Fact, Line
from worlds.babi_worlds.setup import Setup, cast
from worlds.babi_worlds.vocabulary import DROPS, GETS, GIVES, MOVES

HELD = -1
"""Place of an object that somebody holds; person of an object that nobody does."""


@dataclass(frozen=True)
class Habits:
    """Actions of the people of a task, and their wording.

    Attributes:
        kinds: one letter per equally likely draw: m(ove), g(et), d(rop), v for give.
        get_there, drop_there: how many of `there_of` sentences end in "there".
        group: of people.
    """

    kinds: str = "mgd"
    get_there: int = 5
    drop_there: int = 1
    there_of: int = 5
    group: str = "A"


@dataclass(frozen=True, slots=True)
class Cast:
    """People, places and objects of a story."""

    people: Sequence[str]
    places: Sequence[str]
    objects: Sequence[str]


def draw_cast(setup: Setup, stream: Stream, habits: Habits) -> Cast:
    """As many people, places and objects as the real tasks have."""
    words = setup.vocabulary
    return Cast(
        cast(stream, words.people[habits.group], 4), cast(stream, words.places["A"], 6), cast(stream, words.objects, 3)
    )


@dataclass(slots=True)
class Trail:
    """Knowledge of the reader about one object.

    Attributes:
        line, told: line id and fact number of the last get, drop or give; 0 before the first.
        got: line id of the last get.
        settled: line id of the dropper's last move before the drop; 0 when unknown, or when the object is held.
        carry: (place, line id) of every move of the holder since he got it; kept after the drop.
        giver, receiver: of its last transfer; `transfer`, `given`: line id and fact number of that, 0 before the first.
    """

    line: int = 0
    told: int = 0
    got: int = 0
    settled: int = 0
    carry: list[tuple[int, int]] = field(default_factory=list)
    giver: int = HELD
    receiver: int = HELD
    transfer: int = 0
    given: int = 0


class Scene:
    """One story while it happens. Start places are drawn and never told."""

    def __init__(self, habits: Habits, cast: Cast, stream: Stream) -> None:
        places = len(cast.places)
        self.habits, self.cast, self.stream = habits, cast, stream
        self.lines: list[Line] = []
        self.told = 0
        self.where = [stream.below(places) for _ in cast.people]
        self.spot = [stream.below(places) for _ in cast.objects]
        self.holder = [HELD for _ in cast.objects]
        self.moved = [0 for _ in cast.people]
        self.trails = [Trail() for _ in cast.objects]
        self.handled: list[list[tuple[int, int]]] = [[] for _ in cast.people]
        self.walks: list[tuple[int, int]] = []
        self.hands: list[tuple[int, int]] = []
        self.transfers: set[tuple[int, int, int]] = set()
        self.given = 0

    def step(self) -> Fact:
        """Tell one fact: draw a person and a kind of action until the action is possible."""
        below, kinds, people = self.stream.below, self.habits.kinds, len(self.cast.people)
        n = people * len(kinds)
        while True:
            kind, who = divmod(below(n), people)
            text = _ACTIONS[kinds[kind]](self, who)
            if text is not None:
                fact = Fact(text)
                self.lines.append(fact)
                return fact

    def _tell(self) -> int:
        """Count one more fact; its line id."""
        self.told += 1
        return len(self.lines) + 1

    def in_hand(self, who: int) -> list[int]:
        """Return the objects that a person holds."""
        return [what for what, holder in enumerate(self.holder) if holder == who]

    def _move(self, who: int) -> str | None:
        cast, stream = self.cast, self.stream
        place = stream.below(len(cast.places))
        if place == self.where[who]:
            return None
        self.where[who] = place
        self.moved[who] = line = self._tell()
        self.walks.append((self.told, who))
        if who in self.holder:
            for what in self.in_hand(who):
                self.trails[what].carry.append((place, line))
        return f"{cast.people[who]} {stream.choice(MOVES)} to the {cast.places[place]}."

    def _get(self, who: int) -> str | None:
        if self.where[who] not in self.spot:
            return None
        here = [what for what, place in enumerate(self.spot) if place == self.where[who]]
        what = here[0] if len(here) == 1 else self.stream.choice(here)
        self.spot[what], self.holder[what] = HELD, who
        trail = self._touch(who, what)
        trail.got, trail.settled, trail.carry = trail.line, 0, []
        return self._said(who, GETS, what, self.habits.get_there)

    def _drop(self, who: int) -> str | None:
        if who not in self.holder:
            return None
        held = self.in_hand(who)
        what = held[0] if len(held) == 1 else self.stream.choice(held)
        self.spot[what], self.holder[what] = self.where[who], HELD
        trail = self._touch(who, what)
        trail.settled = self.moved[who]
        return self._said(who, DROPS, what, self.habits.drop_there)

    def _give(self, who: int) -> str | None:
        """The first object to the first neighbour in cast order, never two objects in a row: as all real gives."""
        if who not in self.holder:
            return None
        held = self.in_hand(who)
        near = [other for other, place in enumerate(self.where) if place == self.where[who] and other != who]
        if not near:
            return None
        what, whom = held[0], near[0]
        trail = self.trails[what]
        if self.given and self.given == self.told and trail.given != self.told:
            return None
        self.holder[what] = whom
        self._touch(who, what)
        self.handled[whom].append((what, trail.line))
        trail.transfer, trail.giver, trail.receiver, trail.settled, trail.carry = trail.line, who, whom, 0, []
        trail.given = self.given = self.told
        self.transfers.add((who, whom, what))
        cast = self.cast
        return f"{cast.people[who]} {self.stream.choice(GIVES)} the {cast.objects[what]} to {cast.people[whom]}."

    def _touch(self, who: int, what: int) -> Trail:
        """Note that a person handled an object just now."""
        trail = self.trails[what]
        trail.line, trail.told = self._tell(), self.told
        self.handled[who].append((what, trail.line))
        self.hands.append((self.told, who))
        return trail

    def _said(self, who: int, verbs: Sequence[str], what: int, there: int) -> str:
        of = self.habits.there_of
        verb, end = divmod(self.stream.below(len(verbs) * of), of)
        return f"{self.cast.people[who]} {verbs[verb]} the {self.cast.objects[what]}{' there' if end < there else ''}."


_ACTIONS: dict[str, Callable[[Scene, int], str | None]] = {
    "m": Scene._move,
    "g": Scene._get,
    "d": Scene._drop,
    "v": Scene._give,
}
