"""Haystacks of our own: a stock of lines per part, of which a group takes some; filler sentences, or lines that are all needles."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from corpora.tokenizer import Tokenizer
from generators import units
from generators.haystack import slot
from generators.pieces import Filling, Pieces, Strip
from generators.synthetic import vocabulary
from generators.synthetic.needles_content import NeedleParams, Statement, distinct, keys, values
from generators.synthetic.needles_stacks import Built, Stack, planted
from generators.synthetic.needles_words import Wording
from haymaker.rng import Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

STOCK = 98_304  # different lines that a context may draw from: more than 1M tokens
_STOCKS = {"uuid": 32_768, "digits": 65_536}  # fewer where lines are long, or values end
_REACH = 1.6  # of the bucket: tokens of lines that the choice of the last few may look at, and a little more
_BACK = 24  # lines that may be passed over for better ones: lines of UUIDs are of nearly one size
_MARKED = re.compile(r"\d+|[a-z]+-[a-z]+")


class Lines(Stack, ABC):
    """Units of our own: a stock per part, of which a group takes some, each at a place of its own.

    Args:
        seed: of the release.
        tokenizers: release tokenizer first.
    """

    ending = ""

    def __init__(self, seed: int, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__(tokenizers)
        self._seed = seed
        self.stock = lru_cache(maxsize=2)(self._stock)
        self.taken = lru_cache(maxsize=2)(self._words)  # type: ignore[method-assign]

    @abstractmethod
    def _stock(self, part: str) -> list[Pieces]:
        """Columns of the lines; each line takes one piece of each."""

    @abstractmethod
    def _words(self, part: str) -> Collection[str]:
        """Words of the lines."""

    @abstractmethod
    def _special(self, statements: Sequence[Statement]) -> Strip:
        """The statements in the form of lines."""

    def fill(
        self, statements: Sequence[Statement], budget: int, bucket: int, part: str, stream: Stream, order: Stream
    ) -> tuple[Built, Filling]:
        """See Stack."""
        special = self._special(statements)
        choice = self._choice(part, stream, int(_REACH * bucket))
        sums = np.concatenate(([0], np.cumsum(self._sizes(part, choice)))).data
        spare = self.tokenizers[0].count_part(self.ending) if self.ending else 0
        ranks = np.asarray(
            units.fit(sums, budget - int(special.tokens[0].sum()) + spare, bucket, _BACK), dtype=np.int64
        )
        ranks = ranks[np.argsort(order.bulk(len(choice[0]))[ranks], kind="stable")]
        lines = self._strip(part, [column[ranks] for column in choice])
        return planted(
            lines, special, [slot(s.depth, len(ranks)) for s in statements], self.tokenizers, [],
            opener=self.opener, ending=self.ending,
        )  # fmt: skip

    def _choice(self, part: str, stream: Stream, reach: int) -> list[Ints]:
        """Per column, pieces of the lines in order of priority; enough for `reach` tokens where there are as many."""
        stock = self.stock(part)
        size = min(map(len, stock))
        start, shift, step = stream.below(size), stream.below(size), stream.below(size)
        while gcd(step, size) > 1:
            step = stream.below(size)
        count = 128
        while True:  # a walk through the whole stock with steps of one width: the stock is random, and so are places
            first = (start + step * np.arange(min(count, size))) % size
            columns = [(first + shift * j) % size for j in range(len(stock))]
            if count >= size or int(self._sizes(part, columns).sum()) >= reach:
                return columns
            count *= 2

    def _sizes(self, part: str, choice: Sequence[Ints]) -> Ints:
        sizes = [pieces.tokens(column) for pieces, column in zip(self.stock(part), choice, strict=True)]
        return np.asarray(sum(sizes[1:], sizes[0]), dtype=np.int64)

    def _strip(self, part: str, choice: Sequence[Ints]) -> Strip:
        strips = [pieces.strip(column) for pieces, column in zip(self.stock(part), choice, strict=True)]
        out = strips[0]
        for strip in strips[1:]:
            out = out.beside(strip)
        return out

    def limit(self) -> int | None:
        """See Stack."""
        stock = self.stock("test")
        return int(self._sizes("test", [np.arange(min(map(len, stock)))] * len(stock)).sum())


class Noise(Lines):
    """Filler sentences as running text, no two alike (spec/synthetic.md A5 no. 9)."""

    def _stock(self, part: str) -> list[Pieces]:
        return [_noise(self._seed, part, tuple(self.tokenizers))]

    def _words(self, part: str) -> Collection[str]:
        return _marked(self._seed, part)

    def _special(self, statements: Sequence[Statement]) -> Strip:
        return Pieces([f" {s.text}" for s in statements], self.tokenizers).strip(range(len(statements)))


@lru_cache(maxsize=4)
def _lines(seed: int, part: str) -> list[str]:
    """The filler sentences of a part, shared by the tasks of a process."""
    return [f" {line}" for line in vocabulary.noise(STOCK, seed, part)]


@lru_cache(maxsize=4)
def _marked(seed: int, part: str) -> frozenset[str]:
    """Their numbers and their words with a hyphen: what a key or a value could be taken for."""
    return frozenset(_MARKED.findall("".join(_lines(seed, part))))


@lru_cache(maxsize=4)
def _noise(seed: int, part: str, tokenizers: tuple[Tokenizer, ...]) -> Pieces:
    return Pieces(_lines(seed, part), tokenizers)


class Needles(Lines):
    """Lines of the needle's own kind, no key and no value twice; paired anew by every group."""

    def __init__(self, settings: NeedleParams, seed: int, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__(seed, tokenizers)
        self._settings = settings
        self.opener, self._key, self._value = Wording(settings.style, settings.value).halves()
        self.ending = f"\n{self.opener}"
        self._texts = lru_cache(maxsize=2)(self._drawn)

    def _drawn(self, part: str) -> tuple[list[str], list[str]]:
        settings = self._settings
        size = _STOCKS.get(settings.value, STOCK)
        stream = Stream(self._seed, "synthetic", "needles", part, "keys", settings.key)
        others = Stream(self._seed, "synthetic", "needles", part, "values", settings.value)
        return distinct(keys(settings.key, stream), size, ()), distinct(values(settings.value, others), size, ())

    def _stock(self, part: str) -> list[Pieces]:
        return self._columns(*self._texts(part))

    def _columns(self, keys: Sequence[str], values: Sequence[str]) -> list[Pieces]:
        return [
            Pieces([self._key.format(key=key) for key in keys], self.tokenizers),
            Pieces([f"{self._value.format(value=value)}{self.ending}" for value in values], self.tokenizers),
        ]

    def _words(self, part: str) -> Collection[str]:
        return frozenset(chain.from_iterable(self._texts(part)))

    def _special(self, statements: Sequence[Statement]) -> Strip:
        first, second = self._columns([s.key for s in statements], [s.value for s in statements])
        return first.strip(range(len(first))).beside(second.strip(range(len(second))))
