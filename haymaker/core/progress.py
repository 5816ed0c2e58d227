"""Progress display: a live bar on a terminal, otherwise plain lines at most every ten seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console

from haymaker.core.text.strings import visible
from haymaker.core.verbosity import is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.text import Text


class SafeConsole(Console):
    """Console that prints strings unchanged: visible control characters, no markup (also in tables)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "soft_wrap": True, "markup": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a string for rich, with control characters made visible."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        """Raise the error for `main`, instead of the exit status 1 of rich."""
        raise BrokenPipeError


console = SafeConsole(stderr=True)
out = SafeConsole(width=None if sys.stdout.isatty() else 160)
_PLAIN_EVERY_S = 10.0


def say(text: str) -> None:
    """Print one line to standard error (standard output is for results); nothing with --quiet."""
    if not is_quiet():
        console.print(text)


def duration(seconds: float) -> str:
    """Format a duration: '8 s', '3 min 05 s' or '2 h 10 min'."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def compact(number: float) -> str:
    """Format a number: '830', '12.5 k', '46.1 M', '2.0 G'."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f} {prefix}"
    return f"{number:.0f}"


def megabytes(size: int) -> str:
    """Format a size: '18.2 MB', '1,204.0 MB'; in kB below a megabyte."""
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{size / 1e3:,.1f} kB"


class Progress:
    """Progress of one executor run: share done, shards, rate and time left.

    Args:
        title: description of the work.
        total: sum of all costs.
        shards: number of shards.
        unit: unit of the costs, shown in the rate; empty: no rate.
        parts: displayed name of the shards.
    """

    def __init__(self, title: str, *, total: float, shards: int, unit: str = "", parts: str = "shards") -> None:
        self._title, self._total, self._shards, self._unit = visible(title), total or 1.0, shards, unit
        self._parts = parts
        self._cost = self._resumed_cost = 0.0
        self._count = self._resumed = 0
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        self._begin = self._last = time.monotonic()
        if sys.stderr.isatty() and not is_quiet():
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[pace]}"))
            self._bar = Bar(*columns, console=console, auto_refresh=False, transient=True)
            self._task = self._bar.add_task(self._title, total=self._total, pace="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()
        if kind is None:
            kept = f", {self._resumed} kept from before" if self._resumed else ""
            say(
                f"{self._title}: {self._count} of {self._shards} {self._parts} in {duration(time.monotonic() - self._begin)}{kept}"
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
        if self._bar:
            self._bar.update(self._task, completed=self._cost, pace=self._pace(now), refresh=True)
        elif now - self._last >= _PLAIN_EVERY_S:
            self._last = now
            say(f"{self._title}: {self._pace(now)}")

    def _pace(self, now: float) -> str:
        """Return share, shards, rate and time left; the rate excludes shards of earlier runs."""
        spent = max(now - self._begin, 1e-6)
        rate = (self._cost - self._resumed_cost) / spent
        left = (self._total - self._cost) / rate if rate else 0.0
        share = 100 * self._cost / self._total
        pace = f"  {compact(rate)} {self._unit}/s" if self._unit else ""
        return f"{share:3.0f} %  {self._count}/{self._shards} {self._parts}{pace}  {duration(left)} left"
