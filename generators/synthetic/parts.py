"""Which part a text may stand in: test, dev and train share no word, number, name or sentence of a stock.

A text belongs to one part by its checksum, whatever task, seed or release draws it: a model trained on the train part of one
release has met no key of the test part of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from zlib import crc32

from haymaker.core.rows.source_records import Split

_PARTS: tuple[Split, ...] = ("test", "dev", "train")


def part_of(text: str) -> Split:
    """The one part that a text may stand in."""
    return _PARTS[crc32(text.encode()) % len(_PARTS)]


def texts_of(make: Callable[[int], Sequence[str]], count: int, part: Split) -> list[str]:
    """The first `count` texts that belong to a part.

    Args:
        make: count to so many texts; longer lists begin with the shorter ones, and they end nowhere near 3 * count.
        count: texts wanted.
        part: that they are for.
    """
    tries = len(_PARTS) * (count + 4 * isqrt(count) + 16)
    while True:
        texts = make(tries)
        assert len(texts) == tries
        found = [text for text in texts if part_of(text) == part]
        if len(found) >= count:
            return found[:count]
        tries *= 2
