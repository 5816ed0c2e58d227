"""What synthetic content is drawn from: words, numbers, UUIDs and filler sentences of our own, all distinct, all keyed.

The word lists are data files whose checksums stand in words/SHA256SUMS (a test holds them), so that a list never changes in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Key, Stream

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


@dataclass(frozen=True, slots=True)
class KeyWords:
    """What names are made of: one word of each list, joined.

    Attributes:
        first, second: words.
        joined: between them.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    joined: str

    @property
    def many(self) -> int:
        """Names that can be made."""
        return len(self.first) * len(self.second)

    def draw(self, stream: Stream) -> str:
        """A random name."""
        return f"{stream.choice(self.first)}{self.joined}{stream.choice(self.second)}"

    def near(self, name: str, stream: Stream) -> str:
        """A name that shares a word with another."""
        front, back = self._parts(name)
        if stream.below(2):
            return f"{front}{self.joined}{stream.choice(self.second)}"
        return f"{stream.choice(self.first)}{self.joined}{back}"

    def _parts(self, name: str) -> tuple[str, str]:
        begun = (each for each in self.first if name.startswith(each + self.joined))
        front = next(each for each in begun if name[len(each + self.joined) :] in self.second)
        return front, name[len(front + self.joined) :]

    @property
    def pattern(self) -> str:
        """A regular expression that finds every name that can be made, also where one begins inside another."""
        one, two = ("|".join(map(re.escape, sorted(words))) for words in (self.first, self.second))
        return rf"(?=((?:{one}){re.escape(self.joined)}(?:{two})))"


@dataclass(frozen=True, slots=True)
class Grammar:
    """How filler sentences are made.

    Attributes:
        frames: kinds of frames, each as often as its share; each frame cut into words and {lists}.
        lists: "{name}" -> words.
    """

    frames: Sequence[Sequence[Sequence[str]]]
    lists: Mapping[str, Sequence[str]]

    @property
    def least(self) -> int:
        """Sentences that can be made at least: numbers counted as a hundred thousand, in each form once."""
        forms = {tuple(form) for kind in self.frames for form in kind}
        return sum(prod(_many(self.lists, piece) for piece in set(form[1::2])) for form in forms)

    @staticmethod
    def of(kinds: Mapping[str, Mapping[str, Any]], lists: Mapping[str, Sequence[str]], joined: str = "-") -> Grammar:
        """From frames and lists as files have them; {key} is a name of {first} and {second}."""
        name = f"{{first}}{joined}{{second}}"
        every = [kind for kind in kinds.values() for _ in range(kind["share"])]
        frames = [[re.split(r"(\{\w+\})", form.replace("{key}", name)) for form in kind["forms"]] for kind in every]
        return Grammar(frames, {f"{{{name}}}": words for name, words in lists.items()})


def _many(lists: Mapping[str, Sequence[str]], piece: str) -> int:
    return 100_000 if piece == "{number}" else len(lists[piece])


def noise(count: int, *key: Key, grammar: Grammar | None = None) -> list[str]:
    """Distinct filler sentences of similar length; two lists under one key share their beginning.

    A quarter of them says numbers of 5, 7 or 10 digits, some twice, and a third has a rare word: neither a digit, nor a
    repetition, nor a rare word gives a needle among them away (differs from the references, which repeat one line:
    docs/defects/synthetic.md A5 #9). Each frame makes hundreds of thousands.
    """
    found: dict[str, None] = {}
    sentences = _sentences(grammar or _english(), *key)
    while len(found) < count:
        found[next(sentences)] = None
    return list(found)


def _sentences(grammar: Grammar, *key: Key) -> Iterator[str]:
    frames, lists = grammar.frames, grammar.lists
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
def _english() -> Grammar:
    read = read_yaml(_WORDS / "noise.yaml")
    return Grammar.of(read.pop("frames"), {"adjective": adjectives(), "noun": nouns(), **read})


def uuid(stream: Stream) -> str:
    """A UUID of version 4 from two draws."""
    return _uuid(stream.word() << 64 | stream.word())


def _uuid(bits: int) -> str:
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0x2 << 62  # version 4, variant 10 (RFC 9562)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _lines(name: str) -> tuple[str, ...]:
    return tuple((_WORDS / name).read_text(encoding="utf-8").split())


ENGLISH = KeyWords(adjectives(), nouns(), "-")
"""Adjective and noun."""
