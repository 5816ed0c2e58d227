"""Haystacks of our own: a stock of lines per part, of which a group takes some; filler sentences, or lines that are all needles."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, reduce
from itertools import chain
from math import gcd

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces, Strip
from generators.context.ranked import filling_ranks, in_drawn_order
from generators.spec import Table
from generators.synthetic import vocabulary
from generators.synthetic.needles_content import Draws, Statement
from generators.synthetic.needles_drawn import distinct, keys, values
from generators.synthetic.needles_settings import NeedleSettings
from generators.synthetic.needles_stacks import Filled, Stack
from generators.synthetic.phrases import Phrases
from generators.synthetic.vocabulary import ENGLISH
from haymaker.core.rng import Key, Stream

STOCK = 98_304  # different lines that a context may draw from: more than 1M tokens
_STOCKS = {"uuid": 32_768, "digits": 65_536}  # fewer where lines are long, or values end
_LONG = 262_144  # tokens of a row that takes a good part of the stock
_MARKED = re.compile(r"\d+|[a-z]+-[a-z]+")


class Lines(Stack, ABC):
    """Units of our own: a stock per part, of which a group takes some, each at a place of its own.

    Args:
        stream_key: of the release.
        tokenizers: release tokenizer first.
    """

    def __init__(self, stream_key: Key, tokenizers: Sequence[Tokenizer]) -> None:
        super().__init__(tokenizers)
        self._stream_key = stream_key
        self.stock = lru_cache(maxsize=2)(self._stock)
        self._count_all = lru_cache(maxsize=2)(self._count_stock)
        self.taken = lru_cache(maxsize=2)(self._words)  # type: ignore[method-assign]

    @abstractmethod
    def _stock(self, part: str) -> list[Pieces]:
        """Columns of the lines; each line takes one piece of each."""

    @abstractmethod
    def _words(self, part: str) -> Collection[str]:
        """Words of the lines."""

    @abstractmethod
    def _special(self, statements: Sequence[Statement]) -> list[Pieces]:
        """The statements in the form of lines."""

    def fill(self, statements: Sequence[Statement], budget: int, table: Table, draws: Draws) -> Filled:
        """See Stack."""
        stock, stream = self.stock(table.part), draws("background")
        size = min(map(len, stock))
        start, shift, step = stream.below(size), stream.below(size), stream.below(size)
        while gcd(step, size) > 1:
            step = stream.below(size)

        def of_rank(ranks: Ints) -> list[tuple[Pieces, Ints]]:
            """A walk through the whole stock with steps of one width: the stock is random, and so are places."""
            return [(pieces, (start + step * ranks + shift * j) % size) for j, pieces in enumerate(stock)]

        if (table.tokens or 0) > _LONG:
            self._count_all(table.part)
        special = _strip((pieces, range(len(pieces))) for pieces in self._special(statements))
        spare = self.tokenizers[0].count_part(self.ending) if self.ending else 0
        budget += spare - int(special.tokens[0].sum())
        ranks = filling_ranks(lambda count: _sizes(of_rank(np.arange(count))), budget, table.tokens or 0, most=size)
        return self.with_needles(_strip(of_rank(in_drawn_order(ranks, draws("order")))), special, statements)

    def _count_stock(self, part: str) -> None:
        """A row of a good part of the stock has all of it counted at once, not every row some more."""
        for pieces in self.stock(part):
            pieces.tokens(np.arange(len(pieces)))

    def limit(self, part: str) -> int:
        """See Stack."""
        stock = self.stock(part)
        every = np.arange(min(map(len, stock)))
        return int(_sizes([(pieces, every) for pieces in stock]).sum())


def _sizes(columns: Iterable[tuple[Pieces, Ints]]) -> Ints:
    """Tokens of lines, of which each takes a piece of every column."""
    return np.asarray(np.sum([pieces.tokens(order) for pieces, order in columns], axis=0), dtype=np.int64)


def _strip(columns: Iterable[tuple[Pieces, Sequence[int] | Ints]]) -> Strip:
    return reduce(Strip.beside, (pieces.strip(order) for pieces, order in columns))


class Noise(Lines):
    """Filler sentences as running text, no two alike (docs/defects/synthetic.md A5 #9)."""

    def __init__(self, stream_key: Key, tokenizers: Sequence[Tokenizer], phrases: Phrases) -> None:
        super().__init__(stream_key, tokenizers)
        self._phrases = phrases

    def _stock(self, part: str) -> list[Pieces]:
        return [_noise(self._stream_key, part, self.tokenizers, self._phrases)]

    def _words(self, part: str) -> Collection[str]:
        return _marked(self._stream_key, part, self._phrases)

    def _special(self, statements: Sequence[Statement]) -> list[Pieces]:
        return [Pieces([f" {s.text}" for s in statements], self.tokenizers)]


@lru_cache(maxsize=4)
def _noise(stream_key: Key, part: str, tokenizers: tuple[Tokenizer, ...], phrases: Phrases) -> Pieces:
    """The filler sentences of a part, shared by the tasks of a process."""
    return Pieces(_filler(stream_key, part, phrases), tokenizers)


@lru_cache(maxsize=4)
def _filler(stream_key: Key, part: str, phrases: Phrases) -> list[str]:
    """Their texts, whatever counts them; not to be changed."""
    return [f" {line}" for line in vocabulary.noise(STOCK, stream_key, part, grammar=phrases.filler())]


@lru_cache(maxsize=4)
def _marked(stream_key: Key, part: str, phrases: Phrases) -> frozenset[str]:
    """Their numbers and their words with a hyphen: what a key or a value could be taken for."""
    text = "".join(_filler(stream_key, part, phrases))
    names = () if phrases.key_words is ENGLISH else re.findall(phrases.key_words.pattern, text)
    return frozenset((*_MARKED.findall(text), *names))


class Needles(Lines):
    """Lines of the needle's own kind, no key and no value twice; paired anew by every group."""

    def __init__(
        self, settings: NeedleSettings, stream_key: Key, tokenizers: Sequence[Tokenizer], phrases: Phrases
    ) -> None:
        super().__init__(stream_key, tokenizers)
        self._settings, self._made_of = settings, phrases.key_words
        self.opener, self._key, self._value = settings.said_in(phrases).halves()
        self.ending = f"\n{self.opener}"
        self._texts = lru_cache(maxsize=2)(self._draw_texts)

    def _draw_texts(self, part: str) -> tuple[list[str], list[str]]:
        settings = self._settings
        size = _STOCKS.get(settings.value, STOCK)
        if settings.key == "word":  # half of the names stay free for what is asked
            size = min(size, self._made_of.many // 2)
        stream = Stream(self._stream_key, "synthetic", "needles", part, "keys", settings.key)
        others = Stream(self._stream_key, "synthetic", "needles", part, "values", settings.value)
        return distinct(keys(settings.key, stream, self._made_of), size, ()), distinct(
            values(settings.value, others), size, ()
        )

    def _stock(self, part: str) -> list[Pieces]:
        return self._columns(*self._texts(part))

    def _columns(self, keys: Iterable[str], values: Iterable[str]) -> list[Pieces]:
        return [
            Pieces([self._key.format(key=key) for key in keys], self.tokenizers),
            Pieces([f"{self._value.format(value=value)}{self.ending}" for value in values], self.tokenizers),
        ]

    def _words(self, part: str) -> Collection[str]:
        return frozenset(chain.from_iterable(self._texts(part)))

    def _special(self, statements: Sequence[Statement]) -> list[Pieces]:
        return self._columns((s.key for s in statements), (s.value for s in statements))
