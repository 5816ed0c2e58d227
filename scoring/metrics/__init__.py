"""Metrics: one pure function per file, found here by id.

Every metric has one signature, fn(output, row) -> 0.0 .. 1.0 per row, where `row` has the sample columns that the metric
names: `answers` (the first is the gold), `question` and `choices` unless it says otherwise. A new metric is a file with a
table METRICS, and its name in _MODULES.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from haymaker.errors import HaymakerError
from scoring.entailment import current

__all__ = ["Metric", "Score", "UnknownMetric", "all_metrics", "get"]

_MODULES = (
    "babilong",
    "choice",
    "citations",
    "infinitebench",
    "judged",
    "keypoints",
    "kv",
    "label",
    "ndcg",
    "qa",
    "qampari",
    "rouge",
    "ruler",
    "str_em",
    "subem",
)

Score = Callable[[str, Mapping[str, Any]], float]


def _nothing(row: Mapping[str, Any]) -> str:
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
        judge: name of what decides, where a model does.
    """

    id: str
    version: int
    doc: str
    function: Score
    columns: tuple[str, ...] = ("answers", "question", "choices")
    needs_model: bool = False
    lacks: Callable[[Mapping[str, Any]], str] = _nothing
    judge: Callable[[], str] = _entailment

    @property
    def title(self) -> str:
        """The id as a table of scores must show it: with who judges where a model decides."""
        return f"{self.id} by {self.judge()}" if self.needs_model else self.id


@cache
def all_metrics() -> Mapping[str, Metric]:
    """All metrics by id.

    Raises:
        HaymakerError: two modules register the same id.
    """
    found: dict[str, Metric] = {}
    for module in _MODULES:
        for metric in import_module(f"{__name__}.{module}").METRICS:
            if metric.id in found:
                raise HaymakerError(f"metric {metric.id!r} is registered twice", where=f"scoring/metrics/{module}.py")
            found[metric.id] = metric
    return MappingProxyType(dict(sorted(found.items())))


def get(metric_id: str) -> Metric:
    """The metric of that id.

    Raises:
        UnknownMetric: there is none; names the nearest.
    """
    metrics = all_metrics()
    if metric_id not in metrics:
        close = difflib.get_close_matches(metric_id, metrics, n=1)
        fix = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(metrics)}"
        raise UnknownMetric(f"unknown metric {metric_id!r}", fix=fix)
    return metrics[metric_id]
