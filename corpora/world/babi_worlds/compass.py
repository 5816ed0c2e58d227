"""qa4: three places in a row, told by two facts (spec/babilong.md 5.4)."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

from corpora.records import Part
from corpora.world.babi_worlds.lines import Ask, Fact, Line, part_of
from corpora.world.babi_worlds.vocabulary import classic
from haymaker.rng import Stream

Choice = tuple[tuple[str, ...], tuple[str, str], bool, bool, bool, bool, bool, bool]
"""Places from end to end, axis, then: wording of either fact, their order, which one is asked about, which of its
places is named, wording of the question."""


def _told(choice: Choice) -> tuple[Fact, Fact, Ask]:
    """Facts and question of one choice of everything."""
    (first, middle, last), (ahead, behind), near, far, swap, late, flip, inverse = choice
    facts = [
        (middle, behind, first) if near else (first, ahead, middle),
        (middle, ahead, last) if far else (last, behind, middle),
    ]
    if swap:
        facts.reverse()
    subject, direction, other = facts[late]
    opposite = behind if direction == ahead else ahead
    if flip:
        subject, direction, opposite, other = other, opposite, direction, subject
    question = f"What is the {other} {opposite} of?" if inverse else f"What is {direction} of the {other}?"
    one, two = (Fact(f"The {x} is {way} of the {y}.") for x, way, y in facts)
    return one, two, Ask(question, subject, (1 + late,))


def two_arguments(stream: Stream, part: Part, attempt: int) -> list[Line]:
    """One qa4 story.

    First as in the real files: the shared place ends a fact twice as often as it begins one, and the question names the
    place that ends a fact. Where that only repeats an earlier sample, anything possible.
    """
    while True:
        places, axis = tuple(stream.sample(classic.places, 3)), stream.choice(classic.compass)
        swap, late, inverse = stream.below(2) == 0, stream.below(2) == 0, stream.below(2) == 0
        begins = 2 if attempt else 3
        near, far = stream.below(begins) == 0, stream.below(begins) == 0
        flip = attempt > 0 and stream.below(2) == 0
        lines = _told((places, axis, near, far, swap, late, flip, inverse))
        if _part(lines) == part:
            return list(lines)


@cache
def count_two_arguments(part: Part) -> int:
    """How many different qa4 samples a part has; 15,360 in all."""
    flags = (False, True)
    rows = permutations(classic.places, 3)
    ways = product(rows, classic.compass, flags, flags, flags, flags, flags, flags)
    return sum(_part(_told(way)) == part for way in ways)


def _part(lines: tuple[Fact, Fact, Ask]) -> Part:
    return part_of(lines[0].text, lines[1].text, lines[2].question)
