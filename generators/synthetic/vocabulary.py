"""What synthetic content is drawn from: words, numbers, UUIDs and filler sentences of our own, all distinct, all keyed.

The word lists are data files whose checksums stand in words/SHA256SUMS (a test holds them), so that a list never changes in silence.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from haymaker.rng import Key, Stream

POOL = 65_536  # distinct texts of a pool: what one context may draw from


@cache
def adjectives() -> tuple[str, ...]:
    """English adjectives, lower case, one word each, sorted."""
    return _lines("adjectives.txt")


@cache
def nouns() -> tuple[str, ...]:
    """English nouns, lower case, one word each, sorted; none of them an adjective of the list."""
    return _lines("nouns.txt")


def compounds(count: int, *key: Key) -> list[str]:
    """Distinct "adjective-noun" words in random order; two lists under one key share their beginning."""
    first, second = adjectives(), nouns()
    walk = Stream("synthetic", "compounds", *key).walk(len(first) * len(second))
    return [f"{first[i // len(second)]}-{second[i % len(second)]}" for i, _ in zip(walk, range(count), strict=False)]


def numbers(count: int, digits: int, *key: Key) -> list[str]:
    """Distinct numbers of so many digits, the first not 0, in random order."""
    low = 10 ** (digits - 1)
    walk = Stream("synthetic", "numbers", digits, *key).walk(9 * low)
    return [str(low + i) for i, _ in zip(walk, range(count), strict=False)]


def uuids(count: int, *key: Key) -> list[str]:
    """Distinct UUIDs of version 4 in random order."""
    bits = Stream("synthetic", "uuids", *key).bulk(2 * count).tolist()
    return [_uuid(bits[2 * i] << 64 | bits[2 * i + 1]) for i in range(count)]


def _uuid(bits: int) -> str:
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0x2 << 62  # version 4, variant 10 (RFC 9562)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _lines(name: str) -> tuple[str, ...]:
    return tuple(files(__package__).joinpath("words", name).read_text(encoding="utf-8").split())
