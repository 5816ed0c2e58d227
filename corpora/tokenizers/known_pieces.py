"""Exact counts of finished texts whose sentences came before: what a proof counts with.

A text is split at safe cuts alone (`corpora.tokenizers.cuts`): a space behind what is no white space, or a Chinese mark behind a
letter. A piece that stands in a second text of this process is counted by the real tokenizer and kept by its exact characters; a
text's counts are the sums over its pieces. One that has few such cuts, or many new pieces, is tokenised whole: that takes less.

How this stays apart from the writer of a row: nothing comes from a store, a unit, or a column of the row. What is counted is every
character of the text as it stands in the file, and texts that differ in one have another piece there. Both go by safe cuts; so
whoever proves with it tokenises some texts whole, too (pipelines/recount.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from corpora.tokenizers.counting import Tokenizer

_FIELD = 40  # bits of one tokenizer's count: the counts of all are added up as one number
_MOST = 1 << 18  # pieces kept of each cut
_LONGEST = 2000  # characters of a piece that is kept
_PIECE = (24, 1000)  # characters that pieces should have on average: each costs a call of the tokenizer, once
_FEW_NEW = 4  # one piece in so many may be new: it costs half as much again as in a text that is tokenised whole
_FEWEST = 8  # cuts of a text that is worth cutting
_ENDS = (". ", ": ", ", ", "; ")
"""A text is cut at the space of one of these, the first that parts it well."""
_MARKS = ("。", "，")
"""Else before one of these behind a letter, where the tokenizers allow it."""


class KnownPieces:
    """Counts texts by several tokenizers at once.

    Args:
        tokenizers: whose counts are asked for.
    """

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        chinese = all(tokenizer.cuts_between("字", mark) for mark in _MARKS for tokenizer in tokenizers)
        self._kept = {cut: _Kept(tokenizers, cut) for cut in _ENDS + (_MARKS if chinese else ())}

    def count(self, text: str) -> tuple[list[int], bool]:
        """Tokens of a text on its own, no special tokens: what `Tokenizer.count` gives, of each tokenizer in turn; and whether they
        are of its pieces, else of the whole.
        """
        for cut, kept in self._kept.items():
            cuts = text.count(cut)
            if cuts >= _FEWEST and _PIECE[0] <= len(text) / cuts <= _PIECE[1]:
                counts = self._with(kept, cut, text)
                return counts or self._whole(text), bool(counts)
        return self._whole(text), False

    def _whole(self, text: str) -> list[int]:
        return [tokenizer.count(text) for tokenizer in self._tokenizers]

    def _with(self, kept: _Kept, cut: str, text: str) -> list[int]:
        """Counts by pieces; none where too many of these are new."""
        first, *others = text.split(cut) if cut in _ENDS else _behind_letters(text, cut)
        last = f" {others.pop()}" if cut in _ENDS else ""  # all others have the whole cut around them
        if not (total := kept.total(others)):
            return []
        ends = zip(self._whole(first + cut[0] if last else first), kept.inside(last), strict=True)
        places = range(len(self._tokenizers))
        return [a + z + (total >> _FIELD * i & (1 << _FIELD) - 1) for i, (a, z) in zip(places, ends, strict=True)]


class _Kept:
    """Counts of the pieces that one cut gives: each without what the cut leaves at its two ends."""

    def __init__(self, tokenizers: Sequence[Tokenizer], cut: str) -> None:
        self._counts = [tokenizer.count_inside for tokenizer in tokenizers]
        self._begin, self._end = (" ", cut[0]) if cut in _ENDS else (cut, "")
        self._known = dict[str, int]()  # 0: it stood in one text and was not counted

    def total(self, pieces: list[str]) -> int:
        """Counts of all pieces, as one number; 0 where too many of them are new."""
        found = list(map(self._known.get, pieces))
        if _FEW_NEW * found.count(None) > len(found):
            self._keep({piece: 0 for piece, count in zip(pieces, found, strict=True) if count is None})
            return 0
        new = {piece: self._count(piece) for piece, count in zip(pieces, found, strict=True) if not count}
        self._keep(new)
        return sum(count or new[piece] for piece, count in zip(pieces, found, strict=True))

    def inside(self, text: str) -> list[int]:
        """Counts of a text behind a cut, of each tokenizer in turn."""
        return [count(text) for count in self._counts]

    def _count(self, piece: str) -> int:
        text = f"{self._begin}{piece}{self._end}"
        return sum([count(text) << _FIELD * place for place, count in enumerate(self._counts)])

    def _keep(self, pieces: dict[str, int]) -> None:
        """Those that are not too long; where there are too many, the older half is forgotten."""
        self._known.update((piece, count) for piece, count in pieces.items() if len(piece) <= _LONGEST)
        if len(self._known) > _MOST:
            self._known = dict(islice(self._known.items(), len(self._known) // 2, None))


def _behind_letters(text: str, mark: str) -> list[str]:
    """A text in pieces, each but the first without the mark that it begins with; where no letter stands before a mark there is no cut."""
    first, *others = text.split(mark)
    pieces = [first]
    for other in others:
        if pieces[-1][-1:].isalpha():
            pieces.append(other)
        else:
            pieces[-1] += mark + other
    return pieces
