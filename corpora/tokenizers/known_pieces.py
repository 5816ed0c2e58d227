"""Exact counts of finished texts whose words came before: what a proof counts with.

A text is split at safe cuts alone (`corpora.tokenizers.cuts`): a space behind what is no white space, so that a piece is a word with
the marks on it; of Chinese, a mark behind a letter. A piece is counted by the real tokenizer once and kept by its exact characters; a
text's counts are the sums over its pieces. A stretch of it whose pieces are mostly new (random names, numbers) is tokenised as it is:
that takes less. Where these come again, as at another depth, they are counted and kept.

How this stays apart from the writer of a row: nothing comes from a store, a unit, or a column of the row. What is counted is every
character of the text as it stands in the file, and texts that differ in one have another piece there. Both go by safe cuts; so
whoever proves with it tokenises some texts whole, too (pipelines/recount.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from corpora.tokenizers.counting import Tokenizer

_FIELD = 40  # bits of one tokenizer's count: the counts of all are added up as one number
_MOST = 1 << 18  # pieces kept of each cut
_SIZES = {" ": (1, 64), "。": (24, 250), "，": (24, 250)}
"""Cuts, and the characters that pieces should have on average; the first that parts a text so is taken."""
_FEWEST = 8  # cuts of a text that is worth cutting
# One piece in so many of a text's first stretch, of any other one, may be new: rare words take most of the time that a text takes.
_FEW_NEW, _FEW = 12, 6
_STRETCH = 1 << 16  # characters: all words of a row at once would leave the processor's cache
_SPACED = re.compile(r"(?<=\S) ")
_INDENTED = ("  ", "\n ", "\t ")


class KnownPieces:
    """Counts texts by several tokenizers at once.

    Args:
        tokenizers: whose counts are asked for.
    """

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        allowed = [cut for cut in _SIZES if all(tokenizer.cuts_between("字", cut) for tokenizer in tokenizers)]
        self._kept = {cut: _Kept(tokenizers, cut) for cut in allowed}

    def count(self, text: str) -> tuple[list[int], bool]:
        """Tokens of a text on its own, no special tokens: what `Tokenizer.count` gives, of each tokenizer in turn; and whether they
        are of its pieces, else of the whole.
        """
        for cut, kept in self._kept.items():
            cuts, (least, most) = text.count(cut), _SIZES[cut]
            if cuts >= _FEWEST and least <= len(text) / cuts <= most:
                return kept.count(text)
        return [tokenizer.count(text) for tokenizer in self._tokenizers], False


class _Kept:
    """Counts of the pieces that one cut gives, each without the cut that it begins with.

    Args:
        tokenizers: whose counts are asked for.
        cut: that stands before each.
    """

    def __init__(self, tokenizers: Sequence[Tokenizer], cut: str) -> None:
        self._tokenizers, self._cut = tokenizers, cut
        self._known, self._seen, self._ends = dict[str, int](), set[str](), set[str]()

    def count(self, text: str) -> tuple[list[int], bool]:
        """Counts of a text by each tokenizer, and whether some of it was counted by pieces."""
        at, last, total, by_pieces = self._next(text, 1), self._last(text), 0, False
        begin, end = text[:at], text[max(at, last) :]  # before the first cut, behind the last one
        if at >= last or self._is_strange(text, at, last):
            return [each.count(text) for each in self._tokenizers], False
        while at < last:
            following = self._next(text, min(at + _STRETCH, last))
            stretch, at = text[at:following], following
            count = self._of_pieces(self._pieces(stretch))
            total += count or self._packed([stretch])[0]
            by_pieces = by_pieces or count > 0
        places = enumerate(self._tokenizers)
        counts = [
            (total >> _FIELD * i & (1 << _FIELD) - 1) + each.count(begin) + each.count_inside(end) for i, each in places
        ]
        return counts, by_pieces

    def _is_strange(self, text: str, first: int, last: int) -> bool:
        """Whether too many pieces of the first stretch of a text are new, and also too many that were not seen in another text.

        Those of names and numbers that are nearly all new are all seen then: they may come again at another depth.
        """
        pieces = self._pieces(text[first : self._next(text, min(first + _STRETCH, last))])
        new = set(pieces).difference(self._known)
        unseen = new - self._seen if _FEW_NEW * len(new) > len(pieces) else set[str]()
        self._seen |= set(self._pieces(text[first:last])) if 2 * len(unseen) > len(pieces) else unseen
        return _FEW_NEW * len(unseen) > len(pieces)

    def _next(self, text: str, start: int) -> int:
        """The first safe cut from a place on; where there is none, the end of the text."""
        at = text.find(self._cut, start)
        while at >= 0 and not self._are_safe({text[at - 1]}):
            at = text.find(self._cut, at + 1)
        return at if at >= 0 else len(text)

    def _last(self, text: str) -> int:
        """The last safe cut; where there is none, 0 or less."""
        at = text.rfind(self._cut)
        while at > 0 and not self._are_safe({text[at - 1]}):
            at = text.rfind(self._cut, 0, at)
        return at

    def _are_safe(self, ends: set[str]) -> bool:
        """Whether every tokenizer may be cut behind each of these characters."""
        for end in ends - self._ends:
            if not (end and all(tokenizer.cuts_between(end, self._cut) for tokenizer in self._tokenizers)):
                return False
            self._ends.add(end)
        return True

    def _pieces(self, text: str) -> list[str]:
        """Those of a stretch that begins with a cut, each without the one that it begins with."""
        return _behind_words(text[1:]) if self._cut == " " else _behind_letters(text[1:], self._cut)

    def _of_pieces(self, pieces: list[str]) -> int:
        """Counts of the pieces of a stretch, as one number; 0 where too many of them are new, or one ends in no safe cut."""
        self._forget()
        new = set(pieces).difference(self._known)
        if _FEW * len(new - self._seen) > len(pieces) or not self._are_safe({piece[-1:] for piece in new}):
            self._seen |= new
            return 0
        self._known.update(zip(new, self._packed([f"{self._cut}{piece}" for piece in new]), strict=True))
        return sum(map(self._known.__getitem__, pieces))

    def _forget(self) -> None:
        """The older half of too many pieces."""
        if len(self._known) > _MOST:
            self._known = dict(islice(self._known.items(), len(self._known) // 2, None))
        if len(self._seen) > _MOST:
            self._seen = set()

    def _packed(self, texts: list[str]) -> list[int]:
        """Of each text that begins with a cut and ends in one the counts of all tokenizers as one number."""
        found = [0] * len(texts)
        for place, tokenizer in enumerate(self._tokenizers):
            counts, shift = tokenizer.count_behind_cuts(texts), _FIELD * place
            found = [before + (count << shift) for before, count in zip(found, counts, strict=True)]
        return found


def _behind_words(text: str) -> list[str]:
    """A text in pieces, each but the first without the space that it begins with: spaces behind white space are no cuts."""
    return _SPACED.split(text) if any(gap in text for gap in _INDENTED) else text.split(" ")


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
