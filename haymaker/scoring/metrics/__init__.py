"""Metrics, found by id: one pure function per file.

All metrics have the signature fn(output, row) -> 0.0 .. 1.0, where `row` has the sample columns that the metric
names (default: `answers`, gold first, and `question`). A new metric is a file in this folder with a table METRICS;
no other registration is needed.
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
"""Columns that determine how much of an output strict metrics read (haymaker/scoring/reader/final.py)."""
Score = Callable[[str, Mapping[str, Any]], float]


def _nothing(*_: object) -> str:
    return ""


def _entailment() -> str:
    judge = active_entailment()
    return f"{judge.name} ({STAND_IN_SAYS})" if judge.stand_in else judge.name


def with_judge(metric_id: str, judge: str) -> str:
    """Return the metric id for score tables, with the judge if there is one."""
    return f"{metric_id} by {judge}" if judge else metric_id


def _any(texts: Iterable[str] | None) -> bool:
    """Check whether any text has a visible character."""
    return any(text.strip() for text in texts or ())


def no_groups(row: Mapping[str, Any]) -> str:
    """Return why a row cannot be scored against groups of aliases, or an empty string."""
    return "" if any(map(_any, row["answer_groups"] or ())) else "it has no answer groups"


class UnknownMetric(HaymakerError):
    """A metric id that is not registered."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Scoring rule for one answer.

    Attributes:
        id: "<name>@strict" (Haymaker's rule) or "<name>@official" (the reference's rule with its quirks).
        version: raised whenever a score can change.
        doc: one line, shown in docs/reference/metrics.md; "1 if ..." for scores that are only 0 or 1.
        function: (model output, row) -> 0.0 .. 1.0; never raises for any output.
        columns: row columns that the function reads.
        needs_model: an entailment model or judge decides; `validate` does not run the metric.
        lacks: reason why a row cannot be scored for any output, or "". Such rows are counted and left out of means.
        lacks_for: reason why one output of a scorable row has no score, or "". Treated like `lacks`.
        judge: function that returns the name of the deciding model or its substitute.
        reads: maximum characters of an output that the rule reads; None: all.
        needs: columns that must not be empty, if the rule reads them.
        demands: further requirement of the rule that a row does not meet, or "".
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
        """Return the requirement of the rule that a row does not meet, or an empty string.

        Validation rejects such rows; any output scores 0.
        """
        bare = [column for column in self.needs if column in self.columns and not _any(row[column])]
        return f"it has no {bare[0]}" if bare else self.demands(row)

    def scored(self, output: str, row: Mapping[str, Any]) -> tuple[float | None, str]:
        """Return the score and "", or None and the reason.

        Raises:
            HaymakerError: the metric cannot be computed on this machine.
        """
        if reason := self.misses(row) or self.lacks(row) or self.lacks_for(output, row):
            return None, reason
        return self.function(output, row), ""

    def guarded(self) -> Metric:
        """Return the metric with a function that gives 0 for rows that miss a requirement."""
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
        """Return the name of the judge, or "" for metrics without one."""
        return self.judge() if self.needs_model else ""

    @property
    def title(self) -> str:
        """Return the id for score tables."""
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

    `doc` is one line that ends in a full stop; set `strict_version` after a change of only the strict rule.
    """
    return (
        Metric(f"{name}@strict", strict_version or version, doc, strict, columns, **options),
        Metric(
            f"{name}@official",
            version,
            f"{doc} By the reference's rule, including its defects.",
            official,
            columns,
            **options,
        ),
    )


@cache
def all_metrics() -> Mapping[str, Metric]:
    """Return all metrics of this folder by id.

    Raises:
        HaymakerError: two files define the same id.
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
    """Return a metric by id.

    Raises:
        UnknownMetric: the id is unknown; the error names the nearest one.
    """
    metrics = all_metrics()
    if metric_id not in metrics:
        raise UnknownMetric(f"unknown metric {metric_id!r}", fix=nearest(metric_id, metrics))
    return metrics[metric_id]
