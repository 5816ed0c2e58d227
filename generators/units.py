r"""Contexts made of whole units (passages) in any order: chosen to a budget, joined from bytes, counted exactly.

A unit begins with one space and ends with what opens the next one (corpora/passages.py), so units add up; the last one of a
context gives its ending back. A label (" [3]") may stand before a unit. Nothing here tokenises a finished text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import add

from corpora.tokenizer import Part, Tokenizer
from generators.haystack import closest
from haymaker.errors import BuildError

_TAIL_UNITS = 64  # units looked at to fill the end
_BACK_UNITS = 8  # of them, units that would have fitted
_SEAMS = 16  # tokens by which seams may make the budgets of two lengths differ


def prefix_sums(sizes: Iterable[int]) -> memoryview:
    """Value i = sum of the first i sizes."""
    return memoryview(array("q", accumulate(sizes, initial=0)))


def fit(sums: memoryview, budget: int, bucket: int, back: int = _BACK_UNITS) -> list[int]:
    """Positions, ascending, of ranked units that fill `budget` tokens and never pass it.

    All but the last few are the first ones; the last few are chosen among the next so that almost nothing stays empty. The
    choice begins at most a quarter of the bucket before the budget's end and reaches half a bucket beyond it, so a bucket
    twice as long, with the same text around the units, takes all of them: longer contexts are supersets in the same order.

    Args:
        sums: prefix sums of the units' tokens, in order of priority.
        budget: tokens to fill.
        bucket: tokens of the whole row.
        back: units that would have fitted and may yet be passed over; more of them where units are of nearly one size.

    Raises:
        BuildError: all units together do not pass the budget, so they cannot fill it.
    """
    count = len(sums) - 1
    if sums[count] <= budget:
        raise BuildError(f"{count:,} units hold {sums[count]:,} tokens where {budget:,} are to be filled")
    if budget <= 0:
        return []
    cut = bisect_right(sums, budget) - 1
    first = min(cut, max(cut - back, bisect_left(sums, budget - bucket // 4)))
    last = min(bisect_right(sums, budget + bucket // 2 - _SEAMS) - 1, first + _TAIL_UNITS)
    ahead = [(unit, sums[unit + 1] - sums[unit]) for unit in range(first, last)]
    return [*range(first), *closest(ahead, budget - sums[first])]


@dataclass(frozen=True, slots=True)
class Context:
    """A finished context.

    Attributes:
        text: UTF-8; begins with one space, ends with the last unit's own text.
        characters: length of the text.
        words: words in it.
        tokens: in-join tokens per tokenizer.
        starts: per unit in order, the first character of its own text, behind label and lead.
        ends: per unit, one past its last character, its ending not counted.
        token_starts: per unit, release tokens before its own text, from the start of the context.
    """

    text: bytes
    characters: int
    words: int
    tokens: tuple[int, ...]
    starts: list[int]
    ends: list[int]
    token_starts: list[int]


class Labels:
    """The labels " [1]", " [2]" ... that number units by their place.

    Args:
        pattern: of a label, with {n} for the number; begins with a space, ends in punctuation.
        tokenizers: release tokenizer first.
    """

    def __init__(self, pattern: str, tokenizers: Sequence[Tokenizer]) -> None:
        self._pattern, self._tokenizers = pattern, tokenizers
        self.utf8: list[bytes] = []
        self.tokens: list[list[int]] = [[] for _ in tokenizers]

    def grow(self, count: int) -> None:
        """Have at least `count` labels ready."""
        texts = [self._pattern.format(n=n) for n in range(len(self.utf8) + 1, count + 1)]
        for counts, tokenizer in zip(self.tokens, self._tokenizers, strict=True):
            counts.extend(tokenizer.count_units(texts))
        self.utf8 += [text.encode() for text in texts]

    @property
    def first(self) -> bytes:
        """The first label."""
        self.grow(1)
        return self.utf8[0]

    def total(self, tokenizer: int, count: int) -> int:
        """Tokens of the first `count` labels."""
        self.grow(count)
        return sum(self.tokens[tokenizer][:count])


class Units:
    """Units that contexts are made of, each encoded and measured once.

    Args:
        texts: each begins with exactly one space and ends with `ending`.
        tokens: per tokenizer, in-join tokens of each unit.
        tokenizers: release tokenizer first.
        ending: what opens the next unit, and the last one gives back.
        leads: how each text begins before its own text (a title): empty, or a space and words up to the next space.
        labels: what numbers them by their place, if anything does.
    """

    def __init__(
        self,
        texts: Sequence[str],
        tokens: Sequence[Sequence[int]],
        tokenizers: Sequence[Tokenizer],
        ending: str,
        leads: Sequence[str],
        labels: Labels | None = None,
    ) -> None:
        self._tokenizers, self._ending, self._leads, self._labels = tokenizers, ending, leads, labels
        self._utf8 = [text.encode() for text in texts]
        self._characters = [len(text) for text in texts]
        self._words = cache(lambda unit: len(texts[unit].split()))
        self._lead_tokens = cache(tokenizers[0].count_part)  # a lead meets its text in a space, so tokens add up
        self.tokens = tokens
        self._closed: dict[int, list[int]] = {}

    def sums(self, fixed: Sequence[int], pool: Sequence[int]) -> tuple[int, memoryview]:
        """Release tokens of the units of every context, and prefix sums of the others in order of priority.

        Labels are counted as if no unit of the pool were passed over: a label never has fewer tokens at a later place, so a
        choice is never over its budget.
        """
        sizes = [self.tokens[0][i] for i in (*fixed, *pool)]
        if self._labels:
            self._labels.grow(len(sizes))
            sizes = [size + label for size, label in zip(sizes, self._labels.tokens[0], strict=False)]
        return sum(sizes[: len(fixed)]), prefix_sums(sizes[len(fixed) :])

    def closing_tokens(self) -> int:
        """Release tokens that the last unit gives back; a seam may make it one more or less."""
        return self._tokenizers[0].count_part(self._ending)

    def context(self, order: Sequence[int]) -> Context:
        """Join units in this order; one join of bytes, sums over their sizes.

        Raises:
            BuildError: no unit.
        """
        if not order:
            raise BuildError("no unit fits")
        pieces = [self._utf8[i] for i in order]
        sizes = [[counts[i] for i in order] for counts in self.tokens]
        lengths = [self._characters[i] for i in order]
        words = sum(map(self._words, order)) - len(self._ending.split())
        before = [len(self._leads[i]) + 1 for i in order]  # characters before a unit's own text
        tokens_before = [self._lead_tokens(self._leads[i]) for i in order]
        if self._labels:
            self._labels.grow(len(order))
            labels, counts = self._labels.utf8[: len(order)], self._labels.tokens
            pieces = [piece for pair in zip(labels, pieces, strict=True) for piece in pair]
            sizes = [_added(more, tokens) for more, tokens in zip(sizes, counts, strict=True)]
            tokens_before = _added(tokens_before, counts[0])
            before = _added(before, map(len, labels))
            lengths = _added(lengths, map(len, labels))
            words += len(order)
        closed = [sum(counts) - given for counts, given in zip(sizes, self._given_back(order[-1]), strict=True)]
        bounds = list(accumulate(lengths, initial=0))
        return Context(
            text=b"".join(pieces)[: -len(self._ending.encode())],
            characters=bounds[-1] - len(self._ending),
            words=words,
            tokens=tuple(closed),
            starts=_added(before, bounds),
            ends=[end - len(self._ending) for end in bounds[1:]],
            token_starts=_added(tokens_before, accumulate(sizes[0], initial=0)),
        )

    def count(self, order: Sequence[int], heads: Sequence[Part], tails: Sequence[Part]) -> list[int]:
        """Exact tokens, per tokenizer, of head, the context of these units in this order, and tail as one text.

        Nothing is joined: units add up, so only the first and the last one meet something else.
        """
        label = self._labels.first if self._labels else b""
        first, last = label + self._utf8[order[0]], self._utf8[order[-1]][: -len(self._ending.encode())]
        out = []
        for j, tokenizer in enumerate(self._tokenizers):
            total = sum(self.tokens[j][i] for i in order) - self._given_back(order[-1])[j]
            if self._labels:
                total += self._labels.total(j, len(order))
            if len(order) == 1:
                parts = [Part(total, utf8=label + last)]
            else:  # all tokens are counted in the first; the last is there for its seam
                parts = [Part(total, utf8=first), Part(0, utf8=last)]
            out.append(tokenizer.joined([heads[j], *parts, tails[j]]))
        return out

    def _given_back(self, unit: int) -> list[int]:
        """Tokens that a unit has more than the same unit without its ending."""
        if unit not in self._closed:
            text = self._utf8[unit].decode().removesuffix(self._ending)
            self._closed[unit] = [
                counts[unit] - t.count_part(text) for counts, t in zip(self.tokens, self._tokenizers, strict=True)
            ]
        return self._closed[unit]


def _added(numbers: Sequence[int], more: Iterable[int]) -> list[int]:
    """Sums of pairs; what `more` has beyond `numbers` is left out."""
    return list(map(add, numbers, more))
