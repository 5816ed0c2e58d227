"""Progress: a live line with rate and time left on a terminal, plain lines at most every ten seconds elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console

console = Console(stderr=True, highlight=False, soft_wrap=True)
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 160)
_PLAIN_EVERY_S = 10.0


def say(text: str) -> None:
    """One line for the person who watches (standard error: standard output is for results)."""
    console.print(text, markup=False)


def duration(seconds: float) -> str:
    """'8 s', '3 min 05 s' or '2 h 10 min'."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Progress:
    """Share done, shards, rate and time left of one executor run.

    Args:
        title: what is being done.
        total: the sum of all costs.
        shards: how many there are.
    """

    def __init__(self, title: str, *, total: float, shards: int) -> None:
        self._title, self._total, self._shards = title, total or 1.0, shards
        self._cost = self._resumed_cost = 0.0
        self._count = self._resumed = 0
        self._live = sys.stderr.isatty()

    def __enter__(self) -> Self:
        self._begin = self._last = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")
        if kind is None:
            kept = f", {self._resumed} kept from before" if self._resumed else ""
            say(
                f"{self._title}: {self._count} of {self._shards} shards in {duration(time.monotonic() - self._begin)}{kept}"
            )

    def advance(self, cost: float, *, resumed: bool = False) -> None:
        """Count one shard."""
        self._cost += cost
        self._count += 1
        if resumed:
            self._resumed += 1
            self._resumed_cost += cost
            return
        now = time.monotonic()
        if self._live:
            sys.stderr.write(f"\r\x1b[K{self._line(now)}")
            sys.stderr.flush()
        elif now - self._last >= _PLAIN_EVERY_S:
            self._last = now
            say(self._line(now))

    def _line(self, now: float) -> str:
        spent = max(now - self._begin, 1e-6)
        rate = (self._cost - self._resumed_cost) / spent
        left = (self._total - self._cost) / rate if rate else 0.0
        share = 100 * self._cost / self._total
        return f"{self._title}: {share:3.0f} %  {self._count}/{self._shards} shards  {(left and duration(left)) or '0 s'} left"
