"""Published tables as data: which datasets and metrics a figure is the mean of. One YAML file per table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from haymaker.errors import ParamsError
from haymaker.params import Section, nearest

_FOLDER = Path(__file__).parent


class Value(NamedTuple):
    """One figure that a table is made of.

    Attributes:
        suite, task: ours.
        metric: without edition.
    """

    suite: str
    task: str
    metric: str


class Dataset(Section):
    """One dataset of a table; it counts once per metric.

    Attributes:
        category: that it belongs to.
        suite, task: ours.
        metrics: without edition.
        published: kinds of the sources that the published dataset was made of; where rows have another one, it is named.
        languages: whose overall figures it enters, beside the one of all; none where a table has one overall figure.
    """

    category: str
    suite: str
    task: str
    metrics: tuple[str, ...]
    published: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[Value, ...]:
        """Its figures."""
        return tuple(Value(self.suite, self.task, metric) for metric in self.metrics)


class AggregateTable(Section):
    """A published table.

    Attributes:
        title: for people.
        mean_of: what the overall figure is the mean of: categories, each the mean of its figures, or all figures.
        datasets: in order.
        effective: the longest length whose overall figure (0 .. 100) is at least this is the effective length.
        weighted: lengths whose overall figures are averaged with weights 1, 2, 3 ..., rising and falling.
        buckets: those of the published table: always shown, and before all others, which are ours.
        variants: that count like plain rows; rows of others are in no mean.
        consistency: whether it says, beside the means, of how many questions all rows are right.
        classes: metrics (without edition, all of them strict) of which each output has exactly one, and what they are called.
    """

    title: str
    mean_of: Literal["categories", "datasets"]
    datasets: tuple[Dataset, ...]
    effective: float | None = None
    weighted: tuple[str, ...] = ()
    buckets: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    consistency: bool = False
    classes: dict[str, str] = Field(default_factory=dict)

    @property
    def categories(self) -> dict[str, list[Value]]:
        """The figures of each category, in order."""
        return _by_category(self.datasets)

    @property
    def languages(self) -> dict[str, dict[str, list[Value]]]:
        """The figures of each category that enter the overall figure of a language, by language in order."""
        names = dict.fromkeys(name for dataset in self.datasets for name in dataset.languages)
        return {name: _by_category(d for d in self.datasets if name in d.languages) for name in names}


def _by_category(datasets: Iterable[Dataset]) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {}
    for dataset in datasets:
        found.setdefault(dataset.category, []).extend(dataset.values)
    return found


def tables() -> list[str]:
    """Names of all tables."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


@cache
def table(name: str) -> AggregateTable:
    """The table of that name.

    Raises:
        ParamsError: there is none; names the nearest.
    """
    import yaml

    if name not in tables():
        raise ParamsError(f"no table {name!r} to aggregate by", fix=nearest(name, tables()))
    return AggregateTable.model_validate(yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")))
