"""How the archive words things: patterns with choices, decks that deal without repeats, numbers, names that are used once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any, Generic, TypeVar

from haymaker.core.errors import CorpusError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Key, Stream
from worlds.prose.cast import place_name, place_names
from worlds.prose.morphology import fix_articles
from worlds.prose.texts import lexicon

T = TypeVar("T")
_CHOICE = re.compile(r"<([^<>]*)>")
_PLACE_FORMS = ("{}", "New {}", "Great {}", "Little {}", "Upper {}", "Nether {}", "Old {}", "East {}")


@cache
def data(name: str) -> Any:
    """A data file of this package."""
    return read_yaml(Path(__file__).with_name(name))


def fill(s: Stream, pattern: str, slots: dict[str, Any]) -> str:
    """A pattern with its choices made and its slots filled, as a sentence or a question with a capital.

    Args:
        s: decides between `<this|that>`.
        pattern: slots are `{name}` or `{name.attribute}`.
        slots: their values.
    """
    if "<" in pattern:
        pattern = _CHOICE.sub(lambda match: s.choice(match[1].split("|")), pattern)
    return capital(fix_articles(pattern.format_map(slots)))


def capital(text: str) -> str:
    """With a capital at the start."""
    return text[:1].upper() + text[1:]


class Deck(Generic[T]):
    """Deals the items of a pool in random order; none comes twice.

    Args:
        s: decides the order.
        items: the pool.
    """

    def __init__(self, s: Stream, items: Sequence[T]) -> None:
        self._left = s.shuffled(items)

    def deal(self) -> T:
        """The next item.

        Raises:
            CorpusError: none is left.
        """
        if not self._left:
            raise CorpusError("a word pool of the archive has no words left", fix="add words to its data files")
        return self._left.pop()


class Endless(Generic[T]):
    """Deals the items of a pool in random order, again and again, none twice running.

    Args:
        s: decides the order.
        items: the pool.
    """

    def __init__(self, s: Stream, items: Sequence[T]) -> None:
        self._s, self._items, self._left = s, items, list[T]()
        self._last: T | None = None

    def deal(self) -> T:
        """The next item."""
        if not self._left:
            self._left = self._s.shuffled(self._items)
            if self._left[-1] == self._last:
                self._left.reverse()
        self._last = self._left.pop()
        return self._last


def walk_code(size: int, index: int, *key: Key) -> int:
    """The index-th of 0 .. size - 1 in an order that `key` names; `size` of them are all different."""
    s = Stream(*key)
    start, step = s.below(size), s.below(size) | 1
    while gcd(step, size) > 1:
        step += 2
    return (start + index * step) % size


def fresh_places(s: Stream, taken: Sequence[str] = ()) -> Iterator[str]:
    """Invented places, each once, none of `taken`; when all are used, the same with a word before them."""
    known = set(taken)
    for form in _PLACE_FORMS:
        for code in s.walk(place_names()):
            if (name := form.format(place_name(code))) not in known:
                yield name


def surname(code: int) -> str:
    """One of the `surnames()` invented surnames."""
    words = lexicon()
    front, end = words["name.front"], words["name.surend"]
    return front[code % len(front)] + end[code // len(front) % len(end)]


def surnames() -> int:
    """How many surnames there are."""
    return len(lexicon()["name.front"]) * len(lexicon()["name.surend"])


def fresh_people(s: Stream, taken: Sequence[str] = ()) -> Iterator[str]:
    """Full names, each surname once, none of the surnames `taken`; when all are used, the same with other given names."""
    words = lexicon()
    given = words["name.man"] + words["name.woman"]
    known = set(taken)
    full: set[str] = set()
    while True:
        for code in s.walk(surnames()):
            if (name := surname(code)) not in known and (whole := f"{s.choice(given)} {name}") not in full:
                full.add(whole)
                yield whole
