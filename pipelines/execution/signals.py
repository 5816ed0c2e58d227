"""Ctrl-C, SIGTERM, and the death of a parent: who hears of it, and when."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator

from haymaker.core.files.disk import alive


@contextlib.contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Processes that are started meanwhile do not get Ctrl-C, not even while they load; `main` alone listens again.

    They inherit that it is held back, and that it is ignored, for libraries that let it through. Our own waits.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = threading.current_thread() is threading.main_thread()
    ours = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, ours)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait: a library that is stopped while it loads tells so in words of its own, or stays broken."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda *_: came.append(0)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


def watch(*processes: int) -> None:
    """Leave at once when one of the processes no longer lives: an orphan must not go on writing.

    Args:
        processes: ids of those that wait for this one: its parent, the `haymaker run` above it (shells and DVC stand between, and
            would outlive it). A worker's parent is the fork server of its pool, not the stage.
    """

    def look() -> None:
        while all(map(alive, filter(None, processes))):  # a parent outside of the container has no number here
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()
