"""Records without content: a few of a file are left out and counted, many of them are an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from haymaker.core.errors import SourceError

R = TypeVar("R")
T = TypeVar("T")
SHARE = 0.01
"""Largest share of the records of a published set that may be unusable."""
_FIX = "fetch the source again; if the error repeats, the publisher has changed the file"


class OddRecordError(SourceError):
    """A record of the right structure without content: a blank text, no answer, an id that leads nowhere."""


class OddRecords:
    """Leave out odd records in a loop: `with odd: found = read(record)`, and `odd.check_few()` after the loop.

    `of` describes the records in the error, `share` is the largest share that may be odd, `reasons` counts the records left out.
    """

    def __init__(self, of: str, share: float = SHARE) -> None:
        self._of, self._share = of, share
        self._seen, self.reasons = 0, Counter[str]()
        self._first: OddRecordError | None = None

    @property
    def count(self) -> int:
        return self.reasons.total()

    def __enter__(self) -> None:
        self._seen += 1

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, OddRecordError):
            return False
        self.reasons[error.what] += 1
        self._first = self._first or error
        return True

    def check_few(self, few: int = 0) -> int:
        """Return the number of records left out; more than `few` and than `share` of all raise SourceError with the first."""
        if self._first and self.count > max(few, self._share * self._seen):
            counts = f"{self.count:,} of {self._seen:,} records are unusable, more than {self._share:.0%}"
            fix = _FIX if self._share == SHARE else self._first.fix
            raise SourceError(f"{self._first.what} ({counts})", where=self._first.where or self._of, fix=fix)
        return self.count


def sound(odd: OddRecords, records: Iterable[R], read: Callable[[R], T | None]) -> Iterator[T]:
    """Yield the results of `read` without odd records and without None, which is not counted as odd."""
    for record in records:
        found = None
        with odd:
            found = read(record)
        if found is not None:
            yield found
