"""Words, numbers, UUIDs and filler sentences of synthetic tasks, all drawn by key.

A test compares the word lists with words/SHA256SUMS, because a changed list changes rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Key, Stream

_WORDS = Path(__file__).with_name("words")
POOL = 65_536  # different texts that one context may draw from


# English, lower case, one word each, sorted; no word is in both lists
ADJECTIVES, NOUNS = (tuple((_WORDS / f"{kind}.txt").read_text("utf-8").split()) for kind in ("adjectives", "nouns"))


def compounds(count: int, *key: Key) -> list[str]:
    """Return different "adjective-noun" words in random order; a longer list starts with the shorter one."""
    walk = Stream("synthetic", "compounds", *key).walk(len(ADJECTIVES) * len(NOUNS))
    return [f"{ADJECTIVES[i // len(NOUNS)]}-{NOUNS[i % len(NOUNS)]}" for i in islice(walk, count)]


def uuids(count: int, *key: Key) -> list[str]:
    """Return different UUIDs of version 4 in random order."""
    bits = Stream("synthetic", "uuids", *key).bulk(2 * count).tolist()
    return [_uuid(bits[2 * i] << 64 | bits[2 * i + 1]) for i in range(count)]


def runs(digits: int, stream: Stream) -> str:
    """Return a number with repeated digits: half of them drawn, then copies next to drawn ones (docs/spec/synthetic.md D)."""
    out = [str(stream.below(10)) for _ in range(digits - digits // 2)]
    for _ in range(digits // 2):
        at = stream.below(len(out))
        out.insert(at, out[at])
    return "".join(out)


def value(kind: str, stream: Stream) -> str:
    """Return a random value: "number" of seven digits, "uuid", five "digits" (the first may be 0), or ten digits in "runs"."""
    if kind == "uuid":
        return _uuid(stream.word() << 64 | stream.word())
    if kind == "runs":
        return runs(10, stream)
    return str(stream.between(1_000_000, 9_999_999)) if kind == "number" else f"{stream.below(100_000):05d}"


@dataclass(frozen=True, slots=True)
class KeyWords:
    """Words of keys: a name is one word of each list, with `joined` between them."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    joined: str

    @property
    def many(self) -> int:
        """Number of possible names."""
        return len(self.first) * len(self.second)

    def draw(self, stream: Stream) -> str:
        """Return a random name."""
        return f"{stream.choice(self.first)}{self.joined}{stream.choice(self.second)}"

    def near(self, name: str, stream: Stream) -> str:
        """Return a name that shares a word with another."""
        begun = (each + self.joined for each in self.first if name.startswith(each + self.joined))
        front = next(each for each in begun if name[len(each) :] in self.second)
        if stream.below(2):
            return f"{front}{stream.choice(self.second)}"
        return f"{stream.choice(self.first)}{self.joined}{name[len(front) :]}"

    @property
    def pattern(self) -> str:
        """Regular expression that finds every possible name, including overlapping ones."""
        one, two = ("|".join(map(re.escape, sorted(words))) for words in (self.first, self.second))
        return rf"(?=((?:{one}){re.escape(self.joined)}(?:{two})))"


@dataclass(frozen=True, slots=True)
class Grammar:
    """Grammar of filler sentences.

    Attributes:
        frames: kinds of frames, each as often as its share; each frame split into texts and {lists}.
        lists: "{name}" -> words.
    """

    frames: Sequence[Sequence[Sequence[str]]]
    lists: Mapping[str, Sequence[str]]

    @property
    def least(self) -> int:
        """Fewest possible sentences; a number counts as a hundred thousand."""
        sizes = {**{name: len(words) for name, words in self.lists.items()}, "{number}": 100_000}
        forms = {tuple(form) for kind in self.frames for form in kind}
        return sum(prod(sizes[piece] for piece in set(form[1::2])) for form in forms)

    @staticmethod
    def of(kinds: Mapping[str, Mapping[str, Any]], lists: Mapping[str, Sequence[str]], joined: str = "-") -> Grammar:
        """Return the grammar of the frames and lists of a file; {key} is a name of {first} and {second}."""
        name = f"{{first}}{joined}{{second}}"
        every = [kind for kind in kinds.values() for _ in range(kind["share"])]
        frames = [[re.split(r"(\{\w+\})", form.replace("{key}", name)) for form in kind["forms"]] for kind in every]
        return Grammar(frames, {f"{{{name}}}": words for name, words in lists.items()})


def noise(count: int, *key: Key, grammar: Grammar | None = None) -> list[str]:
    """Return different filler sentences of similar length; a longer list starts with the shorter one.

    A quarter of them contains a number of 5, 7 or 10 digits, some twice, and a third contains a rare word, so none of these gives
    a needle away (differs from the references, which repeat one line: docs/defects/synthetic.md A5 #9).
    """
    found: dict[str, None] = {}
    grammar, stream = grammar or _english(), Stream("synthetic", "noise", *key)
    while len(found) < count:
        found[_sentence(grammar, stream)] = None
    return list(found)


def _sentence(grammar: Grammar, stream: Stream) -> str:
    number, lists = value(stream.choice(("digits", "number", "runs")), stream), grammar.lists
    text = "".join(
        number if piece == "{number}" else stream.choice(lists[piece]) if piece in lists else piece
        for piece in stream.choice(stream.choice(grammar.frames))
    )
    return text[0].upper() + text[1:]


@cache
def _english() -> Grammar:
    read = read_yaml(_WORDS / "noise.yaml")
    return Grammar.of(read.pop("frames"), {"adjective": ADJECTIVES, "noun": NOUNS, **read})


def _uuid(bits: int) -> str:
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0x2 << 62  # version 4, variant 10 (RFC 9562)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


ENGLISH = KeyWords(ADJECTIVES, NOUNS, "-")
