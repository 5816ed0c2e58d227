r"""Keys and values of JSON objects, encoded and counted once per release, and the pairs of a group (docs/spec/synthetic.md C).

An object has one pair per line, with the comma first:

    { "key": "value"
    , "key": "value"
    }

so that key and value each begin with a space: a pair is two pieces, ` "key":` and ` "value"\n,`, and any key goes with any value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from corpora.tokenizers.tokenizer import Tokenizer
from generators.context.pieces import Pieces
from generators.context.ranked import distinct
from generators.generated.listed import Column, ListUnits
from generators.generated.splits import split_of, texts_of
from generators.generated.vocabulary import ADJECTIVES, NOUNS, POOL, compounds, uuids
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

KeyKind = Literal["uuid", "word"]
OPEN, NEXT, CLOSE = "{", "\n,", "\n}"
_HEX = "0123456789abcdef"
_FREE = [i for i in range(36) if i not in (8, 13, 14, 18, 19, 23)]  # neither hyphen nor version nor variant of a UUID
_EDITS = 2  # digits in which a near UUID differs
_SAMPLE = 256  # pairs in the estimate of the size of all pairs


class Stock(NamedTuple):
    """POOL keys and as many values for all groups of a split, as they are written in an object."""

    split: Split
    kind: KeyKind
    tokenizers: tuple[Tokenizer, ...]
    keys: Pieces
    values: Pieces


@lru_cache(maxsize=4)
def stock(stream_key: Key, split: Split, kind: KeyKind, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """Return the keys and values of a split of a release."""
    if kind == "uuid":
        keys = uuids(POOL, "json", stream_key, split, "keys")
    else:
        keys = texts_of(lambda count: compounds(count, "json", stream_key, "keys"), POOL, split)
    values = uuids(POOL, "json", stream_key, split, "values")
    return Stock(split, kind, tokenizers, *(Pieces(each, tokenizers) for each in _texts(keys, values)))


def limit(kind: KeyKind, tokenizer: Tokenizer) -> int:
    """Return the tokens of all pairs, estimated from a sample."""
    make = uuids if kind == "uuid" else compounds
    keys, values = _texts(make(_SAMPLE, "limit"), uuids(_SAMPLE, "limit"))
    return sum(tokenizer.count_units([*keys, *values])) * (POOL - POOL // 50) // _SAMPLE


def _texts(keys: Sequence[str], values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return keys and values as they are written; values with the opening of the next pair."""
    return [f' "{key}":' for key in keys], [f' "{value}"{NEXT}' for value in values]


class PairUnits:
    """The pairs of a group by rank: the requested one, `shots` pairs of examples, `near` pairs with near keys, all others.

    `draws` returns the random stream of the group for a purpose.
    """

    def __init__(self, stock: Stock, shots: int, near: int, draws: Callable[[str], Stream]) -> None:
        self._stock, self._lead, self._draws = stock, 1 + shots, (draws("keys"), draws("values"))
        self._near = Pieces(_near(self.pair(0)[0], near, draws("near"), stock) if near else [], stock.tokenizers)
        self._fixed = self._lead + near

    def units(self) -> ListUnits:
        """Return the pairs as units."""
        near = {self._lead + i: ("distractor", f"near:{i}") for i in range(len(self._near))}
        return ListUnits(self._columns, self._fixed, POOL - self._fixed, {0: ("gold", "pair"), **near}, NEXT, CLOSE)

    def pair(self, rank: int) -> tuple[str, str]:
        """Return key and value of the requested pair (0) or of an example."""
        key, value = (distinct(draws, rank + 1, POOL)[rank] for draws in self._draws)
        return self._stock.keys.texts[key][2:-2], self._stock.values.texts[value][2 : -1 - len(NEXT)]

    def _columns(self, count: int) -> list[Column]:
        """Near keys are not from the stock, their values are."""
        keys = distinct(self._draws[0], self._lead + count, POOL)
        values = distinct(self._draws[1], self._fixed + count, POOL)
        near, have = (self._near, np.arange(len(self._near))), self._stock
        return [[(have.keys, keys[: self._lead]), near, (have.keys, keys[self._lead :])], [(have.values, values)]]


def _near(gold: str, count: int, draws: Stream, have: Stock) -> list[str]:
    """Return distinct keys that nearly equal the requested one, none of the stock, as they are written in an object."""
    found: dict[str, None] = {}
    taken = set(have.keys.texts)
    while len(found) < count:
        key = _other_uuid(gold, draws) if have.kind == "uuid" else _other_word(gold, draws, noun=len(found) % 2 == 1)
        [text], _ = _texts([key], [])
        if text not in taken and (have.kind == "uuid" or split_of(key) == have.split):
            found[text] = None
    return list(found)


def _other_uuid(gold: str, draws: Stream) -> str:
    digits = list(gold)
    for at in draws.sample(_FREE, _EDITS):
        digits[at] = draws.choice([digit for digit in _HEX if digit != digits[at]])
    return "".join(digits)


def _other_word(gold: str, draws: Stream, *, noun: bool) -> str:
    first, second = gold.split("-")
    return f"{first}-{draws.choice(NOUNS)}" if noun else f"{draws.choice(ADJECTIVES)}-{second}"
