"""The world most tasks share: people walk, carry things, hand them over; and what a reader of the facts knows.

Action by action it behaves as the real files do (measured on them): of all people and all kinds of action one pair is
drawn until it is possible, so who can do more acts more often (spec/babilong.md 5, 5.2 and 5.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from corpora.records import Part
from corpora.world.babi_worlds.lines import Ask, Fact, Line, part_of
from corpora.world.babi_worlds.vocabulary import Vocabulary
from haymaker.rng import Stream

QUESTIONS = 5
"""Questions of a full story."""
REACH = 4
"""A question is asked while at most this many facts follow its first support: no real question breaks this."""
HELD = -1
"""Place of an object that somebody holds; person of an object that nobody does."""

Facts = tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Acts:
    """How often each kind of action is tried, relative to one another (whole numbers)."""

    move: int = 1
    get: int = 1
    drop: int = 1
    give: int = 0


@dataclass(frozen=True)
class Setting:
    """A cast, its places and objects, and every sentence that can be said about them.

    Attributes:
        get_there, drop_there: how many of `there_of` sentences end in "there".
    """

    people: tuple[str, ...]
    words: Vocabulary
    acts: Acts
    get_there: int = 5
    drop_there: int = 1
    there_of: int = 5

    @cached_property
    def kinds(self) -> str:
        """One letter per equally likely draw: m(ove), g(et), d(rop), v for give."""
        acts = self.acts
        return "m" * acts.move + "g" * acts.get + "d" * acts.drop + "v" * acts.give

    @cached_property
    def moves(self) -> tuple[tuple[Facts, ...], ...]:
        """Sentences by person and place."""
        words = self.words
        return tuple(
            tuple(tuple(Fact(f"{who} {verb} to the {place}.") for verb in words.moves) for place in words.places)
            for who in self.people
        )

    @cached_property
    def gets(self) -> tuple[tuple[Facts, ...], ...]:
        """Sentences by person and object."""
        return self._handled(self.words.gets, self.get_there)

    @cached_property
    def drops(self) -> tuple[tuple[Facts, ...], ...]:
        """Sentences by person and object."""
        return self._handled(self.words.drops, self.drop_there)

    @cached_property
    def gives(self) -> tuple[tuple[tuple[Facts, ...], ...], ...]:
        """Sentences by giver, object and receiver."""
        words = self.words
        return tuple(
            tuple(
                tuple(
                    tuple(Fact(f"{who} {verb} the {what} to {whom}.") for verb in words.gives) for whom in self.people
                )
                for what in words.objects
            )
            for who in self.people
        )

    def _handled(self, verbs: tuple[str, ...], there: int) -> tuple[tuple[Facts, ...], ...]:
        ends = [" there"] * there + [""] * (self.there_of - there)
        return tuple(
            tuple(
                tuple(Fact(f"{who} {verb} the {what}{end}.") for verb in verbs for end in ends)
                for what in self.words.objects
            )
            for who in self.people
        )


@dataclass(slots=True)
class Trail:
    """What the reader knows of one object.

    Attributes:
        line, told: line id and fact number of the last get, drop or give; 0 before the first.
        actor: who did it (index of a person).
        settled: line id of the dropper's last move before the drop; 0 when unknown, or when the object is held.
        carry: (place, line id) of every move of the holder since he got it; kept after the drop.
        giver, receiver: of its last transfer; `transfer`, `given`: line id and fact number of that, 0 before the first.
    """

    line: int = 0
    told: int = 0
    actor: int = HELD
    settled: int = 0
    carry: list[tuple[int, int]] = field(default_factory=list)
    giver: int = HELD
    receiver: int = HELD
    transfer: int = 0
    given: int = 0


class Scene:
    """One story while it happens. Start places are drawn and never told."""

    def __init__(self, setting: Setting, stream: Stream) -> None:
        words = setting.words
        self.setting, self.stream = setting, stream
        self.lines: list[Line] = []
        self.told = 0
        self.where = [stream.below(len(words.places)) for _ in setting.people]
        self.spot = [stream.below(len(words.places)) for _ in words.objects]
        self.holder = [HELD for _ in words.objects]
        self.moved = [0 for _ in setting.people]
        self.trails = [Trail() for _ in words.objects]
        self.transfers: set[tuple[int, int, int]] = set()

    def step(self) -> None:
        """Tell one fact: draw a person and a kind of action until the action is possible."""
        below, kinds, cast = self.stream.below, self.setting.kinds, len(self.setting.people)
        n = cast * len(kinds)
        while True:
            kind, who = divmod(below(n), cast)
            fact = _ACTIONS[kinds[kind]](self, who)
            if fact is not None:
                self.lines.append(fact)
                return

    def _tell(self) -> int:
        """Count one more fact; its line id."""
        self.told += 1
        return len(self.lines) + 1

    def _in_hand(self, who: int) -> list[int]:
        return [what for what, holder in enumerate(self.holder) if holder == who]

    def _move(self, who: int) -> Fact | None:
        setting, stream = self.setting, self.stream
        place = stream.below(len(setting.words.places))
        if place == self.where[who]:
            return None
        self.where[who] = place
        self.moved[who] = line = self._tell()
        for what, holder in enumerate(self.holder):
            if holder == who:
                self.trails[what].carry.append((place, line))
        return stream.choice(setting.moves[who][place])

    def _get(self, who: int) -> Fact | None:
        here = [what for what, place in enumerate(self.spot) if place == self.where[who]]
        if not here:
            return None
        what = here[0] if len(here) == 1 else self.stream.choice(here)
        self.spot[what], self.holder[what] = HELD, who
        trail = self.trails[what]
        trail.line, trail.actor, trail.settled, trail.carry = self._tell(), who, 0, []
        trail.told = self.told
        return self.stream.choice(self.setting.gets[who][what])

    def _drop(self, who: int) -> Fact | None:
        held = self._in_hand(who)
        if not held:
            return None
        what = held[0] if len(held) == 1 else self.stream.choice(held)
        self.spot[what], self.holder[what] = self.where[who], HELD
        trail = self.trails[what]
        trail.line, trail.actor, trail.settled = self._tell(), who, self.moved[who]
        trail.told = self.told
        return self.stream.choice(self.setting.drops[who][what])

    def _give(self, who: int) -> Fact | None:
        """The first object to the first neighbour in cast order, never two objects in a row: as all real gives."""
        held = self._in_hand(who)
        if not held:
            return None
        near = [other for other, place in enumerate(self.where) if place == self.where[who] and other != who]
        if not near:
            return None
        what, whom = held[0], near[0]
        if any(other.given == self.told and other is not self.trails[what] for other in self.trails if other.given):
            return None
        self.holder[what] = whom
        trail = self.trails[what]
        trail.line = trail.transfer = self._tell()
        trail.actor, trail.giver, trail.receiver, trail.settled, trail.carry = who, who, whom, 0, []
        trail.told = trail.given = self.told
        self.transfers.add((who, whom, what))
        return self.stream.choice(self.setting.gives[who][what][whom])


_ACTIONS: dict[str, Callable[[Scene, int], Fact | None]] = {
    "m": Scene._move,
    "g": Scene._get,
    "d": Scene._drop,
    "v": Scene._give,
}


def tell(setting: Setting, stream: Stream, part: Part, ask: Callable[[Scene], Ask | None]) -> list[Line]:
    """One whole story of `part`: two facts, then a question if `ask` finds one, until the story is full."""
    while True:
        scene = Scene(setting, stream)
        scene.step()
        scene.step()
        if part_of(*(line.text for line in scene.lines if isinstance(line, Fact))) == part:
            break
    asked = 0
    while True:
        question = ask(scene)
        if question is not None:
            scene.lines.append(question)
            asked += 1
            if asked == QUESTIONS:
                return scene.lines
        scene.step()
        scene.step()
