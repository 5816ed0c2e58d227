"""qa1: people walk, nothing is carried (spec/babilong.md 5.1). Written for speed: one draw tells a fact."""

from __future__ import annotations

from functools import cache

from corpora.records import Part
from corpora.world.babi_worlds.lines import Ask, Fact, Line, part_of
from corpora.world.babi_worlds.moves import QUESTIONS, REACH
from corpora.world.babi_worlds.vocabulary import classic
from haymaker.rng import Stream

_PEOPLE, _PLACES, _MOVES = len(classic.people), len(classic.places), len(classic.moves)
_STEPS = tuple(
    (who, place, Fact(f"{person} {verb} to the {name}."))
    for who, person in enumerate(classic.people)
    for place, name in enumerate(classic.places)
    for verb in classic.moves
)
"""Every step that can be told, equally likely: person, place, sentence."""


@cache
def _ask(who: int, place: int, line: int) -> Ask:
    """A question is a constant: stories are short, so a few hundred serve them all."""
    return Ask(f"Where is {classic.people[who]}?", classic.places[place], (line,))


def single_support(stream: Stream, part: Part, attempt: int) -> list[Line]:
    """One qa1 story: ten moves; after every second one, ask about the person of one of the last facts."""
    while True:
        where = [stream.below(_PLACES) for _ in range(_PEOPLE)]
        lines: list[Line] = []
        walkers: list[int] = []
        moved = [0] * _PEOPLE
        one, two = _walk(stream, where, lines, walkers, moved), _walk(stream, where, lines, walkers, moved)
        if part_of(one.text, two.text) == part:
            break
    while True:
        told = len(walkers)
        who = walkers[told - 1 - stream.below(min(told, REACH + 1))]
        lines.append(_ask(who, where[who], moved[who]))
        if told == 2 * QUESTIONS:
            return lines
        _walk(stream, where, lines, walkers, moved)
        _walk(stream, where, lines, walkers, moved)


def _walk(stream: Stream, where: list[int], lines: list[Line], walkers: list[int], moved: list[int]) -> Fact:
    """Tell one move; `walkers` are the people of all facts so far, `moved` holds the line id of everyone's last one."""
    while True:
        who, place, fact = _STEPS[stream.below(len(_STEPS))]
        if where[who] != place:
            where[who] = place
            lines.append(fact)
            walkers.append(who)
            moved[who] = len(lines)
            return fact
