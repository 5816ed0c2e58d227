"""Rows by number for the `datasets` library: shares are slices of the numbers, the state is a count.

`datasets` makes iterable datasets from lists of shards, which an endless stream has not; so this is a source of examples of
its own, built on the class that all of the library's sources derive from (datasets 5: iterable_dataset.py). Rows come
finished and typed, so nothing is encoded or decoded again, and to go on anywhere costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from datasets import DatasetInfo, Features, IterableDataset, Split
from datasets.iterable_dataset import _BaseExamplesIterable

from haymaker.core.errors import ParamsError
from haymaker.core.rng import digest
from haymaker.core.rows.sample import arrow_schema

SHARDS = 2**10 * 3**2 * 5 * 7  # divisible by most numbers of nodes: the library then shares out shards, not single rows


class Recipe(Protocol):
    """Makes the rows of numbers (pipelines/training/stream.py)."""

    @property
    def digest(self) -> str:
        """Changes with anything that decides a row."""

    def rows(self, numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
        """The rows of these numbers, in this order."""


def dataset(recipe: Recipe, columns: Sequence[str], numbers: range, *, endless: bool) -> IterableDataset:
    """The rows of these numbers as a dataset.

    Args:
        recipe: makes them.
        columns: of its rows.
        numbers: which.
        endless: nobody will ever see the end, so there are no halves to be had, only every second one.
    """
    schema = arrow_schema()
    features = Features({name: Features.from_arrow_schema(schema)[name] for name in columns})
    source = NumberedRows(recipe, numbers, features, endless=endless)
    return IterableDataset(source, info=DatasetInfo(features=features), split=Split.TRAIN)


class NumberedRows(_BaseExamplesIterable):  # type: ignore[misc]  # the library has no types
    """Source of examples (see dataset()).

    Args:
        recipe: makes rows.
        numbers: which.
        features: their types.
        endless: see dataset().
        shards: how many shares may be asked for.
    """

    def __init__(
        self, recipe: Recipe, numbers: range, features: Features, *, endless: bool, shards: int = SHARDS
    ) -> None:
        super().__init__()
        self._recipe, self._numbers, self._features = recipe, numbers, features
        self._endless, self._shards = endless, shards
        self._sleep_on_threads_shutdown = False  # asked for by the library when streams are mixed or shuffled
        self._name = digest(recipe.digest, numbers.start, numbers.stop, numbers.step).hex()

    @property
    def features(self) -> Features:
        """Declared, so that the library takes rows as they are."""
        return self._features

    @property
    def is_typed(self) -> bool:
        """Rows already have these types."""
        return True

    @property
    def num_shards(self) -> int:
        """Shares that may still be asked for."""
        return self._shards

    def _init_state_dict(self) -> dict[str, Any]:
        self._state_dict: dict[str, Any] | None = self._new_state()
        return self._state_dict

    def _new_state(self) -> dict[str, Any]:
        return {"drawn": 0, "stream": self._name, "type": type(self).__name__}

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        state: dict[str, Any] = self._new_state() if self._state_dict is None else self._state_dict
        if state["stream"] != self._name:
            raise ParamsError("this state is of another stream, release, or number of nodes and workers",
                              where="load_state_dict", fix="training_stream(start=ROWS USED SO FAR) goes on with any number of nodes")  # fmt: skip
        numbers = self._numbers[state["drawn"] :]
        for number, row in zip(numbers, self._recipe.rows(numbers), strict=True):
            state["drawn"] += 1
            yield number, row

    def shard_data_sources(self, num_shards: int, index: int, contiguous: bool = True) -> NumberedRows:
        """Share `index` of `num_shards`: every num_shards-th row, or one stretch of a stream that ends."""
        rows, shards = len(self._numbers), max(1, len(range(index, self._shards, num_shards)))
        stretch = slice(rows * index // num_shards, rows * (index + 1) // num_shards)
        numbers = self._numbers[stretch if contiguous and not self._endless else slice(index, None, num_shards)]
        return NumberedRows(self._recipe, numbers, self._features, endless=self._endless, shards=shards)

    def shuffle_data_sources(self, generator: object) -> NumberedRows:
        """Rows are random already."""
        return self

    def reshard_data_sources(self) -> NumberedRows:
        """There are shards enough."""
        return self
