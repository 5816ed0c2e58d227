"""A stream of numbered rows as a `datasets.IterableDataset`.

The dataset iterates over row numbers and maps each number to its row, so resuming skips numbers and builds no row again.
Its shards are blocks of consecutive numbers: nodes and workers read different blocks, one process reads them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from datasets import Features, IterableDataset, Split, Value

from haymaker.core.rows.schema import arrow_schema

SHARDS = 2**8 * 3**2 * 5
"""Divisible by most numbers of nodes: the library then distributes shards, and no row is built twice."""


def dataset(row: Callable[[int], dict[str, Any]], columns: Sequence[str], numbers: range) -> IterableDataset:
    """Return a dataset of the rows with these numbers.

    Args:
        row: function that builds the row of a number; sent to worker processes.
        columns: columns of the rows.
        numbers: row numbers, in order.
    """
    types = Features.from_arrow_schema(arrow_schema())
    shards = min(SHARDS, max(1, len(numbers)))
    bounds = [len(numbers) * i // shards for i in range(shards + 1)]
    blocks = [numbers[first:last] for first, last in pairwise(bounds)]
    stream = IterableDataset.from_generator(
        _numbers,
        features=Features({"number": Value("int64")}),
        gen_kwargs={"blocks": [(block.start, block.stop) for block in blocks]},
        split=Split.TRAIN,
    )
    return stream.map(
        row,
        input_columns="number",
        remove_columns="number",
        features=Features({name: types[name] for name in columns}),
    )


def _numbers(blocks: Sequence[tuple[int, int]]) -> Iterator[dict[str, int]]:
    """Yield the numbers of some blocks."""
    for start, stop in blocks:
        yield from ({"number": number} for number in range(start, stop))
