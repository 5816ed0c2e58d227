"""Size of the Parquet files of a release, estimated from its parameters. Measured on the demo and on small real releases."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.lengths import BYTES_PER_TOKEN

ZSTD_RATIO = MappingProxyType({1: 2.3, 3: 2.7, 9: 3.2})
"""Compression ratio of English books by level, slightly below docs/spec/measured.md 3."""
_WINDOW_BYTES = MappingProxyType({1: 0.5e6, 3: 2e6, 9: 4e6})
"""Distance over which zstd finds repeated text, by level."""
_MEASURED_LEVEL = 3
_BYTES_PER_TOKEN = MappingProxyType(
    {
        "corpora": (1.0, 1.5),
        "retrieval_sets": (0.9, 1.6),
        "passages": (0.6, 1.0),
        "classification_sets": (1.2, 1.25),
        "documents": (1.05, 1.1),
        "sources": (0.3, 0.65),
        "": (0.7, 0.7),
    }
)
"""Kind of the input that fills a context -> compressed bytes per token, simulated and real; "": generated content."""
_VARIANT_SHARE = 0.07  # of a row that repeats the text of the row before it
_TABLE_BYTES = 15_000  # footer, index and statistics of a file
_TASK_BYTES = 60_000  # rows in mini/, lines of the card and the manifest


def nearest_level(zstd_level: int) -> int:
    """Return the compression level, among those measured, that is nearest."""
    return min(ZSTD_RATIO, key=lambda known: abs(known - zstd_level))


def release_bytes(suites: Iterable[ReleaseSuite], zstd_level: int) -> int:
    """Return the estimated size of all files of a release."""
    tables = [(suite, table) for suite in suites for table in suite.tables()]
    tasks = {(table.suite, table.task) for _, table in tables}
    return round(sum(table_bytes(suite, table, zstd_level) for suite, table in tables)) + len(tasks) * _TASK_BYTES


def table_bytes(suite: ReleaseSuite, table: Table, zstd_level: int) -> float:
    """Return the estimated size of the files of a table.

    The rows of one question (depths, orders) contain the same text: if the text is shorter than the window of zstd, all rows
    but the first take almost no space.
    """
    task, level = suite.task(table.task), nearest_level(zstd_level)
    uses = {use.kind: use for use in task.uses()}
    kind = next(kind for kind in _BYTES_PER_TOKEN if kind in uses or not kind)
    names = suite.inputs.sources_of(uses[kind]) if kind else ()
    is_real = any(suite.inputs.source(name).info.edition == "real" for name in names)
    rate = _BYTES_PER_TOKEN[kind][is_real] * ZSTD_RATIO[_MEASURED_LEVEL] / ZSTD_RATIO[level]
    is_near = table.typical_tokens * (BYTES_PER_TOKEN if kind else 1) < _WINDOW_BYTES[level]
    share = 1 / task.variants + _VARIANT_SHARE if task.variants > 1 and is_near else 1
    return _TABLE_BYTES + table.rows * table.typical_tokens * rate * share
