"""One way to fill a budget: the first units in their order, the last few chosen so that almost nothing stays empty.

Nothing here tokenises or joins: tokens are known by prefix sums, so fitting is a bisection and a small subset sum. How far the choice
may reach decides that longer contexts hold shorter ones; there are two such reaches, one for sentences (every unit of half the budget
ahead is taken by a budget twice as large) and one for units of a known bucket (docs/decisions/0002-fill.md).
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
    """(n, chosen): the first n units and some of those behind them, that fill `budget` tokens and never pass it.

    Args:
        sums: prefix sums of the units' tokens, in the order in which longer contexts take them.
        budget: tokens to fill.
        reach: which of the last units may be chosen among.

    Raises:
        BuildError: all units together do not pass the budget, so they cannot fill it.
    """
    count = len(sums) - 1
    if sums[count] <= budget:
        raise BuildError(f"{count:,} units hold {sums[count]:,} tokens where {budget:,} are to be filled")
    if budget <= 0:
        return 0, []
    first, last = reach(sums, bisect_right(sums, budget) - 1, budget)
    ahead = range(first, min(last, first + _TAIL_UNITS, count))
    return first, closest(((unit, sums[unit + 1] - sums[unit]) for unit in ahead), budget - sums[first])


def sentence_reach(sums: memoryview, cut: int, budget: int) -> tuple[int, int]:
    """The last few units that fit, and half the budget ahead; the unit that passes it is the last."""
    return max(0, cut - _BACK_UNITS), bisect_left(sums, sums[cut] + budget // 2)


def fit_ranked(sums: memoryview, budget: int, bucket: int, back: int = _BACK_UNITS) -> list[int]:
    """Positions, ascending, of ranked units that fill `budget` tokens and never pass it.

    The choice reaches from at most a quarter of the bucket before the budget's end to half a bucket beyond it.

    Args:
        sums: prefix sums of the units' tokens, in order of priority.
        budget: tokens to fill.
        bucket: tokens of the whole row.
        back: units that would have fitted and may yet be passed over; more of them where units are of nearly one size.

    Raises:
        BuildError: all units together do not pass the budget.
    """

    def reach(sums: memoryview, cut: int, budget: int) -> tuple[int, int]:
        first = min(cut, max(cut - back, bisect_left(sums, budget - bucket // 4)))
        return first, bisect_right(sums, budget + bucket // 2 - _SEAMS) - 1

    first, chosen = fit(sums, budget, reach)
    return [*range(first), *chosen]


def prefix_sums(sizes: Iterable[int]) -> memoryview:
    """Value i = sum of the first i sizes."""
    return memoryview(array("q", accumulate(sizes, initial=0)))


def closest(ahead: Iterable[tuple[int, int]], left: int) -> list[int]:
    """Units to take from `ahead`, in its order, that fill `left` tokens as exactly as any choice can.

    Subset sum with one bit per total: bit t of a number says whether the units so far can fill t tokens. Early units are preferred,
    so none is looked at behind the one with which all of `left` can be filled.
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
