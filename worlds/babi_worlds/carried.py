"""qa2, qa3 and qa5: places of carried things, earlier places, givers (docs/spec/babilong.md 5.2, 5.3, 5.5)."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import Split
from worlds.babi_worlds.lines import Ask, Line
from worlds.babi_worlds.moves import HELD, Habits, Scene, Trail, draw_cast
from worlds.babi_worlds.pacing import REACH, tell
from worlds.babi_worlds.quota import Quota
from worlds.babi_worlds.setup import Setup, pairs_of_facts
from worlds.babi_worlds.vocabulary import Vocabulary

_CARRY = Habits()
_CARRY_FAR = Habits(get_there=1)
_HAND_OVER = Habits("m" * 5 + "g" * 5 + "d" * 5 + "v" * 18, group="B")
_answer = attrgetter("answer")


class Carried(Scene):
    """A scene with questions about its objects."""

    def _fresh(self) -> list[tuple[int, Trail]]:
        """Objects that were got or dropped within reach."""
        oldest = self.told - REACH
        return [(what, trail) for what, trail in enumerate(self.trails) if trail.told >= oldest and trail.line]

    def _draw(self) -> Ask | None:
        """A question the facts decide."""
        raise NotImplementedError

    def ask(self, quota: Quota) -> Ask | None:
        """About one of the objects."""
        return quota.ask(self._draw, _answer)


class Where(Carried):
    """qa2: the place of an object, carried there by its holder or dropped by a person whose place is known."""

    def _draw(self) -> Ask | None:
        known = []
        for what, trail in self._fresh():
            if self.holder[what] == HELD:
                if trail.settled:
                    known.append((what, self.spot[what], (trail.line, trail.settled)))
            elif trail.carry:
                place, line = trail.carry[-1]
                known.append((what, place, (trail.line, line)))
        if not known:
            return None
        what, place, supporting = self.stream.choice(known)
        return Ask(f"Where is the {self.cast.objects[what]}?", self.cast.places[place], supporting)


class Before(Carried):
    """qa3: the place before a place: both reached by moves of the last person who carried the object."""

    def _draw(self) -> Ask | None:
        known = [(what, trail) for what, trail in self._fresh() if len(trail.carry) > 1]
        if not known:
            return None
        what, trail = self.stream.choice(known)
        carry = trail.carry
        last = {place: at for at, (place, _) in enumerate(carry)}
        at = self.stream.choice([at for at in last.values() if at])
        (before, earlier), (place, later) = carry[at - 1], carry[at]
        places = self.cast.places
        question = f"Where was the {self.cast.objects[what]} before the {places[place]}?"
        evidence = tuple(sorted({trail.got, earlier, later, trail.line}))
        return Ask(question, places[before], (trail.line, later, earlier), evidence)


class Transfer(Carried):
    """qa5: the last transfer of an object: what was given (1/3), who gave it, who received it (four forms, 1/6 each)."""

    def _draw(self) -> Ask | None:
        oldest = self.told - REACH
        known = [(what, trail) for what, trail in enumerate(self.trails) if trail.transfer and trail.given >= oldest]
        if not known:
            return None
        what, trail = self.stream.choice(known)
        people = self.cast.people
        giver, thing, receiver = people[trail.giver], self.cast.objects[what], people[trail.receiver]
        form = self.stream.below(6)
        if form < 2 and self._ambiguous(trail):
            form = 2 + self.stream.below(4)
        question, answer = (
            (f"What did {giver} give to {receiver}?", thing),
            (f"What did {giver} give to {receiver}?", thing),
            (f"Who gave the {thing}?", giver),
            (f"Who gave the {thing} to {receiver}?", giver),
            (f"Who received the {thing}?", receiver),
            (f"Who did {giver} give the {thing} to?", receiver),
        )[form]
        return Ask(question, answer, (trail.transfer,))

    def _ambiguous(self, trail: Trail) -> bool:
        """True when this giver ever gave this receiver another object too: a defect of the real files
        (docs/defects/babilong.md 5.5).
        """
        pair = trail.giver, trail.receiver
        return sum((giver, receiver) == pair for giver, receiver, _ in self.transfers) > 1


def two_supports(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa2 story."""
    return tell(split, quota, setup.facts, partial(Where, _CARRY, draw_cast(setup, stream, _CARRY), stream))


def three_supports(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa3 story."""
    return tell(split, quota, setup.facts, partial(Before, _CARRY_FAR, draw_cast(setup, stream, _CARRY_FAR), stream))


def three_supports_lengths(words: Vocabulary) -> range:
    """A get and two moves at least."""
    return pairs_of_facts(words)[1:]


def three_arguments(setup: Setup, stream: Stream, split: Split, quota: Quota, attempt: int) -> list[Line]:
    """One qa5 story."""
    return tell(split, quota, setup.facts, partial(Transfer, _HAND_OVER, draw_cast(setup, stream, _HAND_OVER), stream))
