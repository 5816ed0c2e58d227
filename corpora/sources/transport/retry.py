"""How often a far file is asked for again, how long we wait between, and what the person who waits hears."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from corpora.sources.transport.web import Interrupted

ATTEMPTS = 6
"""Attempts in a row that bring nothing new; whatever arrives begins the count anew."""
UNREACHABLE_ATTEMPTS = 3
"""The same where the server never answered."""
FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_LINE_EVERY_S = 10.0
_SLOW_AFTER_S = 60.0
_SLOW = 1_000_000  # bytes a second
_sleep = time.sleep


@dataclass
class Patience:
    """Waits between the attempts of one file. Waiting times are drawn by the system: no byte of a file depends on them.

    Attributes:
        report: takes one line at a time.
        sleep: waits so many seconds.
    """

    report: Callable[[str], None]
    sleep: Callable[[float], object] = field(default_factory=lambda: _sleep)
    _most: int = -1
    _vain: int = 0

    def after(self, error: Interrupted, there: int) -> bool:
        """Wait, and say whether to ask again.

        Args:
            error: why the last attempt ended.
            there: bytes that are there now.
        """
        self._vain = 1 if there > self._most else self._vain + 1
        self._most = max(self._most, there)
        if self._vain >= (ATTEMPTS if error.answered else UNREACHABLE_ATTEMPTS):
            return False
        wait_s = min(_LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (self._vain - 1)) * (
            0.5 + int.from_bytes(os.urandom(2)) / 0xFFFF
        )
        wait_s = max(wait_s, error.wait_s)
        if wait_s > 2:
            self.report(f"  interrupted ({error}); asking again in {wait_s:.0f} s")
        self.sleep(wait_s)
        return True


@dataclass
class Pace:
    """Lines on a large file that arrives: bytes, rate, time left; and, once, a hint when the Hub is slow.

    Attributes:
        name: of the file.
        size: bytes in all, or None.
        report: takes one line at a time.
        hint: said once when it is slow; empty: never.
    """

    name: str
    size: int | None
    report: Callable[[str], None]
    hint: str = ""
    _began: float = field(default_factory=time.monotonic)
    _said: float = field(default_factory=time.monotonic)
    _arrived: int = 0

    def arrived(self, count: int, there: int) -> None:
        """Some bytes more.

        Args:
            count: how many.
            there: how many are there now, earlier attempts included.
        """
        self._arrived += count
        now = time.monotonic()
        if now - self._said < _LINE_EVERY_S:
            return
        self._said = now
        rate = self._arrived / (now - self._began)
        left = f", {(self.size - there) / rate / 60:.0f} min left" if self.size else ""
        of = f" of {self.size / 1e6:,.0f}" if self.size else ""
        self.report(f"  {self.name}: {there / 1e6:,.0f}{of} MB, {rate / 1e6:.1f} MB/s{left}")
        if self.hint and rate < _SLOW and now - self._began > _SLOW_AFTER_S:
            self.report(f"  {self.hint}")
            self.hint = ""
