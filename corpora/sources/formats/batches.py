"""Batches: how raw text is cut into work. By the data alone, never by the number of workers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BATCH_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A run inside one raw file.

    Attributes:
        path: below data/raw/<source>/.
        start, stop: half-open range in the format's own unit: bytes of a text file, row groups of a Parquet file.
        first: number of the first record of the run in its file, from 0 (for ids and error lines).
    """

    path: str
    start: int
    stop: int
    first: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """About 2 MB of raw text: the unit of parallel work, documents in a fixed order."""

    index: int
    pieces: tuple[Piece, ...]


def group(pieces: Iterable[tuple[Piece, int]], size: int = BATCH_BYTES) -> list[Batch]:
    """Batches of neighbouring pieces, closed as soon as they hold `size` bytes (second member of each pair)."""
    batches: list[Batch] = []
    held: list[Piece] = []
    total = 0
    for piece, count in pieces:
        held.append(piece)
        total += count
        if total >= size:
            batches.append(Batch(len(batches), tuple(held)))
            held, total = [], 0
    if held:
        batches.append(Batch(len(batches), tuple(held)))
    return batches
