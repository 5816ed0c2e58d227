"""How processor time grows with the length of an input: what is linear stays so on any machine, however busy."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4  # as long an input


def grows(work: Callable[[int], object], size: int) -> float:
    """Processor time for an input of TIMES * size over that for one of size: about TIMES where it is linear, its square where it is
    quadratic; of each the quickest of two.
    """
    return _seconds(work, TIMES * size) / max(_seconds(work, size), 1e-4)


def _seconds(work: Callable[[int], object], size: int) -> float:
    def once() -> float:
        begun = time.process_time()
        work(size)
        return time.process_time() - begun

    return min(once() for _ in range(2))
