"""Spans of a finished row as columns: of the thousands of them that a check asks for two fields, no object is made for each."""

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
    """Spans in order, read and never changed: field by field, or each as a dict of all fields of `haymaker.core.rows.schema.Span`.

    Args:
        read: name of a field -> its value of each span.
        count: spans.
        arrays: the same fields as Arrow has them, where they were read from a file.
    """

    def __init__(
        self, read: Callable[[str], list[Any]], count: int, arrays: Mapping[str, pa.Array] | None = None
    ) -> None:
        self._read, self._count, self.arrays = read, count, arrays
        self._columns, self._chosen = dict[str, list[Any]](), dict[tuple[str, ...], SpanColumns]()

    @staticmethod
    def of(spans: Sequence[Mapping[str, Any]]) -> SpanColumns:
        """The spans of a row, in whatever form it has them."""
        if isinstance(spans, SpanColumns):
            return spans
        return SpanColumns(lambda name: [span[name] for span in spans], len(spans))

    def column(self, name: str) -> list[Any]:
        """A field, of each span."""
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name]

    def of_kinds(self, *kinds: str) -> SpanColumns:
        """Those of some kinds."""
        if kinds not in self._chosen:
            wanted = [kind in kinds for kind in self.column("kind")]
            self._chosen[kinds] = SpanColumns(lambda name: list(compress(self.column(name), wanted)), sum(wanted))
        return self._chosen[kinds]

    def texts(self, prompt: str) -> list[str]:
        """What stands at each."""
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
    """The column `spans` of a table, of each row; where some of it is null, as Arrow's own lists.

    Raises:
        ValueError: nulls stand beside a text that is no UTF-8; else it is found when its field is asked for.
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
    """What `to_pylist` gives, several times as quick."""
    import pyarrow as pa

    if array.null_count == len(array):
        return [None] * len(array)
    text, number = pa.types.is_string(array.type), pa.types.is_primitive(array.type)
    if not text and (array.null_count or not number):
        plain: list[Any] = array.to_pylist()
        return plain
    try:
        values: list[Any] = array.to_numpy(zero_copy_only=False).tolist()
    except pa.ArrowException:  # what `to_pylist` says of a text that is no UTF-8 is known to be damage
        return list(array.to_pylist())
    return values
