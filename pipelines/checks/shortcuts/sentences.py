"""Where a text parts into sentences and lines: the rules, and the same found by arrays, which is many times as quick.

Without the marks of `Scan.has_wide_ends` a rule matches whole runs of white space alone: those behind .?!; and those with a line feed.
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
"""Between sentences and lines."""
LINES = re.compile(r"[.?!;]\s+|[。！？；…][”’」』]*\s+|\n\s*")
"""The same without what stands at a sentence's end; never where no white space is."""


def ends(scan: WordIndex) -> tuple[Ints, Ints]:
    """Where each match of ENDS begins, and one past its end."""
    if scan.has_wide_ends:
        return _matches(ENDS, scan.text)
    starts, stops, behind, lines = scan.spaces
    parts = behind | (lines >= 0)
    return starts[parts], stops[parts]


def lines(scan: WordIndex) -> tuple[Ints, Ints]:
    """Where each piece between matches of LINES begins, and one past its end."""
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
        begins: first character of each line.
        ends: one past its last.
        sizes: words of each line.
        counts: how often each different word stands in the text.
    """

    def __init__(self, scan: WordIndex) -> None:
        import numpy as np

        lowered = scan.text.lower()
        begins, _ = self.begins, self.ends = lines(scan)
        if len(lowered) != len(scan.text):  # one letter becomes two characters; the lines stay as many
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
        """The different words, as `counts` has them."""
        return [str(word, self._encoding) for word in self._different.to_pylist()]

    def commonness(self) -> Floats:
        """The sum over each line of the logarithms of how often its words stand in the text, added up in their order."""
        import numpy as np

        logs = np.zeros(int(self.counts.max(initial=0)) + 1)
        for count in np.unique(self.counts).tolist():
            logs[count] = log(count)
        line = np.repeat(np.arange(len(self.sizes)), self.sizes)
        sums = np.bincount(line, weights=logs[self.counts][self._ids], minlength=len(self.sizes))
        return sums.astype(np.float64, copy=False)


def _numbered(characters: npt.NDArray[np.generic], sizes: Ints) -> pa.DictionaryArray:
    """Each different word by a number; Arrow compares their bytes."""
    import numpy as np
    import pyarrow as pa

    bounds = np.concatenate([[0], np.cumsum(sizes)]) * characters.itemsize
    buffers = [None, pa.py_buffer(bounds.astype(np.int64)), pa.py_buffer(characters)]
    return pa.Array.from_buffers(pa.large_binary(), len(sizes), buffers).dictionary_encode()
