"""Split a text into sentences and lines: the rules as regular expressions, and a much faster array version.

If `WordIndex.has_wide_ends` is false, the rules depend only on runs of white space after .?!; or with a line feed.
"""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING

from haymaker.core.text.word_index import WordIndex, codes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

ENDS = re.compile(r"(?<=[.?!;])\s+|(?<=[。！？；…])(?![”’」』])\s*|(?<=[。！？…][”’」』])\s*|\s*\n\s*")
"""Separators between sentences and lines."""
LINES = re.compile(r"[.?!;]\s+|[。！？；…][”’」』]*\s+|\n\s*")
"""Separators that include the end mark of a sentence; white space is required."""


def ends(scan: WordIndex) -> tuple[Ints, Ints]:
    """Return the start and end (exclusive) of each match of ENDS."""
    if scan.has_wide_ends:
        return _matches(ENDS, scan.text)
    starts, stops, behind, lines = scan.spaces
    parts = behind | (lines >= 0)
    return starts[parts], stops[parts]


def lines(scan: WordIndex) -> tuple[Ints, Ints]:
    """Return the start and end (exclusive) of each piece between matches of LINES."""
    import numpy as np

    if scan.has_wide_ends:
        found, stops = _matches(LINES, scan.text)
    else:
        starts, stops, behind, feeds = scan.spaces
        parts = behind | (feeds >= 0)
        found, stops = np.where(behind, starts - 1, feeds)[parts], stops[parts]
    return np.concatenate([[0], stops]), np.concatenate([found, [len(scan.text)]])


def _matches(pattern: re.Pattern[str], text: str) -> tuple[Ints, Ints]:
    import numpy as np

    found = np.array([match.span() for match in pattern.finditer(text)], np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


class Lines:
    """The words of each line of a text, in lower case.

    Attributes:
        begins: start of each line.
        ends: end of each line (exclusive).
        sizes: number of words of each line.
        counts: number of occurrences of each distinct word.
    """

    def __init__(self, scan: WordIndex) -> None:
        import numpy as np

        lowered = scan.text.lower()
        begins, _ = self.begins, self.ends = lines(scan)
        if len(lowered) != len(scan.text):  # some letters become two characters; same lines
            scan = WordIndex(lowered)
            begins, _ = lines(scan)
        starts, stops = scan.words
        self.sizes = np.diff(np.searchsorted(starts, np.append(begins, len(lowered))))
        found = _numbered(np.compress(scan.in_words, codes(lowered)), stops - starts)
        self._ids, self._different = np.asarray(found.indices), found.dictionary
        self._encoding = "ascii" if lowered.isascii() else "utf-32-le"
        self.counts = np.bincount(self._ids)

    @property
    def words(self) -> list[str]:
        """The distinct words, in the order of `counts`."""
        return [str(word, self._encoding) for word in self._different.to_pylist()]

    def commonness(self) -> Floats:
        """Return the sum of log word counts for each line, added in word order."""
        import numpy as np

        logs = np.zeros(int(self.counts.max(initial=0)) + 1)
        for count in np.unique(self.counts).tolist():
            logs[count] = log(count)
        line = np.repeat(np.arange(len(self.sizes)), self.sizes)
        sums = np.bincount(line, weights=logs[self.counts][self._ids], minlength=len(self.sizes))
        return sums.astype(np.float64, copy=False)


def _numbered(characters: npt.NDArray[np.generic], sizes: Ints) -> pa.DictionaryArray:
    """Return the words as a dictionary array; Arrow compares their bytes."""
    import numpy as np
    import pyarrow as pa

    bounds = np.concatenate([[0], np.cumsum(sizes)]) * characters.itemsize
    buffers = [None, pa.py_buffer(bounds.astype(np.int64)), pa.py_buffer(characters)]
    return pa.Array.from_buffers(pa.large_binary(), len(sizes), buffers).dictionary_encode()
