"""Assign task and length to each row of an endless stream: exact shares, with random access to rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import gcd

from haymaker.core.errors import ParamsError
from haymaker.core.rng import Stream

_MAX_PERIOD = 100_000  # rows: a whole window is drawn at once


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """Task and length of a row in a stream.

    Attributes:
        task: task name.
        length: length.
        turn: number of earlier rows of this task in the stream.
    """

    task: str
    length: str
    turn: int


class Mix:
    """Mix of tasks and lengths by integer weights. Every window of `period` rows contains each pair exactly as often as
    the product of its weights (in lowest terms), shuffled per window.

    Args:
        tasks: task -> weight.
        lengths: length -> weight.
        seed: seed of the stream.

    Raises:
        ParamsError: the weights make a window too long.

    Attributes:
        weights: weights of tasks and lengths, in lowest terms.
    """

    def __init__(self, tasks: Mapping[str, int], lengths: Mapping[str, int], seed: int) -> None:
        period = _lowest(tasks).total() * _lowest(lengths).total()
        if period > _MAX_PERIOD:
            raise ParamsError(f"are met exactly only every {period:,} rows", where="weights of tasks and lengths", fix="use smaller weights")  # fmt: skip
        self.weights = dict(_lowest(tasks)), dict(_lowest(lengths))
        self._pairs = list(product(_lowest(tasks).elements(), _lowest(lengths).elements()))
        self._turns = Counter(task for task, _ in self._pairs)
        self._seed = seed
        self._window = lru_cache(maxsize=1)(self._draw_window)

    @property
    def period(self) -> int:
        """Rows of a window."""
        return len(self._pairs)

    def place(self, number: int) -> StreamPosition:
        """Return task and length of row `number`, from 0."""
        window, at = divmod(number, self.period)
        task, length, turn = self._window(window)[at]
        return StreamPosition(task, length, window * self._turns[task] + turn)

    def _draw_window(self, window: int) -> list[tuple[str, str, int]]:
        """Return (task, length, number of earlier rows of this task in the window) for each row of a window."""
        turns: Counter[str] = Counter()
        out = []
        for task, length in Stream("mix", self._seed, window).shuffled(self._pairs):
            out.append((task, length, turns[task]))
            turns[task] += 1
        return out


def _lowest(weights: Mapping[str, int]) -> Counter[str]:
    """Return the weights in lowest terms, sorted by name."""
    common = gcd(*weights.values())
    return Counter({name: weight // common for name, weight in sorted(weights.items())})
