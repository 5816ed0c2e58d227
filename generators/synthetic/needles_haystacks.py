"""Haystacks, filled to a budget with the needles in place: sentences of a corpus, filler sentences, or lines that are all needles."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from itertools import chain
from math import gcd
from typing import ClassVar

import numpy as np

from corpora.stores.sentences.store import Background
from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.context import Context
from generators.context.pieces import Ints, Pieces, UnitColumns, closed
from generators.context.ranked import filling_ranks, in_drawn_order, named
from generators.context.sentences import Needle, Run, Sentences, count_units, slot
from generators.generated import vocabulary
from generators.generated.vocabulary import ENGLISH, KeyWords
from generators.spec import Table
from generators.synthetic.needles_content import Draws, Statement, distinct, key
from generators.synthetic.needles_settings import NeedleSettings, Wording
from generators.synthetic.phrases import Phrases
from haymaker.core.errors import BuildError
from haymaker.core.rng import Key, Stream

STOCK = 98_304  # different lines of a stock: more than 1M tokens
_STOCKS = {"uuid": 32_768, "digits": 65_536}  # fewer if lines are long, or if there are no more values
_LONG = 262_144  # tokens of a row that takes a good part of the stock
_MARKED = re.compile(rb"\d{5,}|[a-z]+-[a-z]+")
_TIES = 65_536  # different places of sentences in a shuffled order; at one place they keep the order of the walk

Tokenizers = tuple[Tokenizer, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled haystack.

    Attributes:
        context: starts with a space; its named units are the statements. A start may be in the opener (token_starts: -1).
        num_segments: units of background.
        runs: runs of the corpus, if it has one.
    """

    context: Context
    num_segments: int
    runs: Sequence[Run] = ()


@dataclass(frozen=True)
class Lines:
    """A stock of lines for each split. A group takes some of them, each at a drawn place.

    Attributes:
        stock: split -> columns of the stock; each line takes one piece of every column.
        taken: split -> words of the lines; no key or value may be one of them.
        stated: statements -> columns of the same form.
        tokenizers: release tokenizer first.
        opener: first word of every line, for the first line in the head. Empty for running text.
    """

    stock: Callable[[str], list[Pieces]]
    taken: Callable[[str], Collection[str]]
    stated: Callable[[Sequence[Statement]], list[Pieces]]
    tokenizers: Tokenizers
    opener: str = ""

    def fill(self, statements: Sequence[Statement], budget: int, table: Table, draws: Draws) -> Filled:
        """Return a context of at most `budget` tokens (a token boundary may add one or two) with statements in order of depth.

        The group draws which units to take ("background") and their order ("order").

        Raises:
            BuildError: the units end before the budget.
        """
        stock, stream = self.stock(table.split), draws("background")
        size = min(map(len, stock))
        start, shift, step = stream.below(size), stream.below(size), stream.below(size)
        while gcd(step, size) > 1:
            step = stream.below(size)

        def of_rank(ranks: Ints) -> list[tuple[Pieces, Ints]]:
            """Walk through the stock with steps of one width: the order of the stock is random already."""
            return [(pieces, (start + step * ranks + shift * j) % size) for j, pieces in enumerate(stock)]

        if (table.tokens or 0) > _LONG:  # count all lines at once, instead of some more for every row
            self.limit(table.split)
        special = _units((pieces, range(len(pieces))) for pieces in self.stated(statements))
        spare = self.tokenizers[0].count_part(f"\n{self.opener}") if self.opener else 0
        budget += spare - int(special.tokens[0].sum())
        ranks = filling_ranks(lambda count: _tokens(of_rank(np.arange(count))), budget, table.tokens or 0, most=size)
        lines = _units(of_rank(in_drawn_order(ranks, draws("order"))))
        slots = [slot(each.depth, len(lines)) for each in statements]
        return Filled(woven(lines, special, slots, self.tokenizers, self.opener), len(lines))

    def limit(self, split: str) -> int:
        """Return the tokens of all units of a split."""
        stock = self.stock(split)
        every = np.arange(min(map(len, stock)))
        return int(_tokens([(pieces, every) for pieces in stock]).sum())


def _tokens(columns: Iterable[tuple[Pieces, Ints]]) -> Ints:
    """Return the tokens of lines that take a piece of every column."""
    return np.asarray(np.sum([pieces.tokens(order) for pieces, order in columns], axis=0), dtype=np.int64)


def _units(columns: Iterable[tuple[Pieces, Sequence[int] | Ints]]) -> UnitColumns:
    return reduce(UnitColumns.beside, (pieces.strip(order) for pieces, order in columns))


def woven(
    lines: UnitColumns, special: UnitColumns, slots: Sequence[int], tokenizers: Tokenizers, opener: str = ""
) -> Context:
    """Return lines in order with statements (its named units) between them; `slots` lines precede each statement."""
    n, ending = len(lines), f"\n{opener}" if opener else ""
    whole = (lines + special).ordered(np.insert(np.arange(n), slots, np.arange(n, n + len(special))))
    places = [before + i for i, before in enumerate(slots)]
    context = named(closed(whole, ending, tokenizers), whole, places, ending)
    if not opener:
        return context
    # a statement starts with the opener, at the end of the unit before it or of the head
    starts, tokens = [at - len(opener) - 1 for at in context.starts], tokenizers[0].count_part(opener)
    return replace(context, starts=starts, token_starts=[at - tokens for at in context.token_starts])


