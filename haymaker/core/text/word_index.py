r"""Index of the words, white space and end marks of a text as arrays, computed in one pass.

Words match `haymaker.core.text.strings.WORD`, white space matches \s.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from haymaker.core.text.strings import SPACELESS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
    Flags = npt.NDArray[np.bool_]

_WORD, _ALONE, _SPACE, _LINE, _END, _WIDE = (1 << bit for bit in range(6))  # bit flags of character kinds
_KINDS = {
    _WORD: r"\w+",
    _ALONE: f"[{SPACELESS}]+",  # each character is a word
    _SPACE: r"\s+",
    _LINE: "\n",
    _END: "[.?!;]",
    _WIDE: "[。！？；…]",
}
_CODE_POINTS = 0x110000
_ASCII = 0x80


class WordIndex:
    """Words and white-space runs of one text.

    Attributes:
        text: indexed text.
        codes: code points as an array; uint8 for ASCII texts.
    """

    def __init__(self, text: str) -> None:
        import numpy as np

        self.text, self.codes = text, codes(text)
        if text.isascii():
            self._kinds = np.frombuffer(text.encode().translate(_ascii_kinds()), np.uint8)
        else:
            self._kinds = _kinds()[self.codes]
        self._any = 0 if text.isascii() else int(np.bitwise_or.reduce(self._kinds))

    @property
    def has_wide_ends(self) -> bool:
        """Check for sentence-end marks that need no white space after them, or one-character ellipses."""
        return bool(self._any & _WIDE)

    @property
    def has_spaceless(self) -> bool:
        """Check whether the text contains characters of a script without spaces between words."""
        return bool(self._any & _ALONE)

    @property
    def in_words(self) -> Flags:
        """Return a mask of the characters that belong to words."""
        return self._of(_WORD)

    @cached_property
    def words(self) -> tuple[Ints, Ints]:
        """Return the start of each word, and one past its end."""
        import numpy as np

        if not self.has_spaceless:
            return _runs(self.in_words)
        inside, alone = _between(self.in_words), _between(self._of(_ALONE))
        starts = np.flatnonzero(inside[1:-1] & (~inside[:-2] | alone[:-2] | alone[1:-1]))
        return starts, np.flatnonzero(inside[1:-1] & (~inside[2:] | alone[2:] | alone[1:-1])) + 1

    @cached_property
    def pairs(self) -> Ints:
        """Return the positions of adjacent one-character words (Han or kana)."""
        import numpy as np

        if not self.has_spaceless:
            return np.zeros(0, np.int64)
        alone = self._of(_ALONE)
        return np.flatnonzero(alone[:-1] & alone[1:])

    @cached_property
    def spaces(self) -> tuple[Ints, Ints, Flags, Ints]:
        """Return per white-space run: start, one past the end, whether .?!; precedes it, first line feed (or -1)."""
        import numpy as np

        starts, ends = _runs(self._of(_SPACE))
        behind = self._of(_END)[starts - 1] & (starts > 0) if len(starts) else np.zeros(0, np.bool_)
        lines = np.flatnonzero(self._of(_LINE))
        runs, first = np.unique(np.searchsorted(starts, lines, side="right") - 1, return_index=True)
        found = np.full(len(starts), -1, np.int64)
        found[runs] = lines[first]
        return starts, ends, behind, found

    def _of(self, kind: int) -> Flags:
        return (self._kinds & kind).astype(bool)


def codes(text: str) -> Codes:
    """Return the code points of a text as an array; uint8 for ASCII texts."""
    import numpy as np

    return np.frombuffer(text.encode(), np.uint8) if text.isascii() else np.frombuffer(text.encode("utf-32-le"), "<u4")


def _between(flags: Flags) -> Flags:
    """Return the flags with one False added at each end."""
    import numpy as np

    wider = np.zeros(len(flags) + 2, np.bool_)
    wider[1:-1] = flags
    return wider


def _runs(flags: Flags) -> tuple[Ints, Ints]:
    """Return the starts of the runs of True, and one past their ends."""
    import numpy as np

    wider = _between(flags)
    edges = np.flatnonzero(wider[1:] != wider[:-1])
    return edges[::2], edges[1::2]


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """Return the kind flags of all code points."""
    import numpy as np

    every, found = "".join(map(chr, range(_CODE_POINTS))), np.zeros(_CODE_POINTS, np.uint8)
    for kind, pattern in _KINDS.items():
        for run in re.finditer(pattern, every):
            found[run.start() : run.end()] |= kind
    return found


@cache
def _ascii_kinds() -> bytes:
    """Return the kind flags as a table for `bytes.translate`."""
    return _kinds()[:_ASCII].tobytes().ljust(256, b"\0")
