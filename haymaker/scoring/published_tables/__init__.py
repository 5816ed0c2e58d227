"""Published tables as data, one YAML file per table, with the datasets and metrics of each mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from haymaker.core.choices import check_choice
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.params import Section

_FOLDER = Path(__file__).parent


class Value(NamedTuple):
    """One figure of a table: suite and task of this project, and metric without edition."""

    suite: str
    task: str
    metric: str


class Dataset(Section):
    """One dataset of a table; it counts once per metric."""

    category: str
    suite: str
    task: str
    metrics: tuple[str, ...]  # without edition
    published: tuple[str, ...] = ()  # kinds of the sources of the published dataset; rows from another kind are named
    languages: tuple[str, ...] = ()  # languages whose overall figures include it

    @property
    def values(self) -> tuple[Value, ...]:
        """Return the figures of the dataset."""
        return tuple(Value(self.suite, self.task, metric) for metric in self.metrics)


class AggregateTable(Section):
    """A published table."""

    title: str
    mean_of: Literal["categories", "datasets"]  # the overall mean is over categories (each a mean), or over all figures
    datasets: tuple[Dataset, ...]
    effective: float | None = None  # least overall figure (0 .. 100) of an effective length
    weighted: tuple[str, ...] = ()  # lengths whose overall figures are averaged with weights 1, 2, 3 ..., and reversed
    lengths: tuple[str, ...] = ()  # lengths of the published table: always shown, before other lengths
    variants: tuple[str, ...] = ()  # variants that count like plain rows; rows of other variants are in no mean
    consistency: bool = False  # whether to show the share of questions whose rows are all right
    classes: dict[str, str] = Field(
        default_factory=dict
    )  # titles of strict metrics: each output has exactly one of them

    @property
    def categories(self) -> dict[str, list[Value]]:
        """Return the figures of each category, in order."""
        return _by_category(self.datasets)

    @property
    def languages(self) -> dict[str, dict[str, list[Value]]]:
        """Return the figures of each category by language, in order."""
        names = dict.fromkeys(name for dataset in self.datasets for name in dataset.languages)
        return {name: _by_category(d for d in self.datasets if name in d.languages) for name in names}


def _by_category(datasets: Iterable[Dataset]) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {}
    for dataset in datasets:
        found.setdefault(dataset.category, []).extend(dataset.values)
    return found


def tables() -> list[str]:
    """Return the names of all tables."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


@cache
def table(name: str) -> AggregateTable:
    """Return a table by name.

    Raises:
        ParamsError: the name is unknown; the error names the nearest one.
    """
    check_choice(name, tables(), "published table", "--aggregate")
    return AggregateTable.model_validate(read_yaml(_FOLDER / f"{name}.yaml"))
