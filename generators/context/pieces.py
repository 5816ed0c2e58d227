r"""Texts that contexts are made of by the ten thousand: each encoded and counted once, then only picked, summed and joined.

A piece begins with exactly one space and does not end in white space, so pieces add up in any order (docs/spec/measured.md 1).
What stands behind a piece, a line break say, is moved to its inside: a line's last piece ends with the word that opens the next
line (" 1234567.\nThe"), so the next piece again begins with a space. The last line of a context gives that opener back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from haymaker.core.text.strings import words_in_each

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"


class Pieces:
    """A stock of texts.

    Args:
        texts: each begins with exactly one space and does not end in white space.
        tokenizers: release tokenizer first.
        counts: per tokenizer, in-join tokens of each text, where they are known already; -1 where not.

    Attributes:
        texts: as given.
    """

    def __init__(
        self, texts: Sequence[str], tokenizers: Sequence[Tokenizer], counts: Sequence[Ints] | None = None
    ) -> None:
        self.texts, self._tokenizers = texts, tokenizers
        utf8 = [text.encode() for text in texts]
        self._utf8 = np.array(utf8, dtype=object)  # an array, because it is picked three times as fast as a list
        self._characters, self._words = _ints(map(len, texts)), words_in_each(utf8)
        unknown = np.full(len(texts), -1, dtype=np.int64)
        self._tokens = [known.copy() for known in counts or [unknown] * len(tokenizers)]

    def __len__(self) -> int:
        return len(self.texts)

    def __add__(self, other: Pieces) -> Pieces:
        """The texts of both, with what is counted already."""
        both = Pieces([], self._tokenizers)
        both.texts = [*self.texts, *other.texts]
        for name in ("_utf8", "_characters", "_words"):
            setattr(both, name, np.concatenate((getattr(self, name), getattr(other, name))))
        both._tokens = [np.concatenate(pair) for pair in zip(self._tokens, other._tokens, strict=True)]
        return both

    def tokens(self, order: Sequence[int] | Ints, tokenizer: int = 0) -> Ints:
        """In-join tokens of some of the pieces; each piece is tokenised once, and only when it is first asked for.

        Raises:
            TokenizerError: a text does not add up.
        """
        at, counts = np.asarray(order, dtype=np.int64), self._tokens[tokenizer]
        if len(missing := np.unique(at[counts[at] < 0])):
            counts[missing] = self._tokenizers[tokenizer].count_units(self.texts[i] for i in missing.tolist())
        return counts[at]

    def strip(self, order: Sequence[int] | Ints) -> UnitColumns:
        """Some of the pieces in this order, each as often as it is named: one piece a unit.

        Raises:
            TokenizerError: a text does not add up.
        """
        at = np.asarray(order, dtype=np.int64)
        tokens = [self.tokens(at, j) for j in range(len(self._tokenizers))]
        return UnitColumns([self._utf8[at].tolist()], self._characters[at], self._words[at], tokens)


@dataclass(frozen=True, slots=True)
class UnitColumns:
    """Units in order, each made of one piece of every column; nothing is joined yet.

    Attributes:
        columns: per column, one piece a unit.
        characters, words: sizes of each unit.
        tokens: per tokenizer, in-join tokens of each unit.
    """

    columns: list[list[bytes]]
    characters: Ints
    words: Ints
    tokens: list[Ints]

    def __len__(self) -> int:
        return len(self.characters)

    def __add__(self, other: UnitColumns) -> UnitColumns:
        """The units of both, one strip after the other; both have the same number of columns."""
        return UnitColumns(
            [a + b for a, b in zip(self.columns, other.columns, strict=True)],
            np.concatenate((self.characters, other.characters)),
            np.concatenate((self.words, other.words)),
            [np.concatenate((a, b)) for a, b in zip(self.tokens, other.tokens, strict=True)],
        )

    def beside(self, other: UnitColumns) -> UnitColumns:
        """Unit i of the one with unit i of the other behind it, as one unit."""
        tokens = [a + b for a, b in zip(self.tokens, other.tokens, strict=True)]
        return UnitColumns(
            self.columns + other.columns, self.characters + other.characters, self.words + other.words, tokens
        )

    def ordered(self, order: Sequence[int] | Ints) -> UnitColumns:
        """Some of the units in another order."""
        at = np.asarray(order, dtype=np.int64)
        columns = [_picked(column, at) for column in self.columns]
        return UnitColumns(columns, self.characters[at], self.words[at], [t[at] for t in self.tokens])

    def sums(self) -> memoryview:
        """Prefix sums of release tokens: value i = tokens of the first i units (what context/fit.py takes)."""
        return np.concatenate(([0], np.cumsum(self.tokens[0]))).astype(np.int64).data

    def whole(self) -> Context:
        """All units as one text."""
        tokens = tuple(int(sizes.sum()) for sizes in self.tokens)
        return Context(self.text(), tokens, int(self.characters.sum()), int(self.words.sum()))

    def pieces(self) -> list[bytes]:
        """All pieces of all units in order, UTF-8."""
        pieces: list[bytes] = [b""] * (len(self.columns) * len(self))
        for i, column in enumerate(self.columns):
            pieces[i :: len(self.columns)] = column
        return pieces

    def text(self) -> bytes:
        """All units joined, UTF-8; begins with a space."""
        return b"".join(self.pieces())


def closed(strip: UnitColumns, ending: str, tokenizers: Sequence[Tokenizer], end: str = "") -> Context:
    """The strip as one text without the ending of its last unit (line break and opener of a next line that does not come).

    Args:
        strip: at least one unit; the last piece of the last one ends with `ending`.
        ending: what is given back; empty for nothing.
        tokenizers: that counted the strip.
        end: what closes the context instead.
    """
    pieces = strip.pieces()
    last = pieces[-1].decode()
    assert last.endswith(ending)
    last = last.removesuffix(ending)
    pieces[-1] = (last + end).encode()
    tokens = tuple(
        int(sizes.sum()) + t.behind(last, end) - t.behind(last, ending)
        for sizes, t in zip(strip.tokens, tokenizers, strict=True)
    )
    words = int(strip.words.sum()) + len((last + end).split()) - len((last + ending).split())
    characters = int(strip.characters.sum()) + len(end) - len(ending)
    return Context(b"".join(pieces), tokens, characters, words)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _picked(items: list[bytes], at: Ints) -> list[bytes]:
    if len(at) == 0:
        return []
    found = itemgetter(*at.tolist())(items)
    return list(found) if len(at) > 1 else [found]
