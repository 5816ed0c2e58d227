r"""Keys and values of JSON objects, encoded and counted once per release; what a group takes of them
(docs/spec/synthetic.md C).

An object stands with the comma first, one pair a line:

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
from generators.synthetic.listed import Column, Units
from generators.synthetic.parts import part_of, texts_of
from generators.synthetic.vocabulary import POOL, adjectives, compounds, nouns, uuids
from haymaker.core.rng import Key, Stream
from haymaker.core.rows.source_records import Split

KeyKind = Literal["uuid", "word"]
OPEN, NEXT, CLOSE = "{", "\n,", "\n}"
_HEX = "0123456789abcdef"
_FREE = [i for i in range(36) if i not in (8, 13, 14, 18, 19, 23)]  # neither hyphen nor version nor variant of a UUID
_EDITS = 2  # digits in which a near UUID differs
_SAMPLE = 256  # pairs that the size of all is judged by


class Stock(NamedTuple):
    """What all groups of a part draw from: POOL keys and as many values, as they stand in an object."""

    part: Split
    kind: KeyKind
    tokenizers: tuple[Tokenizer, ...]
    keys: Pieces
    values: Pieces


@lru_cache(maxsize=4)
def stock(stream_key: Key, part: Split, kind: KeyKind, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """The keys and values of a part of a release."""
    if kind == "uuid":
        keys = uuids(POOL, "json", stream_key, part, "keys")
    else:
        keys = texts_of(lambda count: compounds(count, "json", stream_key, "keys"), POOL, part)
    values = uuids(POOL, "json", stream_key, part, "values")
    return Stock(
        part, kind, tokenizers, *(Pieces(texts, tokenizers) for texts in (_key_texts(keys), _value_texts(values)))
    )


def limit(kind: KeyKind, tokenizer: Tokenizer) -> int:
    """Tokens of all pairs that there are, by a sample."""
    make = uuids if kind == "uuid" else compounds
    texts = [*_key_texts(make(_SAMPLE, "limit")), *_value_texts(uuids(_SAMPLE, "limit"))]
    return sum(tokenizer.count_units(texts)) * (POOL - POOL // 50) // _SAMPLE


def _key_texts(keys: Sequence[str]) -> list[str]:
    return [f' "{key}":' for key in keys]


def _value_texts(values: Sequence[str]) -> list[str]:
    """With what opens the next pair."""
    return [f' "{value}"{NEXT}' for value in values]


class PairUnits(Units):
    """The pairs of a group by rank: the asked one, those of the demos, those with near keys, all others.

    Args:
        stock: of the part.
        shots: demos.
        near: pairs whose keys nearly equal the asked one.
        draws: purpose to draws of the group.
    """

    ending, end = NEXT, CLOSE

    def __init__(self, stock: Stock, shots: int, near: int, draws: Callable[[str], Stream]) -> None:
        lead = 1 + shots
        marks = {lead + i: ("distractor", f"near:{i}") for i in range(near)}
        super().__init__(lead + near, POOL - lead - near, {0: ("gold", "pair"), **marks})
        self._stock, self._lead, self._draws = stock, lead, (draws("keys"), draws("values"))
        found = _near(self.pair(0)[0], near, draws("near"), stock) if near else []
        self._near = Pieces(found, stock.tokenizers)

    def pair(self, rank: int) -> tuple[str, str]:
        """Key and value of the asked pair (0) or a demo."""
        key, value = (distinct(draws, rank + 1, POOL)[rank] for draws in self._draws)
        return self._stock.keys.texts[key][2:-2], self._stock.values.texts[value][2 : -1 - len(NEXT)]

    def columns(self, count: int) -> list[Column]:
        """See Units; near keys are not of the stock, their values are."""
        keys = distinct(self._draws[0], self._lead + count, POOL)
        values = distinct(self._draws[1], self.fixed + count, POOL)
        near, have = np.arange(len(self._near)), self._stock
        return [
            [(have.keys, keys[: self._lead]), (self._near, near), (have.keys, keys[self._lead :])],
            [(have.values, values)],
        ]


def _near(gold: str, count: int, draws: Stream, have: Stock) -> list[str]:
    """Keys that nearly equal the asked one, as they stand in an object; none of the stock, none twice."""
    found: dict[str, None] = {}
    taken = set(have.keys.texts)
    while len(found) < count:
        key = _other_uuid(gold, draws) if have.kind == "uuid" else _other_word(gold, draws, noun=len(found) % 2 == 1)
        [text] = _key_texts([key])
        if text not in taken and (have.kind == "uuid" or part_of(key) == have.part):
            found[text] = None
    return list(found)


def _other_uuid(gold: str, draws: Stream) -> str:
    """A UUID that differs in two digits."""
    digits = list(gold)
    for at in draws.sample(_FREE, _EDITS):
        digits[at] = draws.choice([digit for digit in _HEX if digit != digits[at]])
    return "".join(digits)


def _other_word(gold: str, draws: Stream, *, noun: bool) -> str:
    """A compound with another noun or another adjective."""
    first, second = gold.split("-")
    return f"{first}-{draws.choice(nouns())}" if noun else f"{draws.choice(adjectives())}-{second}"
