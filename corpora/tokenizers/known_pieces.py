"""Exact counts of finished texts from cached counts of their pieces, for checks.

A text is split only at safe cuts (`corpora.tokenizers.cuts`): at a space after non-space, so that a piece is a word
with its punctuation; in Chinese, at punctuation after a letter. Each piece is counted once by the real tokenizer and
cached; the count of a text is the sum over its pieces. Texts with many new pieces (random names, numbers) are tokenized
directly, which is faster.

The counts are independent of the writer of a row: they use no store, unit or column, only the characters of the text in
the file. Both use safe cuts, so pipelines/checks/token_recount.py also tokenizes some texts completely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress, repeat
from typing import TYPE_CHECKING

from corpora.tokenizers.counting import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_MOST = 1 << 18  # pieces kept of each cut
_SIZES = {" ": (1, 64), "。": (24, 250), "，": (24, 250)}
"""Cuts, and the average size of their pieces in characters; the first suitable one is used."""
_FEWEST = 8  # fewest cuts of a text worth splitting
_FEW, _FEW_LONG, _LONG = 5, 1.5, 16
"""One piece in so many may be new, as rare words take most of the time; pieces of so many characters only their share."""
_STRANGE = 4  # one piece in so many of the beginning may be new
_BEGINNING = 1 << 16  # characters of it at most, and an eighth of the text
_AGAIN = 8  # of consecutive strange texts, one in so many is cached
_SPACED = re.compile(r"(?<=\S) ")  # spaces behind white space are no cuts
_INDENTED = ("  ", "\n ", "\t ")


class KnownPieces:
    """Counts texts with several tokenizers at once."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        allowed = [cut for cut in _SIZES if all(tokenizer.cuts_between("字", cut) for tokenizer in tokenizers)]
        self._kept = {cut: _Kept(tokenizers, cut) for cut in allowed}

    def count(self, text: str) -> tuple[list[int], bool]:
        """Return `Tokenizer.count` of a text for each tokenizer, and whether its pieces were used."""
        for cut, kept in self._kept.items():
            cuts, (least, most) = text.count(cut), _SIZES[cut]
            if cuts >= _FEWEST and least <= len(text) / cuts <= most:
                return kept.count(text, are_long=len(text) / cuts >= _LONG)
        return [tokenizer.count(text) for tokenizer in self._tokenizers], False


class _Kept:
    """Cached counts of the pieces after one kind of cut, without the cut itself."""

    def __init__(self, tokenizers: Sequence[Tokenizer], cut: str) -> None:
        self._tokenizers, self._cut, self._ends = tokenizers, cut, set[str]()
        self._strange = 0  # consecutive strange texts
        self._forget()

    def _forget(self) -> None:
        """Clear the cache."""
        import numpy as np

        self._known = dict[str, int]()  # piece -> its row in `_tokens`
        self._tokens = np.zeros((_MOST, len(self._tokenizers)), np.int64)  # 0: it came, and was not counted

    def count(self, text: str, *, are_long: bool) -> tuple[list[int], bool]:
        """Return counts of a text by each tokenizer, and whether its pieces were used."""
        at, last = self._next(text), self._last(text)
        within = self._within(text[at + 1 : last], are_long) if at < last else None
        if within is None:
            return [each.count(text) for each in self._tokenizers], False
        places = zip(within, self._tokenizers, strict=True)
        return [count + each.count(text[:at]) + each.count_inside(text[last:]) for count, each in places], True

    def _is_strange(self, text: str) -> bool:
        """Check whether too many pieces of the beginning are new.

        The first of consecutive such texts is cached anyway, as it may come again at another depth; most of the
        following are not.
        """
        beginning = self._pieces(text[: min(_BEGINNING, len(text) // 8)])
        unseen = sum(piece not in self._known for piece in beginning.unique().to_pylist())
        self._strange = self._strange + 1 if _STRANGE * unseen > len(beginning) else 0
        return self._strange > 0 and self._strange % _AGAIN != 1

    def _within(self, text: str, are_long: bool) -> list[int] | None:
        """Return counts of the text between two cuts; None if too much is new or a piece ends in no safe cut."""
        import numpy as np

        if not are_long and self._is_strange(text):  # long ones are few: all are noted
            return None
        found = self._pieces(text).value_counts()
        pieces, times = found.field("values").to_pylist(), found.field("counts").to_numpy()
        rows = self._rows(pieces, times.sum() // (_FEW_LONG if are_long else _FEW))
        if rows is None:
            return None
        new = self._tokens[rows, 0] == 0
        uncounted = list(compress(pieces, new.tolist()))
        if not self._are_safe({piece[-1:] for piece in uncounted}):
            return None
        if uncounted:
            texts = [f"{self._cut}{piece}" for piece in uncounted]
            self._tokens[rows[new]] = np.array([each.count_behind_cuts(texts) for each in self._tokenizers]).T
        self._strange = 0
        counts: list[int] = (times @ self._tokens[rows]).tolist()
        return counts

    def _rows(self, pieces: list[str], most: float) -> np.ndarray | None:
        """Return the rows of the counts of each piece, adding new pieces; None if more than `most` are new."""
        import numpy as np

        rows = np.fromiter(map(self._known.get, pieces, repeat(-1)), np.int64, len(pieces))
        new = rows < 0
        unseen, first = list(compress(pieces, new.tolist())), len(self._known)
        if first + len(unseen) > _MOST:
            self._forget()
            return None
        rows[new] = np.arange(first, first + len(unseen))
        self._known.update(zip(unseen, rows[new].tolist(), strict=True))
        return rows if len(unseen) <= most else None

    def _next(self, text: str) -> int:
        """Return the first safe cut after the first character, or the end of the text."""
        at = text.find(self._cut, 1)
        while at >= 0 and not self._are_safe({text[at - 1]}):
            at = text.find(self._cut, at + 1)
        return at if at >= 0 else len(text)

    def _last(self, text: str) -> int:
        """Return the last safe cut; 0 or less if there is none."""
        at = text.rfind(self._cut)
        while at > 0 and not self._are_safe({text[at - 1]}):
            at = text.rfind(self._cut, 0, at)
        return at

    def _are_safe(self, ends: set[str]) -> bool:
        """Check whether every tokenizer may be cut after each of these characters."""
        for end in ends - self._ends:
            if not (end and all(tokenizer.cuts_between(end, self._cut) for tokenizer in self._tokenizers)):
                return False
            self._ends.add(end)
        return True

    def _pieces(self, text: str) -> pa.Array:
        """Return the pieces of a text that starts after a cut, as an Arrow array."""
        import pyarrow as pa
        from pyarrow import compute

        if self._cut != " ":
            pieces = _behind_letters(text, self._cut)
        elif any(gap in text for gap in _INDENTED):
            pieces = _SPACED.split(text)
        else:
            return compute.split_pattern(pa.array([text], pa.large_string()), " ").flatten()
        return pa.array(pieces, pa.large_string())


def _behind_letters(text: str, mark: str) -> list[str]:
    """Split a text at marks after letters; each piece but the first lacks its leading mark."""
    first, *others = text.split(mark)
    pieces = [first]
    for other in others:
        if pieces[-1][-1:].isalpha():
            pieces.append(other)
        else:
            pieces[-1] += mark + other
    return pieces
