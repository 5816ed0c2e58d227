"""Batches: raw text as units of work, determined by the data only and never by the number of workers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BATCH_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of one raw file; `start` and `stop` are bytes of a text file, or row groups of a Parquet file."""

    path: str  # below data/raw/<source>/
    start: int
    stop: int
    first: int = 0  # number of its first record in the file, from 0 (for ids and errors)


@dataclass(frozen=True, slots=True)
class Batch:
    """About 2 MB of raw text: the unit of parallel work, documents in a fixed order."""

    index: int
    pieces: tuple[Piece, ...]


def group(pieces: Iterable[tuple[Piece, int]], size: int = BATCH_BYTES) -> list[Batch]:
    """Return batches of neighbouring (piece, bytes), each closed as soon as it holds `size` bytes."""
    held: list[list[Piece]] = [[]]
    total = 0
    for piece, count in pieces:
        held[-1].append(piece)
        total += count
        if total >= size:
            held.append([])
            total = 0
    return [Batch(index, tuple(pieces)) for index, pieces in enumerate(held) if pieces]
