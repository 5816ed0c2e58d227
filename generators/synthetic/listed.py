"""Contexts that list units of one form, drawn from stocks: pairs, functions, numbers.

The units of a group have ranks (ranked.py): the first ones stand in every context, those asked for at given depths.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import starmap
from typing import Any, ClassVar, TypeAlias

import numpy as np

from corpora.tokenizers.tokenizer import CountedText
from generators.context import ranked
from generators.context.pieces import Ints, Pieces, Strip, closed
from generators.context.writer import Frame
from generators.spec import Candidate, S, Table
from generators.synthetic.base import GeneratedTask
from haymaker.core.errors import BuildError

Column: TypeAlias = "list[tuple[Pieces, Ints]]"
"""Stocks, and which of their pieces are taken; one piece a unit, by rank."""


class Units(ABC):
    """The units of a group by rank, each of one piece of every column.

    Args:
        fixed: units that stand in every context.
        most: how many times others can be taken.
        marks: rank to kind and ref of the spans of some fixed units; gold ones have given depths, the first of them is asked for.

    Attributes:
        ending: what closes a unit and opens the next; every last piece of a unit ends with it.
        end: what closes a context instead.
        each: others that are taken at a time.
    """

    ending: ClassVar[str]
    end: ClassVar[str] = ""
    each: ClassVar[int] = 1

    def __init__(self, fixed: int, most: int, marks: Mapping[int, tuple[str, str]]) -> None:
        self.fixed, self.most, self.marks = fixed, most, marks
        self.golds = [rank for rank, (kind, _) in marks.items() if kind == "gold"]

    @abstractmethod
    def columns(self, count: int) -> list[Column]:
        """All fixed units and the first `count` others."""

    def tokens(self, count: int) -> Ints:
        """Release tokens of each of them."""
        columns = (np.concatenate([*starmap(Pieces.tokens, column)]) for column in self.columns(count))
        return reduce(np.add, columns)

    def filling(self, budget: int, fixed: Sequence[int], table: Table) -> Ints:
        """Ranks of the others that fill a budget beside these fixed ones.

        Raises:
            BuildError: no room, or not enough units.
        """

        def sizes(count: int) -> Ints:
            found: Ints = self.tokens(self.each * count)[self.fixed :].reshape(-1, self.each).sum(axis=1)
            return found

        left = budget - int(self.tokens(0)[fixed].sum())
        taken = ranked.filling_ranks(sizes, left, table.tokens or 0, most=self.most)
        if not len(taken):
            raise BuildError("instruction and gold leave no room", where=table.config, fix="drop the bucket")
        return self.fixed + (self.each * taken[:, None] + np.arange(self.each)).ravel()


class ListTask(GeneratedTask[S]):
    """One list per group, in drawn order but for the units asked for."""

    def fitted(
        self, table: Table, candidate: Candidate, frame: Frame, units: Units, placings: Sequence[Sequence[float]]
    ) -> list[dict[str, Any]]:
        """What RowWriter.sample takes of each of some full rows that list the same units.

        Args:
            table: of the rows.
            candidate: the group.
            frame: the words around.
            units: of the group.
            placings: per row, depths of the gold units, as many in each; those for which there is none are left out.

        Raises:
            BuildError: the bucket is too short, or longer than all units.
        """
        placed = units.golds[: len(placings[0])]
        kept = np.array([rank for rank in range(units.fixed) if rank not in units.golds], dtype=np.int64)
        places = self.draws(candidate.part, candidate.number, "places")

        def fill(budget: int) -> tuple[list[dict[str, Any]], list[list[list[CountedText]]]]:
            others = units.filling(budget, [*placed, *kept], table)
            columns = units.columns(int(others[-1]) + 1 - units.fixed)
            shuffled = ranked.in_drawn_order(np.concatenate((kept, others)), places)
            orders = (ranked.inserted(shuffled, placed, depths) for depths in placings)
            rows = [self._laid(frame, units, columns, order) for order in orders]
            return rows, [row["context"].parts() for row in rows]

        rows, counts = self.writer.fitted_all(table, frame, fill)
        for each in counts:
            ranked.check_full(self.writer, table, each)
        return [{**row, "counts": each} for row, each in zip(rows, counts, strict=True)]

    def _laid(self, frame: Frame, units: Units, columns: Sequence[Column], order: Ints) -> dict[str, Any]:
        """What the units' order decides of a row."""
        laid, gold = reduce(Strip.beside, (_taken(column, order) for column in columns)), units.golds[0]
        places = np.flatnonzero(np.isin(order, list(units.marks))).tolist()
        at = dict(zip(order[places].tolist(), places, strict=True))
        context = closed(laid, units.ending, self.inputs.tokenizers, units.end)
        context = ranked.named(context, laid, places, units.ending)
        return {
            "frame": frame, "context": context, "n_units": len(order), "n_unique_units": len(order),
            "depth": at[gold] / (len(order) - 1) if gold in at else None,
            "spans": list(ranked.spans(frame, context, (units.marks[rank] for rank in at), frame.tokens_before)),
        }  # fmt: skip


def _taken(column: Column, order: Ints) -> Strip:
    if len(column) > 1:
        return reduce(Strip.__add__, starmap(Pieces.strip, column)).ordered(order)
    [(pieces, at)] = column
    return pieces.strip(at[order])  # far quicker than picking from a strip
