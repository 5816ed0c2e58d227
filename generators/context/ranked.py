"""Contexts of units in order of priority: which of them fill a bucket, in which order they stand, where the asked ones are put.

Every unit of a group has a rank; a longer context takes more ranks. Where a unit stands is drawn by its rank, so a longer
context holds a shorter one in the same order; units whose depth is fixed are put between the others at the end.
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

AHEAD = 72  # ranks behind the budget's end that fit_ranked may take or leave, at most
_BACK = 24  # ranks before it that it may leave: units of one kind are of nearly one size
_FIRST = 256


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
    """The first `count` different ones of a row of uniform numbers in 0 .. below - 1, in the order drawn.

    More are the same and then further ones.
    """
    assert count <= below
    tries = count + 64
    while True:
        numbers = (draws.bulk(tries) % np.uint64(below)).astype(np.int64)  # below is small: a bias of 2**-45
        first = np.sort(np.unique(numbers, return_index=True)[1])
        if len(first) >= count:
            return numbers[first[:count]]
        tries *= 2


def slot(depth: float, units: int) -> int:
    """Units before one of that depth (0.0 first .. 1.0 last) among `units` others."""
    return round(depth * units)


def inserted(order: Ints, ranks: Sequence[int], depths: Sequence[float]) -> Ints:
    """The order with further ranks put in at their depths."""
    return np.insert(order, [slot(depth, len(order)) for depth in depths], np.asarray(ranks, dtype=np.int64))


def binned(group: int, bins: int, draws: Stream, cycle: int = 1) -> tuple[int, float]:
    """(bin, depth): a group's bin of equal width; the place inside is drawn (docs/defects/synthetic.md A5 #7).

    The first few groups stand far apart (of ten bins: 0, 7, 4, 1, 8 ...); any `bins` groups from a multiple of it on have a bin
    each, and `bins * cycle` groups have each bin once with each of the things that they take in turn.

    Args:
        group: number from 0.
        bins: of the context.
        draws: of the group.
        cycle: things that groups take in turn (questions, layers); 1: none.
    """
    step = next(step for step in count_from(round(0.618 * bins)) if gcd(step, bins) == 1)
    chosen = (step * group + group // lcm(bins, cycle)) % bins
    return chosen, (chosen + draws.unit()) / bins


def check_full(writer: RowWriter, table: Table, counts: Sequence[int], max_new_tokens: int | None = None) -> None:
    """Refuse a row that units of this size cannot fill.

    Raises:
        BuildError: less than 99.5 % of the bucket is used.
    """
    if not writer.is_full(table, counts, max_new_tokens):
        raise BuildError("no choice of units fills 99.5 % of the bucket", where=table.config, fix="use a longer bucket")


def named(context: Context, units: UnitColumns, places: Sequence[int], ending: str = "") -> Context:
    """A context of some units that knows where those at the places stand, each without its ending."""
    at = np.asarray(places, dtype=np.int64)
    characters, tokens = units.characters, units.tokens[0]
    ends, token_ends = np.cumsum(characters)[at], np.cumsum(tokens)[at]
    return replace(
        context, starts=(ends - characters[at] + 1).tolist(), ends=(ends - len(ending)).tolist(),
        token_starts=(token_ends - tokens[at]).tolist(),
    )  # fmt: skip


def spans(frame: Frame, context: Context, marks: Iterable[tuple[str, str]], before: int) -> Iterator[Span]:
    """The named units in prompt coordinates.

    Args:
        frame: the words around.
        context: as it stands in the row.
        marks: (kind, ref) of each named unit.
        before: release tokens before the context's text.
    """
    for start, end, tokens, mark in zip(context.starts, context.ends, context.token_starts, marks, strict=True):
        yield frame.span(start, end, *mark, before + tokens)
