"""Fill a token budget: take units in order, and choose the last few so that almost nothing remains unused.

Nothing is tokenized or joined: tokens are known as prefix sums, so fitting is a bisection and a small subset sum. The range of the
choice ensures that longer contexts contain shorter ones; there are two ranges, one for sentences (a budget twice as large takes every
unit of half the budget ahead) and one for units of a known length (docs/decisions/0002-fill.md).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate

from haymaker.core.errors import BuildError

_TAIL_UNITS = 64  # units looked at to fill the end
_BACK_UNITS = 8  # of them, units that would have fitted
_SEAMS = 16  # tokens by which seams may make the budgets of two lengths differ

Reach = Callable[[memoryview, int, int], tuple[int, int]]
"""Prefix sums, units that fit, budget -> first and one past the last unit to choose from."""


def fit(sums: memoryview, budget: int, reach: Reach) -> tuple[int, list[int]]:
    """Return (n, chosen): the first n units and some of the following ones, which fill `budget` tokens and never exceed it.

    Args:
        sums: prefix sums of the tokens of units, in the order in which longer contexts take them.
        budget: tokens to fill.
        reach: range of the units to choose from.

    Raises:
        BuildError: all units together do not exceed the budget.
    """
    count = len(sums) - 1
    if sums[count] <= budget:
        raise BuildError(f"{count:,} units have {sums[count]:,} tokens, but {budget:,} are to be filled")
    if budget <= 0:
        return 0, []
    first, last = reach(sums, bisect_right(sums, budget) - 1, budget)
    ahead = range(first, min(last, first + _TAIL_UNITS, count))
    return first, closest(((unit, sums[unit + 1] - sums[unit]) for unit in ahead), budget - sums[first])


def sentence_reach(sums: memoryview, cut: int, budget: int) -> tuple[int, int]:
    """Choose from the last few units that fit and those of half the budget ahead."""
    return max(0, cut - _BACK_UNITS), bisect_left(sums, sums[cut] + budget // 2)


def fit_ranked(sums: memoryview, budget: int, length: int, back: int = _BACK_UNITS) -> list[int]:
    """Return the positions, ascending, of ranked units that fill `budget` tokens and never exceed it.

    The choice starts at most a quarter of the length before the end of the budget and ends half a length after it.

    Args:
        sums: prefix sums of the tokens of units, in order of priority.
        budget: tokens to fill.
        length: tokens of the whole row.
        back: units before the end of the budget that may be left out; more if all units have nearly the same size.

    Raises:
        BuildError: all units together do not exceed the budget.
    """

    def reach(sums: memoryview, cut: int, budget: int) -> tuple[int, int]:
        first = min(cut, max(cut - back, bisect_left(sums, budget - length // 4)))
        return first, bisect_right(sums, budget + length // 2 - _SEAMS) - 1

    first, chosen = fit(sums, budget, reach)
    return [*range(first), *chosen]


def prefix_sums(sizes: Iterable[int]) -> memoryview:
    """Value i = sum of the first i sizes."""
    return memoryview(array("q", accumulate(sizes, initial=0)))


def closest(ahead: Iterable[tuple[int, int]], left: int) -> list[int]:
    """Return the units of `ahead`, in order, that fill `left` tokens as exactly as possible.

    Subset sum with one bit per total: bit t is set if the units so far can fill t tokens. Early units are preferred; the search stops
    at the unit with which all of `left` can be filled.
    """
    mask = (1 << (left + 1)) - 1
    reached, before = 1, list[tuple[int, int, int]]()  # a unit, its size, what could be filled without it
    for unit, size in ahead:
        if reached >> left:
            break
        before.append((unit, size, reached))
        reached = (reached | reached << size) & mask
    target, taken = reached.bit_length() - 1, []
    for unit, size, without in reversed(before):
        if not without >> target & 1:
            taken.append(unit)
            target -= size
    return taken[::-1]
