"""Metrics: one pure function per file, found here by id.

Every metric has one signature, fn(output, row) -> 0.0 .. 1.0 per row, where `row` has the sample columns that the metric
names: `answers` (the first is the gold) and `question` unless it says otherwise. A new metric is a file of this
folder with a table METRICS; nothing else names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from haymaker.core.errors import HaymakerError
from haymaker.core.params import nearest
from haymaker.scoring.judges.entailment import STAND_IN_SAYS, active_entailment

__all__ = ["Metric", "Score", "UnknownMetric", "all_metrics", "get", "no_groups", "pair", "with_judge"]

BUDGET = ("max_new_tokens", "language", "category")
"""Columns that say how much of an output every strict metric reads (haymaker/scoring/reader/final.py)."""
Score = Callable[[str, Mapping[str, Any]], float]


def _nothing(*_: object) -> str:
    return ""


def _entailment() -> str:
    judge = active_entailment()
    return f"{judge.name} ({STAND_IN_SAYS})" if judge.stand_in else judge.name


def with_judge(metric_id: str, judge: str) -> str:
    """A metric's id as scores must be shown with: with who judges, where somebody does."""
    return f"{metric_id} by {judge}" if judge else metric_id


def _any(texts: Iterable[str] | None) -> bool:
    """Whether any of the texts has a character that shows."""
    return any(text.strip() for text in texts or ())


def no_groups(row: Mapping[str, Any]) -> str:
    """What a row does not have whose metric compares with groups of aliases."""
    return "" if any(map(_any, row["answer_groups"] or ())) else "it has no answer groups"


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
        judge: names what decides, where a model does or something stands in for one.
        reads: characters of an output that the rule reads, many times the room for an answer; None: all.
        needs: columns that may not be empty, if the rule reads them.
        demands: what a row does not have that the rule cannot do without, beside answers; "" where it has all.
    """

    id: str
    version: int
    doc: str
    function: Score
    columns: tuple[str, ...] = ("answers", "question")
    needs_model: bool = False
    lacks: Callable[[Mapping[str, Any]], str] = _nothing
    lacks_for: Callable[[str, Mapping[str, Any]], str] = _nothing
    judge: Callable[[], str] = _entailment
    demands: Callable[[Mapping[str, Any]], str] = _nothing
    reads: int | None = None
    needs: tuple[str, ...] = ("answers", "choices")

    def misses(self, row: Mapping[str, Any]) -> str:
        """What a row does not have that the rule cannot do without; "" where it has all.

        Such a row is refused where rows are proved; whatever the output, it scores 0.
        """
        bare = [column for column in self.needs if column in self.columns and not _any(row[column])]
        return f"it has no {bare[0]}" if bare else self.demands(row)

    def scored(self, output: str, row: Mapping[str, Any]) -> tuple[float | None, str]:
        """The score, or None and why there is none.

        Raises:
            HaymakerError: the metric cannot be computed here.
        """
        if reason := self.misses(row) or self.lacks(row) or self.lacks_for(output, row):
            return None, reason
        return self.function(output, row), ""

    def guarded(self) -> Metric:
        """The same with a function that gives 0 for a row that misses something."""
        budget = () if self.id.endswith("@official") else BUDGET
        return replace(
            self,
            columns=(*self.columns, *(column for column in budget if column not in self.columns)),
            function=lambda output, row: 0.0 if self.misses(row) else self.function(self._read(output), row),
        )

    def _read(self, output: str) -> str:
        return output[: self.reads] if self.reads and isinstance(output, str) else output

    @property
    def judged_by(self) -> str:
        """Who judges; "" where the rule alone decides."""
        return self.judge() if self.needs_model else ""

    @property
    def title(self) -> str:
        """The id as a table of scores must show it."""
        return with_judge(self.id, self.judged_by)


def pair(
    name: str,
    doc: str,
    strict: Score,
    official: Score,
    columns: tuple[str, ...] = ("answers",),
    version: int = 2,
    strict_version: int = 0,
    **options: Any,
) -> tuple[Metric, Metric]:
    """Return `<name>@strict` and `<name>@official`, which read the same columns.

    `doc` is one line that ends in a full stop; `strict_version` is given once the strict rule changed alone; `options` are further fields.
    """
    return (
        Metric(f"{name}@strict", strict_version or version, doc, strict, columns, **options),
        Metric(
            f"{name}@official",
            version,
            f"{doc[:-1]}: the reference's rule, its defects included.",
            official,
            columns,
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
                raise HaymakerError(what, where="haymaker/scoring/metrics", fix="rename one of them")
            found[metric.id], places[metric.id] = metric.guarded(), name
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
