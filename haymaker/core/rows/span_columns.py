"""Column access to the spans of a row, which avoids one Python object per span."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, overload

from haymaker.core.rows.schema import Span

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = Span.__slots__


class SpanColumns(Sequence[dict[str, Any]]):
    """Read-only sequence of spans: use it by column, or as dicts with all fields of `haymaker.core.rows.schema.Span`.

    Args:
        read: function from a field name to the list of its values.
        count: number of spans.
        arrays: Arrow arrays of the fields, if read from a file.
    """

    def __init__(
        self, read: Callable[[str], list[Any]], count: int, arrays: Mapping[str, pa.Array] | None = None
    ) -> None:
        self._read, self._count, self.arrays = read, count, arrays
        self._columns, self._chosen = dict[str, list[Any]](), dict[tuple[str, ...], SpanColumns]()

    @staticmethod
    def of(spans: Sequence[Mapping[str, Any]]) -> SpanColumns:
        """Wrap the spans of a row; SpanColumns are returned unchanged."""
        if isinstance(spans, SpanColumns):
            return spans
        return SpanColumns(lambda name: [span[name] for span in spans], len(spans))

    def column(self, name: str) -> list[Any]:
        """Return the values of a field for all spans."""
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def of_kinds(self, *kinds: str) -> SpanColumns:
        """Return the spans of the given kinds."""
        if kinds not in self._chosen:
            wanted, read, columns = [kind in kinds for kind in self.column("kind")], self._read, self._columns

            def chosen(
                name: str,
            ) -> list[Any]:  # without self: a cycle would leave the columns to the garbage collector
                if name not in columns:
                    columns[name] = read(name)
                return list(compress(columns[name], wanted))

            self._chosen[kinds] = SpanColumns(chosen, sum(wanted))
        return self._chosen[kinds]

    def texts(self, prompt: str) -> list[str]:
        """Return the text of each span."""
        return [prompt[start:end] for start, end in zip(self.column("start"), self.column("end"), strict=True)]

    @cached_property
    def _each(self) -> list[dict[str, Any]]:
        columns = [self.column(name) for name in _NAMES]
        return [dict(zip(_NAMES, values, strict=True)) for values in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._each)

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self._each[at]


def span_columns(column: pa.ChunkedArray) -> list[Any]:
    """Return the `spans` column of a table, one entry per row; plain lists if it contains nulls.

    Raises:
        ValueError: nulls and invalid UTF-8 in one column; without nulls, invalid UTF-8 is found on field access.
    """
    whole = column.combine_chunks()
    spans = whole.flatten()
    if whole.null_count or spans.null_count:
        plain: list[Any] = column.to_pylist()
        return plain
    fields = dict(zip(spans.type.names, spans.flatten(), strict=True))
    sizes, at, found = whole.value_lengths().to_pylist(), 0, list[Any]()
    for size in sizes:
        own = {name: field.slice(at, size) for name, field in fields.items()}
        found.append(SpanColumns(lambda name, own=own: values_of(own[name]), size, own))  # type: ignore[misc]
        at += size
    return found


def values_of(array: pa.Array) -> list[Any]:
    """Return the same values as `to_pylist`, several times faster."""
    import pyarrow as pa

    if array.null_count == len(array):
        return [None] * len(array)
    text, number = pa.types.is_string(array.type), pa.types.is_primitive(array.type)
    if not text and (array.null_count or not number):
        plain: list[Any] = array.to_pylist()
        return plain
    try:
        values: list[Any] = array.to_numpy(zero_copy_only=False).tolist()
    except pa.ArrowException:  # for invalid UTF-8, callers expect the error of `to_pylist`
        return list(array.to_pylist())
    return values
