"""Handle Ctrl-C, SIGTERM and the death of parent processes."""

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
    """Shield processes started in this block from Ctrl-C, also while they load; only `main` enables Ctrl-C again.

    They inherit a blocked and ignored SIGINT, since some libraries unblock it. This process gets Ctrl-C afterwards.
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
    """Delay Ctrl-C and SIGTERM: a library interrupted while loading prints its own error or stays broken."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def watch(*processes: int) -> None:
    """Exit as soon as one of the processes ends, so that an orphan does not continue writing.

    Args:
        processes: ids of waiting processes: the parent, and the `haymaker run` above it (shells and DVC in between
            would outlive it). The parent of a worker is the fork server of its pool, not the stage.
    """

    def look() -> None:
        while all(map(alive, filter(None, processes))):  # a parent outside of the container has no id here
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()
