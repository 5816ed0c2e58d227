"""Which worked examples a row shows, as text, with exact counts of the row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from generators.context.context import Context
from generators.context.fit import closest, fit_ranked
from generators.context.pieces import Ints, Strip, closed
from generators.context.writer import Frame, RowWriter
from generators.shots.worked_stock import Stock
from generators.spec import Table
from haymaker.core.errors import BuildError

_SHORTEST = 4096  # tokens of a bucket
_LOOKED_AT = 48  # shots that may be chosen among to fill it


class Filled(NamedTuple):
    """The shots of a row: their numbers in order, their units, the text, exact counts of the row."""

    shots: Ints
    strip: Strip
    context: Context
    counts: list[int]


def of(writer: RowWriter, stock: Stock, shots: Ints, frame: Frame) -> Filled:
    """Given shots, however many tokens they have."""
    strip = stock.pieces.strip(shots)
    context = closed(strip, stock.headers.ending, writer.tokenizers)
    return Filled(shots, strip, context, writer.count(frame, context.parts()))


def primed(writer: RowWriter, stock: Stock, order: Ints, frame: Frame) -> Ints:
    """The order, but that shots come first which fill the shortest usual bucket together: few whole texts fit there, and longer rows hold it."""
    sized = list(enumerate(stock.pieces.tokens(order[:_LOOKED_AT]).tolist()))
    room = _SHORTEST - writer.release.reserved_template_tokens - writer.reserved_output()
    budget = room - frame.tokens + writer.tokenizers[0].count_part(stock.headers.ending)
    while budget > 0 and sum(size for _, size in sized) > budget and (chosen := closest(sized, budget)):
        over = of(writer, stock, order[chosen], frame).counts[0] - room
        if over <= 0:
            return np.concatenate([order[chosen], np.delete(order, chosen)])
        budget -= over
    return order


def fitted(writer: RowWriter, table: Table, stock: Stock, order: Ints, frame: Frame) -> Filled:
    """Shots in their order until the bucket is full, the last few chosen so that almost nothing stays empty.

    Raises:
        BuildError: they end before the bucket is full, or none fits.
    """
    ending, tokens = stock.headers.ending, table.tokens or 0
    pool, sums = stock.pool(order, writer.room(table) + tokens // 2)
    closing = writer.tokenizers[0].count_part(ending)
    if sums[-1] <= writer.room(table) - frame.tokens + closing:
        raise BuildError("the examples end before the bucket is full", where=table.config, fix="drop the bucket")

    def fill(budget: int) -> tuple[tuple[Ints, Strip], Context]:
        if not (chosen := fit_ranked(sums, budget + closing, tokens)):
            raise BuildError("no example fits", where=table.config, fix="drop the bucket")
        strip = stock.pieces.strip(pool[chosen])
        return (pool[chosen], strip), closed(strip, ending, writer.tokenizers)

    (shots, strip), context, counts = writer.fitted(table, frame, fill)
    return Filled(shots, strip, context, counts)
