"""Metrics: one pure function per file, found here by id.

Every metric has one signature, fn(output, row) -> 0.0 .. 1.0 per row, where `row` has the sample columns that the metric
names: `answers` (the first is the gold), `question` and `choices` unless it says otherwise. A new metric is a file of this
folder with a table METRICS; nothing else names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from haymaker.errors import HaymakerError
from haymaker.params import nearest
from scoring.entailment import current

__all__ = ["Metric", "Score", "UnknownMetric", "all_metrics", "get", "pair"]

Score = Callable[[str, Mapping[str, Any]], float]


def _nothing(row: Mapping[str, Any]) -> str:
    return ""


def _nothing_for(output: str, row: Mapping[str, Any]) -> str:
    return ""


def _entailment() -> str:
    return current().name


class UnknownMetric(HaymakerError):
    """A metric id that is not registered."""


@dataclass(frozen=True, slots=True)
class Metric:
    """How one answer is scored.

    Attributes:
        id: "<name>@strict" (ours) or "<name>@official" (the reference's rule, quirks included).
        version: raised whenever a score can change.
        doc: one line for people.
        function: (model output, row) to 0.0 .. 1.0; never raises on any output.
        columns: of the sample that the function reads; a reader of files needs no others.
        needs_model: an entailment model or judge decides; `validate` does not run it.
        lacks: why a row can have no score, whatever the output; "" where it has one. Such rows are in no mean, and counted.
        lacks_for: why one output of a row that lacks nothing has no score; "" where it has one. It counts as `lacks` does.
        judge: name of what decides, where a model does.
        unfit: why a row cannot be scored whatever the output, its stored answer included, because it was made wrongly; "" of others.
        cued: the reference scores a base model's output with the cue before it (docs/spec/helmet.md 11.0).
    """

    id: str
    version: int
    doc: str
    function: Score
    columns: tuple[str, ...] = ("answers", "question", "choices")
    needs_model: bool = False
    lacks: Callable[[Mapping[str, Any]], str] = _nothing
    lacks_for: Callable[[str, Mapping[str, Any]], str] = _nothing_for
    judge: Callable[[], str] = _entailment
    unfit: Callable[[Mapping[str, Any]], str] = _nothing
    cued: bool = False

    def refused(self, row: Mapping[str, Any]) -> str:
        """Why no output can be compared with what a row holds; "" where one can. `validate` lets no such row into a release."""
        if "answers" in self.columns and not any(answer.strip() for answer in row["answers"] or ()):
            return "it has no answer"
        if "answers" not in self.columns and "answer_groups" in self.columns and not any(row["answer_groups"] or ()):
            return "it has no answer groups"
        if {"answers", "choices"} <= set(self.columns) and not row["choices"]:
            return "it has no choices"
        return self.unfit(row)

    def unscored(self, output: str, row: Mapping[str, Any]) -> str:
        """Why an output has no score here; "" where it has one."""
        return self.refused(row) or self.lacks(row) or self.lacks_for(output, row)

    @property
    def title(self) -> str:
        """The id as a table of scores must show it: with who judges where a model decides."""
        return f"{self.id} by {self.judge()}" if self.needs_model else self.id


def pair(
    name: str,
    doc: str,
    strict: Score,
    official: Score,
    columns: tuple[str, ...] = ("answers",),
    *,
    versions: tuple[int, int] = (2, 2),
    cued: bool = False,
    **options: Any,
) -> tuple[Metric, Metric]:
    """`<name>@strict` and `<name>@official`.

    Args:
        name: without the edition.
        doc: one line that ends in a full stop.
        strict: our rule.
        official: the reference's.
        columns: of the sample that both read.
        versions: of both.
        cued: whether the reference reads the cue before a base model's output.
        options: further fields of both metrics.
    """
    return (
        Metric(f"{name}@strict", versions[0], doc, strict, columns, **options),
        Metric(
            f"{name}@official",
            versions[1],
            f"{doc[:-1]}: the reference's rule, its defects included.",
            official,
            columns,
            cued=cued,
            **options,
        ),
    )


@cache
def all_metrics() -> Mapping[str, Metric]:
    """All metrics of this folder's files by id.

    Raises:
        HaymakerError: two files have a metric of the same id.
    """
    found: dict[str, Metric] = {}
    places: dict[str, str] = {}
    for name in sorted(module.name for module in iter_modules(__path__)):
        for metric in getattr(import_module(f"{__name__}.{name}"), "METRICS", ()):
            if metric.id in found:
                what = f"metric {metric.id!r} is in {places[metric.id]}.py and in {name}.py"
                raise HaymakerError(what, where="scoring/metrics", fix="rename one of them")
            found[metric.id], places[metric.id] = metric, name
    return MappingProxyType(dict(sorted(found.items())))


def get(metric_id: str) -> Metric:
    """The metric of that id.

    Raises:
        UnknownMetric: there is none; names the nearest.
    """
    metrics = all_metrics()
    if metric_id not in metrics:
        raise UnknownMetric(f"unknown metric {metric_id!r}", fix=nearest(metric_id, metrics))
    return metrics[metric_id]