def filler(stream_key: Key, tokenizers: Tokenizers, phrases: Phrases) -> Lines:
    """Return the haystack of filler sentences: running text, no two sentences alike (docs/defects/synthetic.md A5 #9)."""
    return Lines(
        lambda split: [_filler(stream_key, split, tokenizers, phrases)[0]],
        lambda split: _filler(stream_key, split, tokenizers, phrases)[1],
        lambda statements: [Pieces([f" {s.text}" for s in statements], tokenizers)],
        tokenizers,
    )


@lru_cache(maxsize=4)
def _filler(stream_key: Key, split: str, tokenizers: Tokenizers, phrases: Phrases) -> tuple[Pieces, frozenset[str]]:
    """Return the sentences of a split, and the words in them that could be a key or a value."""
    texts = [f" {line}" for line in vocabulary.noise(STOCK, stream_key, split, grammar=phrases.filler())]
    return Pieces(texts, tokenizers), marked(["".join(texts).encode()], phrases.key_words)


def marked(texts: Iterable[bytes | memoryview], words: KeyWords) -> frozenset[str]:
    """Return the words of some texts that could be a key or a value."""
    patterns = [_MARKED] if words is ENGLISH else [_MARKED, re.compile(words.pattern.encode())]
    return frozenset(word.decode() for text in texts for each in patterns for word in each.findall(text))


def needle_lines(settings: NeedleSettings, stream_key: Key, tokenizers: Tokenizers, phrases: Phrases) -> Lines:
    """Return the haystack of lines that are all needles: no key and no value twice, other pairs in every group."""
    opener, key_form, value_form = Wording(settings, phrases).line()
    made_of, size = phrases.key_words, _STOCKS.get(settings.value, STOCK)
    if settings.key == "word":  # half of the names stay free for the question
        size = min(size, made_of.many // 2)

    @lru_cache(maxsize=2)
    def texts(split: str) -> tuple[list[str], list[str]]:
        of_keys = Stream(stream_key, "synthetic", "needles", split, "keys", settings.key)
        of_values = Stream(stream_key, "synthetic", "needles", split, "values", settings.value)
        values = distinct(partial(vocabulary.value, settings.value, of_values), size)
        return distinct(partial(key, settings.key, of_keys, made_of), size), values

    def columns(keys: Iterable[str], values: Iterable[str]) -> list[Pieces]:
        first = [key_form.format(key=each) for each in keys]
        second = [f"{value_form.format(value=each)}\n{opener}" for each in values]
        return [Pieces(first, tokenizers), Pieces(second, tokenizers)]

    return Lines(
        lru_cache(maxsize=2)(lambda split: columns(*texts(split))),
        lru_cache(maxsize=2)(lambda split: frozenset(chain.from_iterable(texts(split)))),
        lambda statements: columns((s.key for s in statements), (s.value for s in statements)),
        tokenizers,
        opener,
    )


@dataclass(frozen=True)
class Essay:
    """Sentences of a background corpus, as BABILong walks it: no document twice. Methods: see Lines.

    Attributes:
        sentences: sentences of the corpus.
        tokenizers: release tokenizer first.
        words: words of keys.
        shuffled: each sentence at a drawn place instead of as written.
    """

    sentences: Sentences
    tokenizers: Tokenizers
    words: KeyWords
    shuffled: bool
    opener: ClassVar[str] = ""

    def fill(self, statements: Sequence[Statement], budget: int, table: Table, draws: Draws) -> Filled:
        needles = Needle.of([s.text for s in statements], self.tokenizers)
        needed = sum(each.tokens[0] for each in needles)
        if budget <= needed:
            raise BuildError(f"needles of {needed:,} tokens leave no room for text around them in {budget:,} tokens")
        runs = self.sentences.runs(table.split, draws("background"), budget - needed)
        if not self.shuffled:
            return Filled(self.sentences.woven(runs, needles, [s.depth for s in statements]), count_units(runs), runs)
        special = Pieces([each.text.decode() for each in needles], self.tokenizers).strip(range(len(needles)))
        units = self._gathered(places(runs, draws("order")))
        slots = [slot(each.depth, len(units)) for each in statements]
        return Filled(woven(units, special, slots, self.tokenizers), len(units), runs)

    def taken(self, split: str) -> Collection[str]:
        return _book_words(self.sentences.store, split, self.words)

    def limit(self, split: str) -> int:
        return self.sentences.held(split)

    def _gathered(self, chosen: Ints) -> UnitColumns:
        def sizes(prefix: memoryview) -> Ints:
            at = np.frombuffer(prefix, dtype="<i8")
            return np.asarray(at[chosen + 1] - at[chosen], dtype=np.int64)

        store, tokens = self.sentences.store, [sizes(prefix) for prefix in self.sentences.sums]
        text, byte_at = store.text, store.byte_at
        pieces = [bytes(text[byte_at[i] : byte_at[i + 1]]) for i in chosen.tolist()]
        return UnitColumns([pieces], sizes(store.char_at), sizes(store.word_at), tokens)


@lru_cache(maxsize=4)
def _book_words(store: Background, split: str, words: KeyWords) -> frozenset[str]:
    entries = store.split(split)
    return marked((store.text[store.byte_at[entry.first] : store.byte_at[entry.last]] for entry in entries), words)


def places(runs: Sequence[Run], order: Stream) -> Ints:
    """Return the units of some runs in the order of their drawn places; a longer context keeps the order of a shorter one."""
    chosen = np.concatenate([np.arange(run.first, run.last) for run in runs])
    return np.asarray(chosen[np.argsort(order.bulk(_TIES)[chosen % _TIES], kind="stable")], dtype=np.int64)
