"""Figures of a page, computed by the functions of `haymaker score` and `haymaker compare`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from haymaker.core.lengths import length_order
from haymaker.evaluation.compare.compare import compare_pairs
from haymaker.evaluation.report.model_scores import Model
from haymaker.evaluation.score.figures import averages, cell_figures, effective_lengths
from haymaker.evaluation.score.row_scores import natural_order
from haymaker.evaluation.score.split_by import fifth

Cell = Mapping[str, Any]


class ScoreTables(NamedTuple):
    """Figures of the models on a page.

    Attributes:
        tasks: one per suite, task and primary metric, with the cells by length of each model in `at`.
        averages: title of each published table, its lengths, and a line per edition, mean and model.
        lengths: one per task, with the effective length per model.
        editions: one per task, metric and model with both editions: strict and official means by length.
        heat: one per task: cells by fifth of depth and length, per model.
        differences: tests of each further model against the first.
    """

    tasks: list[dict[str, Any]]
    averages: list[tuple[str, dict[str, Any]]]
    lengths: list[dict[str, Any]]
    editions: list[dict[str, Any]]
    heat: list[dict[str, Any]]
    differences: list[dict[str, Any]]


def score_tables(models: Sequence[Model], share: float) -> ScoreTables:
    """Compute all figures of the models.

    Args:
        models: one or more models.
        share: effective-length threshold, as a fraction of the score at the shortest length, 0 to 1.

    Raises:
        ReleaseError: the scores contain two versions of one metric.
    """
    every = [list(cell_figures(row._replace(by="") for row in model.given.rows)) for model in models]
    first = [[cell for cell in of if cell["primary"]] for of in every]
    return ScoreTables(
        list(_tasks(first)),
        list(_averages(models)),
        list(_lengths(first, share)),
        list(_editions(every)),
        list(_heat(models)),
        _differences(models),
    )


def _tasks(first: Sequence[Sequence[Cell]]) -> Iterator[dict[str, Any]]:
    """Yield per task the cells of every model by length."""
    found: dict[tuple[str, str, str], list[dict[str, Cell]]] = {}
    for number, of in enumerate(first):
        for cell in of:
            key = cell["suite"], cell["task"], cell["metric"]
            found.setdefault(key, [{} for _ in first])[number][cell["length"]] = cell
    for suite, task, metric in sorted(found, key=lambda key: (key[0], natural_order(key[1]), key[2])):
        those = found[suite, task, metric]
        yield {"suite": suite, "task": task, "metric": metric, "judge": _judges(those), "at": those}


def _judges(those: Sequence[Mapping[str, Cell]]) -> str:
    """Return the judge; several names if models had different judges."""
    return ", ".join(dict.fromkeys(cell["judge"] for of in those for cell in of.values() if cell["judge"]))


def _averages(models: Sequence[Model]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield overall and category means of the published tables with available figures, a line per edition and model."""
    found: dict[str, dict[tuple[str, str, int], dict[str, Cell]]] = {}
    for number, model in enumerate(models):
        for each in averages(model.given.rows):
            lines = found.setdefault(each["title"], {})
            lines.setdefault((each["edition"], each["of"], number), {})[each["length"]] = each
    for title, lines in found.items():
        order = {key: place for place, key in enumerate(dict.fromkeys((key[1], key[0]) for key in lines))}
        order_of_lines = sorted(lines, key=lambda key: (order[key[1], key[0]], key[2]))
        lengths = sorted({length for at in lines.values() for length in at}, key=length_order)
        yield (
            title,
            {
                "lengths": lengths,
                "lines": [{"edition": e, "of": of, "model": m, "at": lines[e, of, m]} for e, of, m in order_of_lines],
            },
        )


def _lengths(first: Sequence[Sequence[Cell]], share: float) -> Iterator[dict[str, Any]]:
    found: dict[tuple[str, str, str], list[Cell | None]] = {}
    for number, of in enumerate(first):
        for each in effective_lengths(of, share):
            key = each["suite"], each["task"], each["metric"]
            found.setdefault(key, [None] * len(first))[number] = each
    for (suite, task, metric), those in found.items():
        yield {"suite": suite, "task": task, "metric": metric, "models": those}


def _editions(every: Sequence[Sequence[Cell]]) -> Iterator[dict[str, Any]]:
    """Yield the means of metrics with both editions, by length; `alike` is set if all of them are equal."""
    for number, of in enumerate(every):
        at = {(cell["suite"], cell["task"], *cell["metric"].split("@"), cell["length"]): cell for cell in of}
        pairs = [(key, cell, at.get((*key[:3], "official", key[4]))) for key, cell in at.items() if key[3] == "strict"]
        comparable = [(key, a, b) for key, a, b in pairs if b and None not in (a["mean"], b["mean"])]
        for place, those in groupby(comparable, key=lambda pair: pair[0][:3]):
            both = [(key[4], a, b) for key, a, b in those]
            yield {"model": number, "suite": place[0], "task": place[1], "metric": place[2], "judge": both[0][1]["judge"], "both": both,
                   "alike": all(abs(a["mean"] - b["mean"]) < 5e-4 for _, a, b in both)}  # fmt: skip


def _heat(models: Sequence[Model]) -> Iterator[dict[str, Any]]:
    """Yield scores by depth and length, for tasks with gold in at least two fifths of the context."""
    found: dict[tuple[str, str], list[dict[tuple[str, str], Cell]]] = {}
    for number, model in enumerate(models):
        deep = (row._replace(by=fifth(row.depth)) for row in model.first if row.depth is not None)
        for cell in cell_figures(deep):
            grids = found.setdefault((cell["suite"], cell["task"]), [defaultdict(dict) for _ in models])
            grids[number][cell["by"], cell["length"]] = cell
    for suite, task in sorted(found, key=lambda key: (key[0], natural_order(key[1]))):
        grids = found[suite, task]
        lengths = sorted({length for grid in grids for _, length in grid}, key=length_order)
        bands = sorted({band for grid in grids for band, _ in grid})
        if len(bands) > 1:
            yield {"suite": suite, "task": task, "lengths": lengths, "bands": bands, "models": grids}


def _differences(models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return the tests against the first model, by suite, for models that share scored rows with it."""
    scored_ids = [{(row.id, row.metric) for row in model.first if row.score is not None} for model in models]
    others = [model.given for model, rows in zip(models, scored_ids, strict=True) if rows & scored_ids[0]]
    tests = compare_pairs(others, None).tests if len(others) > 1 and scored_ids[0] else []
    return sorted(tests, key=lambda test: str(test["suite"]))


def lengths_of(tasks: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lengths of tasks from `ScoreTables.tasks`, shortest first."""
    return sorted({length for task in tasks for of in task["at"] for length in of}, key=length_order)


def by_suite(found: Iterable[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Group figures by suite."""
    return [(suite, list(those)) for suite, those in groupby(found, key=lambda each: each["suite"])]
