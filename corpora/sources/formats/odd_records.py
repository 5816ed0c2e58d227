"""Odd records: a few of a published file are blank, or refer to what is not there. They are left out and counted; many of them are a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from haymaker.core.errors import SourceError

R = TypeVar("R")
T = TypeVar("T")
SHARE = 0.01
"""Of the records of a set, at most, that may be odd."""


class OddRecordError(SourceError):
    """A record of the right shape that says nothing: a blank text, no answer, an id that leads nowhere."""


class OddRecords:
    """Leaves odd records out of a loop: `with odd: yield made_of(record)`, and `odd.check_few()` behind it.

    Attributes:
        count: left out so far.

    Args:
        of: what the records are of, for the error.
    """

    def __init__(self, of: str) -> None:
        self._of, self._seen, self.count = of, 0, 0
        self._first: OddRecordError | None = None

    def __enter__(self) -> None:
        self._seen += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, OddRecordError):
            return False
        self.count += 1
        self._first = self._first or error
        return True

    def check_few(self, few: int = 0) -> int:
        """How many were left out.

        Args:
            few: so many may be, whatever their share: a batch has few records.

        Raises:
            SourceError: more than SHARE of them all; names the first.
        """
        if self._first and self.count > max(few, SHARE * self._seen):
            raise SourceError(
                f"{self._first.what} ({self.count:,} of {self._seen:,} records say nothing, above {SHARE:.0%})",
                where=self._first.where or self._of,
                fix="fetch the source again; if it repeats, its publisher has changed the file",
            )
        return self.count


def sound(odd: OddRecords, records: Iterable[R], read: Callable[[R], T | None]) -> Iterator[T]:
    """What records give, in order, without the odd ones; those that give None have a known reason, and are not counted as odd."""
    for record in records:
        found = None
        with odd:
            found = read(record)
        if found is not None:
            yield found
