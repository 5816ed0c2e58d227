"""Token usage of models, as counted by their servers, and its cost."""

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
    """Token usage and cost of one model on some rows.

    Attributes:
        rows: number of test rows with token counts.
        read, wrote: prompt and reply tokens.
        right: number of these rows with a score of 100 under the primary metric.
        cost: from the model's prices; None if no price is known.
        each: cost per right answer; None without cost or right answers.
    """

    rows: int
    read: int
    wrote: int
    right: int
    cost: float | None
    each: float | None


class Costs(NamedTuple):
    """The cost table of a page.

    Attributes:
        priced: whether any model has a cost.
        whole: one line per model; None if its file has no token counts.
        suites: suites with their tasks, and the lines of each task.
    """

    priced: bool
    whole: list[CostLine | None]
    suites: list[tuple[str, list[tuple[str, list[CostLine | None]]]]]


def costs(models: Sequence[Model]) -> Costs | None:
    """Return the usage of every model, in total and by task; None if no file has token counts."""
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
    """Format an amount with two decimals, or three significant digits if it is small."""
    if amount is None:
        return "–"
    places = 2 if amount >= 1 or amount <= 0 else max(2, 2 - floor(log10(amount)))
    return f"{amount:,.{places}f}"
