"""Contexts of ranked units: select units that fill a length, order them, and place units at given depths.

Every unit has a rank; a longer context takes more ranks. The place of a unit is drawn by its rank, so a longer context contains a shorter
one in the same order; units with a given depth are inserted last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count as count_from
from math import gcd, lcm

import numpy as np

from generators.context.context import Context
from generators.context.fit import fit_ranked
from generators.context.pieces import Ints, UnitColumns
from generators.context.writer import Frame, RowWriter
from generators.spec import Table
from haymaker.core.errors import BuildError
from haymaker.core.rng import Stream
from haymaker.core.rows.schema import Span

AHEAD = 72  # ranks after the budget's end that fit_ranked may take or leave, at most
_BACK = 24  # ranks before it that it may leave: units of one kind are of nearly one size
_FIRST = 256
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 / golden ratio: its multiples spread evenly, in whole numbers


def filling_ranks(
    sizes: Callable[[int], Ints], budget: int, length: int, *, most: int | None = None, back: int = _BACK
) -> Ints:
    """Return the ranks, ascending, of units that fill `budget` tokens and never exceed it: the first ones, but for the last few.

    Args:
        sizes: count -> release tokens of the units of rank 0 .. count - 1, or of all units if there are fewer. Called with growing
            counts, so that no more units are tokenized than needed.
        budget: tokens to fill.
        length: tokens of the whole row (fit_ranked).
        most: number of units, if `sizes` must not be called with more.
        back: units before the end of the budget that may be left out.

    Raises:
        BuildError: all units together do not exceed the budget.
    """
    count = _FIRST if most is None else min(most, _FIRST)
    while True:
        found = sizes(count)
        sums = np.concatenate(([0], np.cumsum(found))).astype(np.int64)
        if len(found) < count or count == most or sums[count - AHEAD] > budget:
            return np.asarray(fit_ranked(sums.data, budget, length, back), dtype=np.int64)
        count = max(2 * count, int(1.02 * count * budget / int(sums[-1])) + AHEAD)
        count = count if most is None else min(most, count)


def in_drawn_order(ranks: Sequence[int] | Ints, places: Stream) -> Ints:
    """Return the ranks in the order of their drawn places; more ranks leave the order of these as it is."""
    at = np.asarray(ranks, dtype=np.int64)
    return at[np.argsort(places.bulk(int(at.max(initial=-1)) + 1)[at], kind="stable")]


def distinct(draws: Stream, count: int, below: int) -> Ints:
    """Return the first `count` distinct ones of uniform numbers in 0 .. below - 1, in the order drawn; a larger count extends the list."""
    assert count <= below
    tries = count + 64
    while True:
        numbers = (draws.bulk(tries) % np.uint64(below)).astype(np.int64)  # below is small: a bias of 2**-45
        first = np.sort(np.unique(numbers, return_index=True)[1])
        if len(first) >= count:
            return numbers[first[:count]]
        tries *= 2


def slot(depth: float, units: int) -> int:
    """Return the units before one of this depth (0.0 first .. 1.0 last) among `units` others."""
    return round(depth * units)


def inserted(order: Ints, ranks: Sequence[int], depths: Sequence[float]) -> Ints:
    """Return the order with further ranks inserted at their depths."""
    return np.insert(order, [slot(depth, len(order)) for depth in depths], np.asarray(ranks, dtype=np.int64))


def even_share(start: int, number: int) -> int:
    """Return a depth, of 2**64, for candidate `number`: consecutive candidates are spread evenly from any start (Weyl sequence)."""
    return (start + number * _GOLDEN) % (1 << 64)


def binned(group: int, bins: int, draws: Stream, cycle: int = 1) -> tuple[int, float]:
    """Return the bin of a group, and a depth drawn inside it (docs/defects/synthetic.md A5 #7).

    Consecutive groups are far apart (of ten bins: 0, 7, 4, 1, 8 ...). Each run of `bins` groups has every bin once, and `bins * cycle`
    groups have every bin once with each of the values that groups cycle through.

    Args:
        group: number of the group, from 0.
        bins: number of bins of equal width.
        draws: random stream of the group.
        cycle: number of values (questions, layers) that groups cycle through; 1: none.
    """
    step = next(step for step in count_from(round(0.618 * bins)) if gcd(step, bins) == 1)
    chosen = (step * group + group // lcm(bins, cycle)) % bins
    return chosen, (chosen + draws.unit()) / bins


def check_full(writer: RowWriter, table: Table, counts: Sequence[int], max_new_tokens: int | None = None) -> None:
    """Refuse a row that units of this size cannot fill.

    Raises:
        BuildError: less than 99.5 % of the length is used.
    """
    if not writer.is_full(table, counts, max_new_tokens):
        raise BuildError("no choice of units fills 99.5 % of the length", where=table.config, fix="use a longer length")


def named(context: Context, units: UnitColumns, places: Sequence[int], ending: str = "") -> Context:
    """Return a context of some units whose named units are those at some places, without their endings."""
    at = np.asarray(places, dtype=np.int64)
    characters, tokens = units.characters, units.tokens[0]
    ends, token_ends = np.cumsum(characters)[at], np.cumsum(tokens)[at]
    return replace(
        context, starts=(ends - characters[at] + 1).tolist(), ends=(ends - len(ending)).tolist(),
        token_starts=(token_ends - tokens[at]).tolist(),
    )  # fmt: skip


def spans(frame: Frame, context: Context, marks: Iterable[tuple[str, str]], before: int) -> Iterator[Span]:
    """Yield the named units as spans in prompt coordinates.

    Args:
        frame: text around the context.
        context: context of the row.
        marks: (kind, ref) of each named unit.
        before: release tokens before the context.
    """
    for start, end, tokens, mark in zip(context.starts, context.ends, context.token_starts, marks, strict=True):
        yield frame.span(start, end, *mark, before + tokens)
