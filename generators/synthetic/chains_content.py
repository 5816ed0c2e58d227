"""Chains of variables (names, values, statements), and the filler sentences around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Ints, Pieces
from generators.generated.splits import split_of, texts_of
from generators.generated.vocabulary import noise
from generators.synthetic.counting_stock import BLOCK, Stock
from generators.synthetic.needles_content import Draws, Statement
from generators.synthetic.phrases import Phrases
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

LOW, HIGH = 10_000, 99_998  # values (docs/spec/synthetic.md A3)
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no name is a word
_LENGTH = 5
_FILLER = 1 << 20  # sentences of a stock, about 17 million tokens; more are possible
_NUMBER = re.compile(r"(?<!\d)\d{5}(?!\d)")


@dataclass(frozen=True, slots=True)
class Chain:
    """Variables that hold one value.

    Attributes:
        value: the number.
        names: in the order in which they are set.
        depths: of their statements, ascending, each in [0, 1).
    """

    value: int
    names: tuple[str, ...]
    depths: tuple[float, ...]

    def statements(self, form: str) -> Iterator[str]:
        """One sentence per variable: a {name}, and the {value} that it is set to."""
        for name, held in zip(self.names, (str(self.value), *self.names), strict=False):
            yield form.format(name=name, value=held)


def statements(chains: Sequence[Chain], form: str) -> list[Statement]:
    """Return all sentences in order of depth, keyed by variable; the question is about the first chain."""
    found = [
        Statement(text, name, str(chain.value), "distractor" if i else "gold", depth)
        for i, chain in enumerate(chains)
        for text, name, depth in zip(chain.statements(form), chain.names, chain.depths, strict=True)
    ]
    return sorted(found, key=lambda statement: statement.depth)  # stable


def apart(places: Sequence[int], most: int) -> list[int]:
    """Return different places, 0 to `most`, as near as possible to some ascending ones; without room for that, the same places."""
    if len(places) > most + 1:
        return list(places)
    found = list(accumulate(places, lambda before, place: max(place, before + 1)))
    return [min(place, most - after) for place, after in zip(found, reversed(range(len(found))), strict=True)]


def variables(draws: Stream, split: Split) -> Iterator[str]:
    """Yield different names of a split in random order."""
    for number in draws.walk(len(_LETTERS) ** _LENGTH):
        name = "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(_LENGTH))
        if split_of(name) == split:
            yield name


def values(draws: Draws, split: Split, near: int) -> Iterator[int]:
    """Yield different values of a split in random order; the second to `near` + 1st, of any split, differ from the first in one digit."""
    walk = (LOW + i for i in draws("values").walk(HIGH - LOW + 1))
    found = (value for value in walk if split_of(str(value)) == split)
    first = [next(found)]
    first += draws("near").shuffled(one_digit_off(first[0]))[:near]
    yield from first
    yield from (value for value in found if value not in first)


def one_digit_off(value: int) -> list[int]:
    """Return all values that differ from this one in one digit."""
    shown = str(value)
    changed = {int(shown[:i] + digit + shown[i + 1 :]) for i in range(len(shown)) for digit in "0123456789"}
    return sorted(other for other in changed - {value} if LOW <= other <= HIGH)


@lru_cache(maxsize=3)
def filler(stream_key: Key, split: Split, tokenizers: tuple[Tokenizer, ...], phrases: Phrases) -> Stock:
    """Return the filler sentences of a split, one stock for all entries: a million tokens take two seconds to make and count."""
    grammar = phrases.filler()

    def make(count: int) -> list[str]:
        return noise(count, stream_key, "vt", grammar=grammar)

    # a grammar with few sentences is used up to an eighth of the sentences of a split
    most = _FILLER if grammar is None else min(_FILLER, max(1, grammar.least // 24 // BLOCK) * BLOCK)
    return Stock(lambda count: texts_of(make, count, split), most, tokenizers)


@lru_cache(maxsize=3)
def five_digits(pieces: Pieces) -> Ints:
    """Return the number of five digits in each text; 0 if it has none."""
    found = map(_NUMBER.search, pieces.texts)
    return np.fromiter((int(each[0]) if each else 0 for each in found), dtype=np.int64)
