"""Random choices of the narrator: bits cut from few draws, and alternatives and words dealt like cards.

Of a few cards, none comes again before all others have come; of many, a card that was dealt goes back into the lower half of its
deck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import compress
from operator import or_
from typing import Protocol

from .texts import Guard

_MANY = 6  # cards
_LOW = 1 << 20  # below this the leftover bits are too few for a fair pick: no list has more than some hundred items


class Entropy(Protocol):
    """State of the teller that a choice needs: random bits, the cards not yet dealt, and the state of things.

    Attributes:
        pattern: the rule written last, and which of its alternatives.
        words_before: the last words that were dealt from fields.
    """

    bits: int
    decks: dict[int, list[int]]
    pattern: tuple[int, int]
    words_before: tuple[str, ...]

    def word(self) -> int:
        """64 new random bits."""
        ...

    def tags(self) -> int:
        """Return the present conditions as a mask."""
        ...


def pick(c: Entropy, n: int) -> int:
    """An index in [0, n): several are cut from one 64-bit draw, the bias is below n / 2**20."""
    bits = c.bits
    if bits < _LOW:
        bits = c.word()
    c.bits, i = divmod(bits, n)
    return i


def deal(c: Entropy, key: int, n: int, many: int = _MANY) -> int:
    """The next card of n: an index in [0, n); of `many` or more, never the one dealt before."""
    deck = c.decks.get(key)
    if not deck:
        deck = c.decks[key] = _full(c, n)
    card = deck.pop()
    if n >= many:
        deck.insert(pick(c, (n + 1) // 2), card)
    return card


def _full(c: Entropy, n: int) -> list[int]:
    deck, bits = list(range(n)), c.bits
    for i in range(n - 1, 0, -1):  # pick(c, i + 1), written out: it is called for every card
        if bits < _LOW:
            bits = c.word()
        bits, j = divmod(bits, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    c.bits = bits
    return deck


def _holds(guard: Guard, tags: int) -> bool:
    wanted, barred = guard
    return not tags & barred and all(tags & group for group in wanted)


def fitting(guards: Sequence[Guard]) -> Callable[[int], bytes]:
    """Of some tags, whether each guard holds: found once for all tags that no guard tells apart."""
    asked = 0
    for wanted, barred in guards:
        asked |= reduce(or_, wanted, barred)
    known: dict[int, bytes] = {}

    def holds(tags: int) -> bytes:
        told = tags & asked
        if told not in known:
            known[told] = bytes(_holds(guard, told) for guard in guards)
        return known[told]

    return holds


def deal_fit(c: Entropy, key: int, holds: Callable[[int], bytes]) -> int:
    """The next card whose guard holds now; it goes back below half of the others that do.

    Raises:
        LookupError: there is none.
    """
    fits, deck = holds(c.tags()), c.decks.get(key)
    if not deck:
        deck = c.decks[key] = _full(c, len(fits))
    places = list(compress(range(len(fits)), map(fits.__getitem__, deck)))
    if not places:
        raise LookupError(key)
    card = deck.pop(places[-1])
    deck.insert(places[pick(c, (len(places) + 1) // 2)], card)
    return card
