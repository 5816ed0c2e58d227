"""Write and read Parquet files of rows: one schema, fixed row groups, deterministic bytes (docs/spec/measured.md 3)."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import BYTES_PER_TOKEN
from haymaker.core.params import ParquetParams, nearest
from haymaker.core.rows.schema import Sample, arrow_schema, to_table
from haymaker.core.rows.span_columns import span_columns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

REBUILD = "rm -r its data folder, then haymaker run builds it again"
MEGABYTE = 1_000_000


def shard_bounds(rows: int, tokens: int, shard_mb: int) -> list[tuple[int, int]]:
    """Return the row range (first, one past the last) of each file of a table; depends on parameters only."""
    text = rows * tokens * BYTES_PER_TOKEN
    shards = max(1, min(rows, -(-int(text) // (shard_mb * MEGABYTE))))
    return [(rows * i // shards, rows * (i + 1) // shards) for i in range(shards)]


def open_writer(path: Path, zstd_level: int) -> pq.ParquetWriter:
    """Open a writer with the release options: no dictionary encoding, statistics on short columns, page index."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema()
    short = [f.name for f in schema if pa.types.is_integer(f.type) or f.name in ("id", "group_id", "depth")]
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=zstd_level,
        use_dictionary=False,
        write_statistics=short,
        write_page_index=True,
    )


def write_rows(samples: Iterable[Sample], path: Path, options: ParquetParams) -> dict[str, int]:
    """Write samples one row group at a time, with one row group in memory.

    Returns:
        Counts of rows, tokens and text_bytes.
    """
    counts = {"rows": 0, "tokens": 0, "text_bytes": 0}
    with open_writer(path, options.zstd_level) as writer:
        for group in _groups(samples, options.row_group_mb * MEGABYTE):
            writer.write_table(to_table(group), row_group_size=len(group))
            counts["rows"] += len(group)
            counts["tokens"] += sum(sample.prompt_tokens for sample in group)
            counts["text_bytes"] += sum(len(sample.prompt) for sample in group)
    return counts


def _groups(samples: Iterable[Sample], text_bytes: int) -> Iterator[list[Sample]]:
    group: list[Sample] = []
    size = 0
    for sample in samples:
        group.append(sample)
        size += len(sample.prompt)
        if size >= text_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_row_groups(path: Path, columns: Sequence[str] = ()) -> Iterator[pa.Table]:
    """Yield the tables of a file, one row group at a time.

    Args:
        path: Parquet file.
        columns: columns to read; empty: all.

    Raises:
        ReleaseError: the file is damaged, lacks one of the columns, or has a column twice.
    """
    import pyarrow.parquet as pq

    with _damage(path), pq.ParquetFile(path, memory_map=True) as file:
        names = file.schema_arrow.names
        if wrong := next((name for name in columns if name not in names), None):
            fix = REBUILD if wrong in arrow_schema().names else nearest(wrong, names)
            raise ReleaseError(f"has no column {wrong!r}", where=str(path), fix=fix)
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise ReleaseError(f"column {twice[0]!r} appears twice", where=str(path), fix=REBUILD)
        for i in range(file.num_row_groups):
            yield file.read_row_group(i, columns=list(columns) or None)


def to_rows(table: pa.Table, path: Path) -> list[dict[str, Any]]:
    """Convert a table read from `path` to rows.

    Raises:
        ReleaseError: a value does not match its column.
    """
    with _damage(path):
        found: list[dict[str, Any]] = table.to_pylist()
    return found


def rows_by_column(table: pa.Table) -> list[dict[str, Any]]:
    """Convert a table to rows like `to_pylist`, but keep spans as columns (a row can have thousands)."""
    rows: list[dict[str, Any]] = table.drop_columns("spans").to_pylist()
    return [row | {"spans": spans} for row, spans in zip(rows, span_columns(table["spans"]), strict=True)]


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        if getattr(error, "errno", None) == errno.ENOMEM:
            raise
        raise ReleaseError(f"damaged: {error}", where=str(path), fix=REBUILD) from None
