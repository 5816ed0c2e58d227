"""Contexts of whole units (passages, files) in any order: joined from bytes and counted exactly, without tokenizing a finished text.

A unit begins with one space and ends with the opener of the next unit (corpora/stores/passages/store.py), so tokens of units add up; the
ending of the last unit is removed. A number (" [3]") can precede a unit. Everything is a column; there is no object per unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces, UnitColumns, closed
from haymaker.core.errors import BuildError
from haymaker.core.rows.schema import Sample

_FEWEST = 64


def openers(row: Sample) -> list[tuple[int, int]]:
    """Return start and end (characters in the prompt) of the text before each unit of a context: number and title."""
    text, at, found = row.text, row.context_start, []
    for span in row.each_span():
        if span.start >= at:
            before = text[at : span.start]
            found.append((span.start - len(before.lstrip()), at + len(before.rstrip())))
            at = span.end
    return found


class Numbers:
    """Labels " [1]", " [2]" ... that number units by their place.

    Args:
        pattern: label with {n} for the number; begins with a space, ends in punctuation.
        tokenizers: release tokenizer first.
    """

    def __init__(self, pattern: str, tokenizers: Sequence[Tokenizer]) -> None:
        self._pattern, self._tokenizers = pattern, tokenizers
        self._pieces = Pieces([], tokenizers)

    def upto(self, count: int) -> Pieces:
        """Return the first `count` labels or more."""
        if len(self._pieces) < count:
            size = max(_FEWEST, count, 2 * len(self._pieces))
            self._pieces = Pieces([self._pattern.format(n=n) for n in range(1, size + 1)], self._tokenizers)
        return self._pieces

    def strip(self, count: int) -> UnitColumns:
        """Return the first `count` labels."""
        return self.upto(count).strip(np.arange(count))

    def tokens(self, count: int) -> Ints:
        """Return the release tokens of each of the first `count` labels."""
        return self.upto(count).tokens(np.arange(count))


@dataclass(frozen=True, slots=True)
class PrefixedUnits:
    """Units with a prefix (a title) before their own text.

    Attributes:
        pieces: the units, prefix included.
        characters, tokens: characters and release tokens of each prefix.
    """

    pieces: Pieces
    characters: Ints
    tokens: Ints

    @classmethod
    def plain(cls, pieces: Pieces) -> PrefixedUnits:
        """Return units without a prefix."""
        none = np.zeros(len(pieces), dtype=np.int64)
        return cls(pieces, none, none)


class Units:
    """The units of a context.

    Args:
        first: count -> the first `count` units or more; each ends with `ending`.
        tokens: release tokens of every unit, as part of a longer text.
        tokenizers: release tokenizer first.
        ending: opener of the next unit, which the last unit loses.
        numbers: labels that number the units by their place, if any.
    """

    def __init__(
        self,
        first: Callable[[int], PrefixedUnits],
        tokens: Ints,
        tokenizers: Sequence[Tokenizer],
        ending: str,
        numbers: Numbers | None = None,
    ) -> None:
        self._first, self._tokens = first, tokens
        self._known: PrefixedUnits | None = None
        self._tokenizers, self._ending, self._numbers = tokenizers, ending, numbers

    def sums(self, fixed: Sequence[int], pool: Sequence[int] | Ints) -> tuple[int, memoryview]:
        """Return the release tokens of the units of every context, and prefix sums of the others in order of priority.

        Numbers are counted as if no unit of the pool were skipped: a later number never has fewer tokens, so no choice exceeds its
        budget.
        """
        order = np.concatenate((fixed, pool)).astype(np.int64)
        sizes = self._tokens[order] + (self._numbers.tokens(len(order)) if self._numbers else 0)
        sums = np.concatenate(([0], np.cumsum(sizes[len(fixed) :]))).astype(np.int64)
        return int(sizes[: len(fixed)].sum()), sums.data

    def closing_tokens(self) -> int:
        """Return the release tokens of the ending that the last unit loses, to one token."""
        return self._tokenizers[0].count_part(self._ending)

    def _upto(self, count: int) -> PrefixedUnits:
        if self._known is None or len(self._known.pieces) < count:
            self._known = self._first(count)
        return self._known

    def _strip(self, order: Sequence[int] | Ints) -> tuple[UnitColumns, Ints, Ints]:
        """Return units in this order, numbered, with characters and release tokens before the own text of each."""
        at = np.asarray(order, dtype=np.int64)
        if not len(at):
            raise BuildError("no unit fits")
        led = self._upto(int(at.max()) + 1)
        strip, characters, tokens = led.pieces.strip(at), led.characters[at], led.tokens[at]
        if self._numbers is None:
            return strip, characters, tokens
        numbers = self._numbers.strip(len(at))
        return numbers.beside(strip), numbers.characters + characters, numbers.tokens[0] + tokens

    def context(self, order: Sequence[int] | Ints) -> Context:
        """Return the context of units in this order.

        Raises:
            BuildError: no unit.
        """
        strip, characters, tokens = self._strip(order)
        ends = np.cumsum(strip.characters)
        places: dict[str, Any] = {
            "starts": ends - strip.characters + characters + 1,
            "ends": ends - len(self._ending),
            "token_starts": np.cumsum(strip.tokens[0]) - strip.tokens[0] + tokens,
        }
        return replace(closed(strip, self._ending, self._tokenizers), **places)

    def edges(self, order: Sequence[int] | Ints) -> list[list[CountedText]]:
        """Return the context of units in this order as parts per tokenizer (RowWriter.count), without joining it.

        Only the first and the last unit meet other text: the first part has all tokens, the last one is there for its token boundary.

        Raises:
            BuildError: no unit.
        """
        strip, _, _ = self._strip(order)
        last = closed(strip.ordered([len(strip) - 1]), self._ending, self._tokenizers)
        if len(strip) == 1:
            return last.parts()
        first = strip.ordered([0]).text()
        totals = (int(sizes[:-1].sum()) + more for sizes, more in zip(strip.tokens, last.tokens, strict=True))
        return [[CountedText(total, utf8=first), CountedText(0, utf8=last.text)] for total in totals]
