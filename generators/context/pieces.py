r"""Texts that are encoded and counted once, then picked, summed and joined by the ten thousand.

A piece begins with exactly one space and does not end in white space, so tokens of pieces add up in any order (docs/spec/measured.md 1).
A line break is moved inside: the last piece of a line ends with the word that opens the next line (" 1234567.\nThe"), so the next piece
again begins with a space. The last line of a context loses that opener.
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
    """Texts with their sizes.

    Args:
        texts: each begins with exactly one space and does not end in white space.
        tokenizers: release tokenizer first.
        counts: per tokenizer, tokens of each text as part of a longer text, if known; -1 if unknown.

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
        """Return the texts of both, with known counts."""
        both = Pieces([], self._tokenizers)
        both.texts = [*self.texts, *other.texts]
        for name in ("_utf8", "_characters", "_words"):
            setattr(both, name, np.concatenate((getattr(self, name), getattr(other, name))))
        both._tokens = [np.concatenate(pair) for pair in zip(self._tokens, other._tokens, strict=True)]
        return both

    def tokens(self, order: Sequence[int] | Ints, tokenizer: int = 0) -> Ints:
        """Return the tokens of some pieces; each piece is tokenized once, on first use.

        Raises:
            TokenizerError: a text does not add up.
        """
        at, counts = np.asarray(order, dtype=np.int64), self._tokens[tokenizer]
        if len(missing := np.unique(at[counts[at] < 0])):
            counts[missing] = self._tokenizers[tokenizer].count_units(self.texts[i] for i in missing.tolist())
        return counts[at]

    def strip(self, order: Sequence[int] | Ints) -> UnitColumns:
        """Return some pieces in this order, with repetitions: one piece per unit.

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
        columns: per column, one piece per unit.
        characters, words: sizes of each unit.
        tokens: per tokenizer, tokens of each unit.
    """

    columns: list[list[bytes]]
    characters: Ints
    words: Ints
    tokens: list[Ints]

    def __len__(self) -> int:
        return len(self.characters)

    def __add__(self, other: UnitColumns) -> UnitColumns:
        """Return the units of both; both have the same number of columns."""
        return UnitColumns(
            [a + b for a, b in zip(self.columns, other.columns, strict=True)],
            np.concatenate((self.characters, other.characters)),
            np.concatenate((self.words, other.words)),
            [np.concatenate((a, b)) for a, b in zip(self.tokens, other.tokens, strict=True)],
        )

    def beside(self, other: UnitColumns) -> UnitColumns:
        """Return units that join unit i of this with unit i of the other."""
        tokens = [a + b for a, b in zip(self.tokens, other.tokens, strict=True)]
        return UnitColumns(
            self.columns + other.columns, self.characters + other.characters, self.words + other.words, tokens
        )

    def ordered(self, order: Sequence[int] | Ints) -> UnitColumns:
        """Return some of the units in this order."""
        at = np.asarray(order, dtype=np.int64)
        columns = [_picked(column, at) for column in self.columns]
        return UnitColumns(columns, self.characters[at], self.words[at], [t[at] for t in self.tokens])

    def sums(self) -> memoryview:
        """Return prefix sums of release tokens: value i = tokens of the first i units (context/fit.py)."""
        return np.concatenate(([0], np.cumsum(self.tokens[0]))).astype(np.int64).data

    def whole(self) -> Context:
        """Return all units as one context."""
        tokens = tuple(int(sizes.sum()) for sizes in self.tokens)
        return Context(self.text(), tokens, int(self.characters.sum()), int(self.words.sum()))

    def pieces(self) -> list[bytes]:
        """Return all pieces of all units in order, UTF-8."""
        pieces: list[bytes] = [b""] * (len(self.columns) * len(self))
        for i, column in enumerate(self.columns):
            pieces[i :: len(self.columns)] = column
        return pieces

    def text(self) -> bytes:
        """Return all units joined, UTF-8; begins with a space."""
        return b"".join(self.pieces())


def closed(strip: UnitColumns, ending: str, tokenizers: Sequence[Tokenizer], end: str = "") -> Context:
    """Return units as one context without the ending of the last unit.

    Args:
        strip: at least one unit; the last piece of the last unit ends with `ending`.
        ending: text to remove, e.g. line break and opener of the next line; may be empty.
        tokenizers: tokenizers that counted the units.
        end: text that closes the context instead.
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
