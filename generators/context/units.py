r"""Contexts made of whole units (passages) in any order: chosen to a budget, joined from bytes, counted exactly.

A unit begins with one space and ends with what opens the next one (corpora/stores/passages/store.py), so units add up; the last one of a
context gives its ending back. A label (" [3]") may stand before a unit. Nothing here tokenises a finished text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add

from corpora.tokenizers.tokenizer import CountedText, Tokenizer
from generators.context.context import Context
from generators.context.fit import prefix_sums
from haymaker.errors import BuildError
from haymaker.text import count_words


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

    def upto(self, count: int) -> tuple[list[bytes], list[list[int]]]:
        """The first labels, and their tokens per tokenizer."""
        if count > len(self.utf8):
            texts = [self._pattern.format(n=n) for n in range(len(self.utf8) + 1, count + 1)]
            for counts, tokenizer in zip(self.tokens, self._tokenizers, strict=True):
                counts.extend(tokenizer.count_units(texts))
            self.utf8 += [text.encode() for text in texts]
        return self.utf8[:count], [counts[:count] for counts in self.tokens]


class Units:
    """Units that contexts are made of, each encoded and measured when a context first has it.

    Args:
        text: of a unit, by number; begins with exactly one space and ends with `ending`.
        tokens: per tokenizer, in-join tokens of each unit.
        tokenizers: release tokenizer first.
        ending: what opens the next unit, and the last one gives back.
        lead: how a text begins before its own text (a title): empty, or a space and words up to the next space.
        labels: what numbers them by their place, if anything does.
    """

    def __init__(
        self,
        text: Callable[[int], str],
        tokens: Sequence[Sequence[int]],
        tokenizers: Sequence[Tokenizer],
        ending: str,
        lead: Callable[[int], str],
        labels: Labels | None = None,
    ) -> None:
        self._tokenizers, self._ending, self._labels = tokenizers, ending, labels
        self._text, self._lead = text, lead
        # No functools.cache: of a bound method it would be a cycle, and every question would stay until Python looks for those.
        self._known: dict[int, tuple[bytes, int, int, int]] = {}
        self._removed: dict[int, list[int]] = {}
        self.tokens = tokens

    def _measured(self, unit: int) -> tuple[bytes, int, int, int]:
        """UTF-8, characters, those before its own text, release tokens before it."""
        if unit not in self._known:
            text, lead = self._text(unit), self._lead(unit)
            tokens = self._tokenizers[0].count_part(lead)  # a lead meets its text in a space, so tokens add up
            self._known[unit] = text.encode(), len(text), len(lead) + 1, tokens
        return self._known[unit]

    def sums(self, fixed: Sequence[int], pool: Sequence[int]) -> tuple[int, memoryview]:
        """Release tokens of the units of every context, and prefix sums of the others in order of priority.

        Labels are counted as if no unit of the pool were passed over: a label never has fewer tokens at a later place, so a
        choice is never over its budget.
        """
        counts, order = self.tokens[0], (*fixed, *pool)
        sizes = [counts[i] for i in order]
        if self._labels:
            sizes = list(map(add, sizes, self._labels.upto(len(order))[1][0]))
        return sum(sizes[: len(fixed)]), prefix_sums(sizes[len(fixed) :])

    def _sizes(self, order: Sequence[int]) -> list[list[int]]:
        """Per tokenizer, in-join tokens of each unit of a context, its label included."""
        sizes = [[counts[i] for i in order] for counts in self.tokens]
        if not self._labels:
            return sizes
        return [list(map(add, *both)) for both in zip(sizes, self._labels.upto(len(order))[1], strict=True)]

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
        sizes = self._sizes(order)
        pieces, lengths, before, tokens_before = map(list, zip(*map(self._measured, order), strict=True))
        if self._labels:
            labels, counts = self._labels.upto(len(order))
            pieces = [piece for pair in zip(labels, pieces, strict=True) for piece in pair]
            widths = list(map(len, labels))
            before, lengths = list(map(add, before, widths)), list(map(add, lengths, widths))
            tokens_before = list(map(add, tokens_before, counts[0]))
        bounds = list(accumulate(lengths, initial=0))
        text = b"".join(pieces)[: -len(self._ending.encode())]
        return Context(
            text=text,
            characters=bounds[-1] - len(self._ending),
            words=count_words(text),
            tokens=tuple(self._closed(sizes, order[-1])),
            starts=list(map(add, before, bounds)),
            ends=[end - len(self._ending) for end in bounds[1:]],
            token_starts=list(map(add, tokens_before, accumulate(sizes[0], initial=0))),
        )

    def edges(self, order: Sequence[int]) -> list[list[CountedText]]:
        """The context of these units in this order as parts per tokenizer (RowWriter.count), without joining it.

        Units add up, so only the first and the last one meet something else: all tokens are counted in the first, and the last
        is there for its seam.
        """
        label = self._labels.upto(1)[0][0] if self._labels else b""
        first, last = (self._measured(unit)[0] for unit in (order[0], order[-1]))
        first, last = label + first, last[: -len(self._ending.encode())]
        totals = self._closed(self._sizes(order), order[-1])
        if len(order) == 1:
            return [[CountedText(total, utf8=label + last)] for total in totals]
        return [[CountedText(total, utf8=first), CountedText(0, utf8=last)] for total in totals]

    def _closed(self, sizes: list[list[int]], last: int) -> list[int]:
        """Tokens of a context, per tokenizer: its last unit gives its ending back."""
        return [sum(counts) - removed for counts, removed in zip(sizes, self._ending_tokens(last), strict=True)]

    def _ending_tokens(self, unit: int) -> list[int]:
        """Tokens that a unit has more than the same unit without its ending."""
        if unit not in self._removed:
            text = self._text(unit).removesuffix(self._ending)
            each = zip(self.tokens, self._tokenizers, strict=True)
            self._removed[unit] = [counts[unit] - tokenizer.count_part(text) for counts, tokenizer in each]
        return self._removed[unit]
