"""Split of a drawn text: test, dev and train share no word, number, name or sentence.

The checksum of a text decides, whatever task, seed or release draws it: a model trained on the train split of one release has
seen no key of the test split of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from zlib import crc32

from haymaker.core.rows.source_records import Split

_SPLITS: tuple[Split, ...] = ("test", "dev", "train")


def split_of(text: str) -> Split:
    """Return the only split that may contain a text."""
    return _SPLITS[crc32(text.encode()) % len(_SPLITS)]


def texts_of(make: Callable[[int], Sequence[str]], count: int, split: Split) -> list[str]:
    """Return the first `count` texts of a split.

    `make` returns as many texts as requested, far more than 3 * count if needed; a longer list starts with the shorter one.
    """
    tries = len(_SPLITS) * (count + 4 * isqrt(count) + 16)
    while True:
        texts = make(tries)
        assert len(texts) == tries
        found = [text for text in texts if split_of(text) == split]
        if len(found) >= count:
            return found[:count]
        tries *= 2
