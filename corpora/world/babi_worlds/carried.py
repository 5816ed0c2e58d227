"""qa2, qa3 and qa5: where carried things are, where they were, who gave them (spec/babilong.md 5.2, 5.3, 5.5)."""

from __future__ import annotations

from corpora.records import Part
from corpora.world.babi_worlds.lines import Ask, Line
from corpora.world.babi_worlds.moves import HELD, REACH, Acts, Scene, Setting, Trail, tell
from corpora.world.babi_worlds.vocabulary import classic
from haymaker.rng import Stream

_CARRY = Setting(classic.people, classic, Acts())
_CARRY_FAR = Setting(classic.people, classic, Acts(), get_there=1)
_HAND_OVER = Setting(classic.givers, classic, Acts(move=5, get=5, drop=5, give=18))


def two_supports(stream: Stream, part: Part, attempt: int) -> list[Line]:
    """One qa2 story."""
    return tell(_CARRY, stream, part, _ask_where)


def three_supports(stream: Stream, part: Part, attempt: int) -> list[Line]:
    """One qa3 story."""
    return tell(_CARRY_FAR, stream, part, _ask_before)


def three_arguments(stream: Stream, part: Part, attempt: int) -> list[Line]:
    """One qa5 story."""
    return tell(_HAND_OVER, stream, part, _ask_transfer)


def _fresh(scene: Scene) -> list[tuple[int, Trail]]:
    """Objects that were got or dropped within reach."""
    oldest = scene.told - REACH
    return [(what, trail) for what, trail in enumerate(scene.trails) if trail.told >= oldest and trail.line]


def _ask_where(scene: Scene) -> Ask | None:
    """Place of an object: carried there by its holder, or dropped by someone whose place is told."""
    known = []
    for what, trail in _fresh(scene):
        if scene.holder[what] == HELD:
            if trail.settled:
                known.append((what, scene.spot[what], (trail.line, trail.settled)))
        elif trail.carry:
            place, line = trail.carry[-1]
            known.append((what, place, (trail.line, line)))
    if not known:
        return None
    what, place, supporting = scene.stream.choice(known)
    words = scene.setting.words
    return Ask(f"Where is the {words.objects[what]}?", words.places[place], supporting)


def _ask_before(scene: Scene) -> Ask | None:
    """The place before a place: both reached by moves of the last person who carried the object."""
    known = [(what, trail) for what, trail in _fresh(scene) if len(trail.carry) > 1]
    if not known:
        return None
    what, trail = scene.stream.choice(known)
    carry = trail.carry
    last = {place: at for at, (place, _) in enumerate(carry)}
    at = scene.stream.choice([at for at in last.values() if at])
    (before, earlier), (place, later) = carry[at - 1], carry[at]
    words = scene.setting.words
    question = f"Where was the {words.objects[what]} before the {words.places[place]}?"
    return Ask(question, words.places[before], (trail.line, later, earlier))


def _ask_transfer(scene: Scene) -> Ask | None:
    """The last transfer of an object: what was given (1/3), who gave it, who received it (four forms of 1/6 each)."""
    oldest = scene.told - REACH
    known = [(what, trail) for what, trail in enumerate(scene.trails) if trail.transfer and trail.given >= oldest]
    if not known:
        return None
    what, trail = scene.stream.choice(known)
    people = scene.setting.people
    giver, thing, receiver = people[trail.giver], scene.setting.words.objects[what], people[trail.receiver]
    form = scene.stream.below(6)
    if form < 2 and _ambiguous(scene, trail):
        form = 2 + scene.stream.below(4)
    question, answer = (
        (f"What did {giver} give to {receiver}?", thing),
        (f"What did {giver} give to {receiver}?", thing),
        (f"Who gave the {thing}?", giver),
        (f"Who gave the {thing} to {receiver}?", giver),
        (f"Who received the {thing}?", receiver),
        (f"Who did {giver} give the {thing} to?", receiver),
    )[form]
    return Ask(question, answer, (trail.transfer,))


def _ambiguous(scene: Scene, trail: Trail) -> bool:
    """True when this giver ever gave this receiver another object too: a defect of the real files (5.5)."""
    pair = trail.giver, trail.receiver
    return sum((giver, receiver) == pair for giver, receiver, _ in scene.transfers) > 1
