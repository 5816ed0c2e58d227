"""Comparing texts: words without case and accents, and whether a text holds an answer as whole words.

The rule is DrQA's (docs/spec/helmet.md 4): Unicode NFD, lower case, runs of letters, digits and their marks; an alias
occurs where its words follow one another. "pol" is not in "police", "U.S." is in "the u.s. army" (docs/defects/helmet.md D24).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b

_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[\u0300-\u036f]")
_IDLE = frozenset({"yes", "no", "noanswer"})  # answers that any text may hold


def folded(text: str) -> str:
    """A text as its words are read: NFD, lower case, accents off."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFD", text))
    return text.lower()


def words(text: str) -> list[str]:
    """The words of a text, folded."""
    return _WORD.findall(folded(text))


def padded(text: str) -> str:
    """The words of a text with one space around each: `padded(alias) in padded(text)` says that the text holds the alias."""
    return f" {' '.join(words(text))} "


def filter_aliases(aliases: Iterable[str]) -> list[str]:
    """Padded aliases that can be looked for, sorted: without yes and no, single characters, and what has no words
    (docs/defects/helmet.md D10).
    """
    found = {padded(alias) for alias in aliases}
    return sorted(a for a in found if len(a.strip()) > 1 and a.strip() not in _IDLE)


def holds(padded_text: str, aliases: Iterable[str]) -> bool:
    """Whether a padded text holds one of the padded aliases."""
    return any(alias in padded_text for alias in aliases)


def text_hash(text: str) -> int:
    """64-bit hash of the words of a text: equal for texts that differ in case, accents, punctuation or white space alone."""
    return int.from_bytes(blake2b(padded(text).encode(), digest_size=8).digest(), "little")
