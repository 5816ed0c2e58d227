"""Options of chronicles. Mostly symmetric squares: of two things each is right or wrong, so that no option is nearer to the others
than the right one.

Orders: two swaps of neighbours. Numbers: two operands, each right or replaced. Lists: two members, each right or replaced. The
wrong options of single facts are values from nearby text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from haymaker.core.rng import Stream

from .model import WRONG, Inquiry

T = TypeVar("T")
Square = tuple[str, str, str, str]  # the right one first
_NEAR = 6_000  # characters: maximum distance of wrong options from the evidence; about a thousand words
_SWAPS = {4: ((0, 2),), 5: ((0, 2), (0, 3), (1, 3))}


def orders(s: Stream, order: Sequence[int]) -> Square:
    """An order of numbers, and what comes of swapping neighbours at two places that do not touch, one or both.

    Args:
        s: decides the places.
        order: the right one, of four or five numbers.
    """
    one, two = s.choice(_SWAPS[len(order)])

    def swapped(*places: int) -> str:
        found = list(order)
        for at in places:
            found[at], found[at + 1] = found[at + 1], found[at]
        return ", ".join(map(str, found))

    return swapped(), swapped(one), swapped(two), swapped(one, two)


def lists(members: Sequence[str], other: tuple[str, str]) -> Square:
    """A list, and what comes of putting another member in the first or the second place, or both."""

    def listed(first: str, second: str) -> str:
        found = [first, second, *members[2:]]
        return f"{', '.join(found[:-1])} and {found[-1]}"

    (a, b), (x, y) = members[:2], other
    return listed(a, b), listed(x, b), listed(a, y), listed(x, y)


def numbers(
    value: Callable[[T, T], int], right: tuple[T, T], other: tuple[T, T], rank: int
) -> tuple[int, int, int, int] | None:
    """Return the results for two operands with one or both replaced; None unless the right result has a certain rank.

    Args:
        value: of two operands.
        right: operands of the right number.
        other: operands that could be mistaken for them.
        rank: of the right number among the four, 0 for the lowest.
    """
    (a, b), (x, y) = right, other
    found = value(a, b), value(x, b), value(a, y), value(x, y)
    if min(found) <= 0 or len(set(found)) < 4 or sorted(found).index(found[0]) != rank:
        return None
    return found


def near(s: Stream, inquiry: Inquiry, told: Sequence[tuple[int, str]], place: int) -> tuple[str, ...]:
    """Return at most three wrong values near the evidence, none to three of them before it, so that its position reveals nothing.

    A row contains a part of the document, so a wrong option from elsewhere could be recognized because it is missing.

    Args:
        s: draws how many are before the evidence.
        inquiry: asks for a value of the sort.
        told: where and what, all values of the sort in the order of the text.
        place: of the evidence.
    """
    near = [(at - place, value) for at, value in told if abs(at - place) <= _NEAR]
    near = [(at, value) for at, value in near if value != inquiry.answers[0] and value not in inquiry.text]
    before = list(dict.fromkeys(value for at, value in reversed(near) if at < 0))
    behind = [value for value in dict.fromkeys(value for at, value in near if at > 0) if value not in before[:WRONG]]
    share = s.below(WRONG + 1)
    found = (*before[:share], *behind[: WRONG - share], *before[share:], *behind[WRONG - share :])
    return tuple(dict.fromkeys(found))[:WRONG]
