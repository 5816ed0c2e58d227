r"""Keys and values of JSON objects, encoded and counted once per release; what a group takes of them (spec/synthetic.md C1).

An object stands with the comma first, one pair a line:

    { "key": "value"
    , "key": "value"
    }

so that key and value each begin with a space: a pair is two pieces, ` "key":` and ` "value"\n,`, and any key goes with any value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from corpora.records import Part
from corpora.tokenizer import Tokenizer
from generators.pieces import Pieces, Strip
from generators.synthetic.parts import own, part_of
from generators.synthetic.ranked import distinct
from generators.synthetic.vocabulary import POOL, adjectives, compounds, nouns, uuids
from haymaker.rng import Stream

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

KeyKind = Literal["uuid", "word"]
OPEN, NEXT, CLOSE = "{", "\n,", "\n}"
_HEX = "0123456789abcdef"
_FREE = [i for i in range(36) if i not in (8, 13, 14, 18, 19, 23)]  # neither hyphen nor version nor variant of a UUID
_EDITS = 2  # digits in which a near UUID differs


@dataclass(frozen=True, slots=True)
class Stock:
    """What all groups of a part draw from: POOL keys and as many values.

    Attributes:
        part: that they are for.
        kind: of keys.
        keys, values: texts.
        key_pieces, value_pieces: the same as they stand in an object.
    """

    part: Part
    kind: KeyKind
    keys: list[str]
    values: list[str]
    key_pieces: Pieces
    value_pieces: Pieces


@lru_cache(maxsize=4)
def stock(seed: int, part: Part, kind: KeyKind, tokenizers: tuple[Tokenizer, ...]) -> Stock:
    """The keys and values of a part of a release."""
    named = ("json", seed, part)
    if kind == "uuid":
        keys = uuids(POOL, *named, "keys")
    else:
        keys = own(lambda count: compounds(count, "json", seed, "keys"), POOL, part)
    values = uuids(POOL, *named, "values")
    return Stock(part, kind, keys, values, Pieces(key_texts(keys), tokenizers), Pieces(value_texts(values), tokenizers))


def key_texts(keys: Sequence[str]) -> list[str]:
    """Keys as they stand in an object."""
    return [f' "{key}":' for key in keys]


def value_texts(values: Sequence[str]) -> list[str]:
    """Values as they stand in an object, with what opens the next pair."""
    return [f' "{value}"{NEXT}' for value in values]


@dataclass(frozen=True, slots=True)
class Material:
    """The pairs of a group by rank: the asked one, those of the demos, those with near keys, all others.

    Attributes:
        stock: of the part.
        keys, values: draws of the stock's keys and values.
        shots: demos.
        near: keys that nearly equal the asked one.
        near_pieces: the same as they stand in an object.
    """

    stock: Stock
    keys: Stream
    values: Stream
    shots: int
    near: list[str]
    near_pieces: Pieces

    @property
    def fixed(self) -> int:
        """Pairs that stand in every context: asked, demos, near."""
        return 1 + self.shots + len(self.near)

    @property
    def most(self) -> int:
        """Other pairs that there are."""
        return POOL - self.fixed

    def pair(self, rank: int) -> tuple[str, str]:
        """Key and value of the asked pair (0) or a demo."""
        key, value = (distinct(draws, rank + 1, POOL)[rank] for draws in (self.keys, self.values))
        return self.stock.keys[key], self.stock.values[value]

    def sizes(self, count: int) -> Ints:
        """Release tokens of the first `count` other pairs."""
        keys, values = self._drawn(count)
        return self.stock.key_pieces.tokens(keys[1 + self.shots :]) + self.stock.value_pieces.tokens(
            values[self.fixed :]
        )

    def strip(self, count: int) -> Strip:
        """All fixed pairs and the first `count` others, by rank."""
        keys, values = self._drawn(count)
        own, have = 1 + self.shots, self.stock
        near = self.near_pieces.strip(range(len(self.near)))
        left = have.key_pieces.strip(keys[:own]) + near + have.key_pieces.strip(keys[own:])
        return left.beside(have.value_pieces.strip(values))

    def _drawn(self, count: int) -> tuple[Ints, Ints]:
        """(keys of the stock without near ones, values) of all fixed pairs and the first `count` others."""
        keys = distinct(self.keys, 1 + self.shots + count, POOL)
        return keys, distinct(self.values, self.fixed + count, POOL)


def material(
    have: Stock, shots: int, near: int, draws: Mapping[str, Stream], tokenizers: Sequence[Tokenizer]
) -> Material:
    """The pairs of a group.

    Args:
        have: the part's stock.
        shots: demos.
        near: pairs with a near key.
        draws: of "keys", "values" and "near" keys.
        tokenizers: release tokenizer first.
    """
    found: list[str] = []
    if near:
        make = _near_uuids if have.kind == "uuid" else _near_words
        found = make(have.keys[distinct(draws["keys"], 1, POOL)[0]], near, draws["near"], have)
    return Material(have, draws["keys"], draws["values"], shots, found, Pieces(key_texts(found), tokenizers))


def _near_uuids(asked: str, count: int, draws: Stream, have: Stock) -> list[str]:
    """UUIDs that differ from the asked one in two digits, none of the stock, none twice."""
    found: list[str] = []
    taken = set(have.keys)
    while len(found) < count:
        digits = list(asked)
        for at in draws.sample(_FREE, _EDITS):
            digits[at] = draws.choice([digit for digit in _HEX if digit != digits[at]])
        if (key := "".join(digits)) not in taken:
            taken.add(key)
            found.append(key)
    return found


def _near_words(asked: str, count: int, draws: Stream, have: Stock) -> list[str]:
    """Compounds of the part with the asked one's adjective or its noun, none of the stock, none twice."""
    adjective, noun = asked.split("-")
    found: list[str] = []
    taken = set(have.keys)
    while len(found) < count:
        key = f"{adjective}-{draws.choice(nouns())}" if len(found) % 2 else f"{draws.choice(adjectives())}-{noun}"
        if part_of(key) == have.part and key not in taken:
            taken.add(key)
            found.append(key)
    return found
