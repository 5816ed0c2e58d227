"""Odd records: a few of a published file are blank, or refer to what is not there. They are left out and counted; many of them are a fault."""

from __future__ import annotations

from types import TracebackType

from haymaker.errors import SourceError

SHARE = 0.01
"""Of the records of a set, at most, that may be odd."""


class OddRecordError(SourceError):
    """A record of the right shape that says nothing: a blank text, no answer, an id that leads nowhere."""


class OddRecords:
    """Leaves odd records out of a loop: `with odd: yield made_of(record)`, and `odd.demand_few()` behind it.

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

    def demand_few(self) -> int:
        """How many were left out.

        Raises:
            SourceError: more than SHARE of them all; names the first.
        """
        if self._first and self.count > SHARE * self._seen:
            raise SourceError(
                f"{self.count:,} of {self._seen:,} records say nothing, above {SHARE:.0%}; the first {self._first.what}",
                where=self._first.where or self._of,
                fix="fetch the source again; if it repeats, its publisher has changed the file",
            )
        return self.count
