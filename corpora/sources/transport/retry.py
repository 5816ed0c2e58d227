"""Retries of a download, and its progress lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep

from corpora.sources.transport.remote import Interrupted

ATTEMPTS = 6
"""Attempts in a row without a new byte; any new byte restarts the count."""
UNREACHABLE_ATTEMPTS = 3
"""The same if the server never responded."""
FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_LINE_EVERY_S = 10.0


@dataclass
class Retries:
    """Waits between the attempts for one file.

    Attributes:
        report: prints a line.
    """

    report: Callable[[str], None]
    _most: int = -1
    _failed: int = 0

    def wait(self, error: Interrupted, received: int) -> bool:
        """Wait before the next attempt; False if there should be none.

        Args:
            error: how the last attempt ended.
            received: bytes of the file on disk.
        """
        self._failed = 1 if received > self._most else self._failed + 1
        self._most = max(self._most, received)
        if self._failed >= (ATTEMPTS if error.answered else UNREACHABLE_ATTEMPTS):
            return False
        wait_s = max(error.wait_s, min(_LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (self._failed - 1)))
        if wait_s > 2:
            self.report(f"  interrupted ({error}); retrying in {wait_s:.0f} s")
        sleep(wait_s)
        return True


class Progress:
    """Lines with bytes, rate and time left of a download, at most one every ten seconds."""

    def __init__(self, name: str, size: int | None, report: Callable[[str], None]) -> None:
        self._name, self._size, self._report = name, size, report
        self._began = self._reported = monotonic()
        self._received = 0

    def add(self, count: int, total: int) -> None:
        """Count new bytes; `total` includes earlier attempts."""
        self._received += count
        now = monotonic()
        if now - self._reported < _LINE_EVERY_S:
            return
        self._reported = now
        rate = self._received / max(now - self._began, 1e-9)
        left = f", {(self._size - total) / rate / 60:,.0f} min left" if self._size else ""
        of = f" of {self._size / 1e6:,.0f}" if self._size else ""
        self._report(f"  {self._name}: {total / 1e6:,.0f}{of} MB, {rate / 1e6:.1f} MB/s{left}")
