"""Courses over a context: where things stand that shall not be spread evenly, at every length alike.

A course is a weight for each tenth of the context, drawn for one kind of thing, such as a label. What leads in one part of the
context says little of what leads in all of it, when each kind has a course of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from generators.context.pieces import Ints
from haymaker.core.rng import Stream

if TYPE_CHECKING:
    from haymaker.core.rng import Words

_COURSES = (  # weights of the ten tenths; each also the other way round
    (1, 1, 1, 2, 3, 4, 6, 9, 12, 15),  # ever more
    (1, 1, 1, 1, 1, 1, 1, 1, 16, 16),  # most of it at the end
    (1, 1, 1, 1, 1, 16, 16, 1, 1, 1),  # most of it behind the middle
    (1, 1, 12, 1, 1, 1, 1, 12, 12, 1),  # in three bursts
    (6, 1, 1, 1, 1, 4, 8, 8, 4, 1),  # a start, a pause, a wave
)
_TENTHS = 10


def course(stream: Stream) -> list[int]:
    """Weights of the ten tenths, for things of which there are many."""
    chosen = stream.choice(_COURSES)
    turned = chosen[::-1] if stream.below(2) else chosen
    return [weight * stream.between(4, 8) for weight in turned]


def burst(stream: Stream) -> list[int]:
    """The same for a few: all in one tenth."""
    tenth = stream.below(_TENTHS)
    return [int(each == tenth) for each in range(_TENTHS)]


def places(weights: Sequence[int], words: Words) -> Ints:
    """Places, 0 to 10 * 2**32, one for each of the random words, by the weights of the tenths."""
    sums = np.cumsum(weights)
    drawn = ((words >> np.uint64(32)) * np.uint64(sums[-1])) >> np.uint64(32)
    tenths = np.searchsorted(sums, drawn.astype(np.int64), side="right")
    found: Ints = (tenths.astype(np.int64) << 32) + (words & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return found
