"""Columns of Arrow that Python reads from the front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from haymaker.core.rows.span_columns import values_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

T = TypeVar("T")
_LEAST = 64  # values turned at a time


class Column(Sequence[T]):
    """An Arrow array that converts values to Python on first access, with all values before them.

    A row shows the first few of ten thousand ranked passages; converting all of them would cost more than the row.
    """

    __slots__ = ("_behind", "_known")

    def __init__(self, behind: pa.Array, first: Sequence[T] = ()) -> None:
        self._known, self._behind = list(first), behind

    def after(self, first: Sequence[T]) -> Column[T]:
        """The same with others before it."""
        return Column(self._behind, [*first, *self._known])

    def upto(self, count: int) -> list[T]:
        """The first values: so many or more, or all."""
        missing = count - len(self._known)
        if missing > 0 and len(self._behind):
            more = max(missing, len(self._known), _LEAST)
            self._known += values_of(self._behind.slice(0, more))
            self._behind = self._behind.slice(min(more, len(self._behind)))
        return self._known

    def __len__(self) -> int:
        return len(self._known) + len(self._behind)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            wanted = range(len(self))[at]
            values = self.upto(max(wanted[0], wanted[-1]) + 1) if wanted else []
            return [values[i] for i in wanted] if wanted.step < 0 else values[wanted.start : wanted.stop : wanted.step]
        last = at + 1 if at >= 0 else len(self)
        return (self._known if last <= len(self._known) else self.upto(last))[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self.upto(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.upto(len(self)) == list(other)

    def __array__(self, dtype: npt.DTypeLike = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All values, none of them made Python's."""
        import numpy as np

        behind: npt.NDArray[Any] = self._behind.to_numpy(zero_copy_only=False)
        values: npt.NDArray[Any] = np.concatenate((np.array(self._known, dtype), behind)).astype(dtype)
        return values

    __hash__ = None  # type: ignore[assignment]  # as of lists


def taken(column: Sequence[T], order: Sequence[int]) -> list[T]:
    """Some values of a column, in the order of their places."""
    known = column[: max(order, default=-1) + 1]
    return [known[i] for i in order]


def joined(a: Sequence[T], b: Sequence[T]) -> Sequence[T]:
    """The values of both, one after the other; a Column stays one."""
    return b.after(a) if isinstance(b, Column) else [*a, *b]
