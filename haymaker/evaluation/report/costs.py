"""Tokens that models read and wrote, as their servers counted them, and what these cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import floor, log10
from typing import NamedTuple

from haymaker.evaluation.models.options import cost
from haymaker.evaluation.report.model_scores import Model
from haymaker.evaluation.score.row_scores import RowScore, natural_order


class CostLine(NamedTuple):
    """What the outputs of one model for some rows took.

    Attributes:
        rows: test rows whose output says how many tokens it took.
        read, wrote: tokens.
        right: of these rows, those that score 100 under their first metric.
        cost: by the model's prices; None where none was told.
        each: cost of a right answer; None without cost or right answers.
    """

    rows: int
    read: int
    wrote: int
    right: int
    cost: float | None
    each: float | None


class Costs(NamedTuple):
    """The table of a page.

    Attributes:
        priced: whether a price of any model is known.
        whole: a line per model; None of a model whose file says no tokens.
        suites: of each suite its tasks, with such lines.
    """

    priced: bool
    whole: list[CostLine | None]
    suites: list[tuple[str, list[tuple[str, list[CostLine | None]]]]]


def costs(models: Sequence[Model]) -> Costs | None:
    """What every model took, all in all and by task; None where no file says tokens."""
    found = [_by_task(model) for model in models]
    places = sorted({place for of in found for place in of}, key=lambda place: (place[0], natural_order(place[1])))
    if not places:
        return None
    whole = [
        _line(model, (row for rows in of.values() for row in rows)) for model, of in zip(models, found, strict=True)
    ]
    suites = [
        (
            suite,
            [
                (place[1], [_line(model, of.get(place, ())) for model, of in zip(models, found, strict=True)])
                for place in those
            ],
        )
        for suite, those in groupby(places, key=lambda place: place[0])
    ]
    return Costs(any(line is not None and line.cost is not None for line in whole), whole, suites)


def _by_task(model: Model) -> Mapping[tuple[str, str], list[RowScore]]:
    found: dict[tuple[str, str], list[RowScore]] = defaultdict(list)
    for row in model.first:
        if row.id in model.tokens:
            found[row.suite, row.task].append(row)
    return found


def _line(model: Model, rows: Iterable[RowScore]) -> CostLine | None:
    those = list(rows)
    if not those:
        return None
    read, wrote = (sum(model.tokens[row.id][place] for row in those) for place in (0, 1))
    right = sum((row.score or 0) >= 1 for row in those)
    price = cost(read, wrote, *model.prices)
    return CostLine(len(those), read, wrote, right, price, price / right if right and price is not None else None)


def money(amount: float | None) -> str:
    """An amount with two digits behind the point, or three that count where it is small."""
    if amount is None:
        return "–"
    places = 2 if amount >= 1 or amount <= 0 else max(2, 2 - floor(log10(amount)))
    return f"{amount:,.{places}f}"
