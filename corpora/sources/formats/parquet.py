"""Parquet files as batches of row groups, the unit of decoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corpora.sources.formats.batches import Batch, Piece, group
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest

_ROWS_AT_ONCE = 64


def parquet_batches(raw: Path, paths: Sequence[str], column: str) -> list[Batch]:
    """Return batches of about 2 MB of uncompressed `column`, or of one larger row group."""
    return group(_pieces(raw, paths, column))


def check_columns(raw: Path, path: str, texts: Sequence[str], others: Sequence[str] = ()) -> None:
    """Check that columns exist, and that those in `texts` contain strings."""
    import pyarrow as pa

    schema = _open(raw / path).schema_arrow
    for name in (*texts, *others):
        if name not in schema.names:
            raise SourceError(f"has no column {name!r}", where=path, fix=nearest(name, schema.names))
        if schema.names.count(name) > 1:
            raise SourceError(f"has the column {name!r} twice", where=path, fix="give each column a unique name")
    for name in texts:
        kind = schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        if not (is_text or pa.types.is_null(kind)):  # all values of the type null are missing
            raise SourceError(f"column {name!r} contains {kind}, not text", where=path, fix="name a column of strings")


def rows(raw: Path, piece: Piece, columns: Sequence[str]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the row number in the file (from 0) and the values of `columns`, with a few rows in memory at a time."""
    import pyarrow as pa

    file, number, groups = _open(raw / piece.path), piece.first, range(piece.start, piece.stop)
    try:
        for table in file.iter_batches(_ROWS_AT_ONCE, row_groups=groups, columns=list(columns)):
            for values in zip(*(table.column(name).to_pylist() for name in columns), strict=True):
                yield number, values
                number += 1
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        what = f"damaged near row {number:,}: {error}"
        raise SourceError(what, where=piece.path, fix="fetch the source again") from None


def _pieces(raw: Path, paths: Sequence[str], column: str) -> Iterator[tuple[Piece, int]]:
    for path in paths:
        metadata, first = _open(raw / path).metadata, 0
        for index in range(metadata.num_row_groups):
            chunk = metadata.row_group(index)
            parts = (chunk.column(i) for i in range(chunk.num_columns))
            sizes = [part.total_uncompressed_size for part in parts if part.path_in_schema.split(".")[0] == column]
            if chunk.num_rows:
                yield Piece(path, index, index + 1, first), sum(sizes)
            first += chunk.num_rows


def _open(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"not a whole Parquet file: {error}", where=path.name, fix="fetch the source again") from None
