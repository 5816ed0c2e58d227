"""Contexts that list units of one form, drawn from stocks: pairs, functions, numbers.

The units of a group have ranks (generators/context/ranked.py): fixed ones are in every context, the requested ones at given depths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import starmap
from typing import Any, TypeAlias

import numpy as np

from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context import ranked
from generators.context.pieces import Ints, Pieces, UnitColumns, closed
from generators.context.writer import Frame
from generators.generated.base import GeneratedTask
from generators.spec import Candidate, Table
from haymaker.core.errors import BuildError

Column: TypeAlias = "list[tuple[Pieces, Ints]]"
"""Stocks, and which of their pieces are taken: one piece per unit, by rank."""


@dataclass(frozen=True, slots=True, eq=False)
class ListUnits:
    """The units of a group by rank, each made of one piece of every column: fixed ones first, then others.

    Attributes:
        columns: function from a count to the columns of all fixed units and the first `count` others.
        fixed: number of units in every context.
        most: number of times that others can be taken.
        marks: rank to kind and ref of the spans of fixed units. Those of kind gold and needle have given depths; the first gold one
            is the requested one.
        ending: text that ends a unit and opens the next; the last piece of every unit ends with it.
        end: text that ends a context instead.
        each: number of others taken at a time.
    """

    columns: Callable[[int], list[Column]]
    fixed: int
    most: int
    marks: Mapping[int, tuple[str, str]]
    ending: str
    end: str = ""
    each: int = 1

    @property
    def placed(self) -> list[int]:
        """Ranks of the units with given depths."""
        return [rank for rank, (kind, _) in self.marks.items() if kind in ("gold", "needle")]

    @property
    def requested(self) -> int | None:
        """Rank of the requested unit, if any."""
        return next((rank for rank, (kind, _) in self.marks.items() if kind == "gold"), None)

    def tokens(self, count: int) -> Ints:
        """Return the release tokens of all fixed units and the first `count` others."""
        columns = (np.concatenate([*starmap(Pieces.tokens, column)]) for column in self.columns(count))
        return reduce(np.add, columns)

    def filling(self, budget: int, fixed: Sequence[int], table: Table) -> Ints:
        """Return the ranks of others that fill a budget next to these fixed units; raise BuildError if there is no room."""

        def sizes(count: int) -> Ints:
            found: Ints = self.tokens(self.each * count)[self.fixed :].reshape(-1, self.each).sum(axis=1)
            return found

        left = budget - int(self.tokens(0)[fixed].sum())
        taken = ranked.filling_ranks(sizes, left, table.tokens or 0, most=self.most)
        if not len(taken):
            raise BuildError("instruction and gold leave no room", where=table.config, fix="drop the length")
        return self.fixed + (self.each * taken[:, None] + np.arange(self.each)).ravel()


def fitted(
    task: GeneratedTask[Any], table: Table, candidate: Candidate, frame: Frame, units: ListUnits,
    placings: Sequence[Sequence[float]], max_new_tokens: int | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return arguments of RowWriter.sample for full rows of a group that list the same units.

    `placings` has per row the depths of the placed units, equally many in each; placed units without a depth are left out.

    Raises:
        BuildError: the length is too short, or longer than all units.
    """
    every = units.placed
    placed, kept = every[: len(placings[0])], np.setdiff1d(np.arange(units.fixed), every)
    places = task.draws(candidate.split, candidate.number, "places")

    def fill(budget: int) -> tuple[list[dict[str, Any]], list[list[list[CountedText]]]]:
        others = units.filling(budget, [*placed, *kept], table)
        columns = units.columns(int(others[-1]) + 1 - units.fixed)
        shuffled = ranked.in_drawn_order(np.concatenate((kept, others)), places)
        orders = [ranked.inserted(shuffled, placed, depths) for depths in placings]
        rows = [_laid(frame, units, columns, order, task.inputs.tokenizers) for order in orders]
        return rows, [row["context"].parts() for row in rows]

    rows, counts = task.writer.fitted_all(table, frame, fill, max_new_tokens)
    for each in counts:
        ranked.check_full(task.writer, table, each, max_new_tokens)
    return [{**row, "counts": each} for row, each in zip(rows, counts, strict=True)]


def _laid(
    frame: Frame, units: ListUnits, columns: Sequence[Column], order: Ints, tokenizers: Sequence[Tokenizer]
) -> dict[str, Any]:
    """Return the columns of a row that depend on the order of its units."""
    strip, gold = reduce(UnitColumns.beside, (_taken(column, order) for column in columns)), units.requested
    places = np.flatnonzero(np.isin(order, list(units.marks))).tolist()
    at = dict(zip(order[places].tolist(), places, strict=True))
    context = ranked.named(closed(strip, units.ending, tokenizers, units.end), strip, places, units.ending)
    return {
        "frame": frame, "context": context, "num_segments": len(order), "num_unique_segments": len(order),
        "depth": at[gold] / (len(order) - 1) if gold in at else None,
        "spans": list(ranked.spans(frame, context, (units.marks[rank] for rank in at), frame.tokens_before)),
    }  # fmt: skip


def _taken(column: Column, order: Ints) -> UnitColumns:
    if len(column) > 1:
        return reduce(UnitColumns.__add__, starmap(Pieces.strip, column)).ordered(order)
    [(pieces, at)] = column
    return pieces.strip(at[order])  # much faster than picking from a strip
