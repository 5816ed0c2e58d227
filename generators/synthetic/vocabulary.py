"""What synthetic content is drawn from: words, numbers, UUIDs and filler sentences of our own, all distinct, all keyed.

The word lists are data files whose checksums stand in words/SHA256SUMS (a test holds them), so that a list never changes in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from haymaker.rng import Key, Stream
from haymaker.yaml_file import read_yaml

_WORDS = Path(__file__).with_name("words")
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


def uuids(count: int, *key: Key) -> list[str]:
    """Distinct UUIDs of version 4 in random order."""
    bits = Stream("synthetic", "uuids", *key).bulk(2 * count).tolist()
    return [_uuid(bits[2 * i] << 64 | bits[2 * i + 1]) for i in range(count)]


def runs(digits: int, stream: Stream) -> str:
    """A number with repeated digits: half of its digits drawn, then copies of drawn ones beside them (number_string,
    docs/spec/synthetic.md D).
    """
    out = [str(stream.below(10)) for _ in range(digits - digits // 2)]
    for _ in range(digits // 2):
        at = stream.below(len(out))
        out.insert(at, out[at])
    return "".join(out)


def noise(count: int, *key: Key) -> list[str]:
    """Distinct filler sentences of similar length; two lists under one key share their beginning.

    A quarter of them says numbers of 5, 7 or 10 digits, some twice, and a third has a rare word: neither a digit, nor a
    repetition, nor a rare word gives a needle among them away (differs from the references, which repeat one line:
    docs/defects/synthetic.md A5 #9). Each frame makes hundreds of thousands.
    """
    found: dict[str, None] = {}
    sentences = _sentences(*key)
    while len(found) < count:
        found[next(sentences)] = None
    return list(found)


def _sentences(*key: Key) -> Iterator[str]:
    frames, lists = _grammar()
    stream = Stream("synthetic", "noise", *key)
    while True:
        number = _harmless(stream)
        text = "".join(
            number if piece == "{number}" else stream.choice(lists[piece]) if piece in lists else piece
            for piece in stream.choice(stream.choice(frames))
        )
        yield text[0].upper() + text[1:]


def _harmless(stream: Stream) -> str:
    digits = stream.choice((5, 7, 10))
    if digits == 10:
        return runs(10, stream)
    return f"{stream.below(100_000):05d}" if digits == 5 else str(stream.between(1_000_000, 9_999_999))


@cache
def _grammar() -> tuple[list[list[list[str]]], dict[str, Sequence[str]]]:
    """Kinds of frames, each as often as its share, each frame cut into words and {lists}; and the lists."""
    read = read_yaml(_WORDS / "noise.yaml")
    kinds = [kind for kind in read.pop("frames").values() for _ in range(kind["share"])]
    frames = [[re.split(r"(\{\w+\})", form) for form in kind["forms"]] for kind in kinds]
    lists = {"adjective": adjectives(), "noun": nouns(), **read}
    return frames, {f"{{{name}}}": words for name, words in lists.items()}


def uuid(stream: Stream) -> str:
    """A UUID of version 4 from two draws."""
    return _uuid(stream.word() << 64 | stream.word())


def _uuid(bits: int) -> str:
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0x2 << 62  # version 4, variant 10 (RFC 9562)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _lines(name: str) -> tuple[str, ...]:
    return tuple((_WORDS / name).read_text(encoding="utf-8").split())
