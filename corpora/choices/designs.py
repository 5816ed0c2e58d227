"""Sets of options in which the right one has no place of its own (docs/spec/marathon.md 6, row 5).

A wrong option that is the right one with a change in it betrays it: the right one is then the nearest to all others. So sets
are made in which the right option's place is drawn: the corner of a square whose sides are two changes that do not disturb
each other, the rank on a ladder of equal steps, the place on a path of orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from corpora.choices.quantities import Quantity
from haymaker.core.rng import Stream

_CAPS = {"share": 100, "year": 2100, "time": 12 * 60 + 59, "day": 28, "month": 12}
_FLOORS = {"time": 60}
_LIKE_COUNTING = 20  # up to here a number is not thought round
_NEAR, _FAR = 0.03, 0.2  # a step, as a share of the number
_MOST_IN_WORDS = 999
_YEAR_STEPS = range(1, 6)
_MOST_STEPS = 40
_ROMAN = ("", *"I II III IV V VI VII VIII IX X XI XII".split())


class Slot(NamedTuple):
    """A part of the right answer that may be changed.

    Attributes:
        start: first character.
        end: one past the last.
        others: (n, stream) to n other texts for it, or None where there are not so many.
    """

    start: int
    end: int
    others: Callable[[int, Stream], list[str] | None]


def corners(text: str, slots: Sequence[Slot], options: int, stream: Stream) -> list[str] | None:
    """The other corners of a square, cube ... of changes, with the text itself at a random corner.

    Of a square with fewer options than corners, so many corners are drawn that the text's place among them is uniform.

    Args:
        text: the right answer.
        slots: parts of it that do not overlap; as many as are needed are drawn of them.
        options: with the right one; wrong ones are one fewer.
        stream: draws.

    Returns:
        None where the slots do not suffice.
    """
    sides = (options - 1).bit_length()
    changes: list[tuple[Slot, str]] = []
    for slot in stream.shuffled(slots):
        used = {other for _, other in changes}
        found = slot.others(1, stream) if len(changes) < sides else None
        if found and found[0] in used:
            found = [other for other in slot.others(sides, stream) or () if other not in used]
        if found:
            changes.append((slot, found[0]))
    if len(changes) < sides:
        return None
    kept = stream.sample(range(1 << sides), options)
    right = kept[0]
    return [
        _changed(text, [change for i, change in enumerate(changes) if (corner ^ right) >> i & 1]) for corner in kept[1:]
    ]


def _changed(text: str, changes: Sequence[tuple[Slot, str]]) -> str:
    for slot, other in sorted(changes, key=lambda change: -change[0].start):
        text = text[: slot.start] + other + text[slot.end :]
    return text


def ladder(number: Quantity, options: int, stream: Stream, near: Sequence[int] = ()) -> list[int] | None:
    """The other values of a ladder of equal steps on which the number's rank is uniform over those that are possible.

    No value is negative or zero, or above what its kind allows, and none is rounder than the number: a number that is not
    round would else be known by that.

    Args:
        number: the right one.
        options: values, with the right one.
        stream: draws.
        near: values that should stand on the ladder if they can, such as those of the evidence.

    Returns:
        None where there is no such ladder.
    """
    ranks = {rank: found for rank in range(options) if (found := _steps(number, options, rank))}
    if not ranks:
        return None
    rank = stream.choice(sorted(ranks))
    reaching = [
        step for step in ranks[rank] if any(_reaches(number.value, value, step, rank, options) for value in near)
    ]
    step = stream.choice(reaching or ranks[rank])
    return [number.value + (i - rank) * step for i in range(options) if i != rank]


def _steps(number: Quantity, options: int, rank: int) -> list[int]:
    """Steps with which the number can have that rank; the near ones if there are any, else the smallest."""
    value, unit = number.value, _unit(number)
    low = _FLOORS.get(number.kind, 1)
    high = _CAPS.get(number.kind, 10**18) * 10**number.decimals
    if number.kind == "share" and value > high:
        high = 10**18
    if number.style == "words":
        high = min(high, _MOST_IN_WORDS)

    def fits(step: int) -> bool:
        values = [value + (i - rank) * step for i in range(options)]
        return values[0] >= low and values[-1] <= high and all(_unit_of(v, number) <= unit for v in values)

    near = _YEAR_STEPS if number.kind == "year" else _near(value, unit)
    return [step for step in near if fits(step)] or [step for step in (unit, 2 * unit, 3 * unit) if fits(step)][:1]


def _near(value: int, unit: int) -> Sequence[int]:
    first = max(1, round(_NEAR * value / unit))
    last = max(first, int(_FAR * value / unit))
    stride = max(1, (last - first) // _MOST_STEPS)
    return range(first * unit, last * unit + 1, stride * unit)


def _unit(number: Quantity) -> int:
    return _unit_of(number.value, number)


def _unit_of(value: int, number: Quantity) -> int:
    """The place of the last digit that is not zero: how round a value is; small values and years are never round."""
    if number.kind == "time":
        return 5 if value % 5 == 0 else 1
    if number.kind not in ("count", "share") or value <= _LIKE_COUNTING:
        return 1
    unit = 1
    while value % (10 * unit) == 0:
        unit *= 10
    return unit


def _reaches(value: int, other: int, step: int, rank: int, options: int) -> bool:
    steps, rest = divmod(other - value, step)
    return not rest and steps != 0 and 0 <= rank + steps < options


def orders(right: Sequence[str], options: int, stream: Stream) -> list[list[str]] | None:
    """Other orders: the corners of a square of two swaps of neighbours that commute, or a path of such swaps.

    Of three events there are six orders, on a ring where neighbours differ by one swap; the options are a stretch of it, with
    the right order at a random place. Of four and more, the order in which the events are listed is left out of the square
    where it can be: whoever made the question mixed them, so that it is hardly ever right.

    Returns:
        None where there are not so many.
    """
    if len(right) == 3:
        return _stretch(list(right), options, stream) if options <= 6 else None
    sides = (options - 1).bit_length()
    choices = [swaps for swaps in _swaps(len(right), sides) if not _makes(sorted(right, key=_listed), right, swaps)]
    choices = choices or list(_swaps(len(right), sides))
    if not choices:
        return None
    swaps = stream.choice(choices)
    kept = stream.sample(range(1 << sides), options)
    return [_swapped(right, [at for i, at in enumerate(swaps) if (corner ^ kept[0]) >> i & 1]) for corner in kept[1:]]


def _listed(mark: str) -> tuple[int, str]:
    """The place of a mark in a list: 2 before 10, IV before IX."""
    roman = mark.upper()
    return (int(mark) if mark.isdigit() else _ROMAN.index(roman) if roman in _ROMAN else 0), mark


def _stretch(right: list[str], options: int, stream: Stream) -> list[list[str]]:
    rank, first = stream.below(options), stream.below(2)
    back, ahead = [right], [right]
    for i in range(options):
        ahead.append(_swapped(ahead[-1], [(first + i) % 2]))
        back.append(_swapped(back[-1], [(first + 1 + i) % 2]))
    return [*back[1 : rank + 1], *ahead[1 : options - rank]]


def _swaps(size: int, sides: int, first: int = 0) -> list[tuple[int, ...]]:
    """Sets of places whose neighbours may be swapped without disturbing each other."""
    if not sides:
        return [()]
    return [(at, *rest) for at in range(first, size - 1) for rest in _swaps(size, sides - 1, at + 2)]


def _makes(wanted: Sequence[str], right: Sequence[str], swaps: tuple[int, ...]) -> bool:
    corners = range(1, 1 << len(swaps))
    return any(_swapped(right, [at for i, at in enumerate(swaps) if c >> i & 1]) == list(wanted) for c in corners)


def _swapped(right: Sequence[str], places: Sequence[int]) -> list[str]:
    out = list(right)
    for at in places:
        out[at], out[at + 1] = out[at + 1], out[at]
    return out
