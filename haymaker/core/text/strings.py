"""Text comparison by words without case and accents, whole-word matching of answers, and visible control characters.

The rule is from DrQA (docs/spec/helmet.md 4): Unicode NFD, lower case, runs of letters, digits and their marks. An
alias matches if its words occur consecutively. "pol" is not in "police", "U.S." is in "the u.s. army"
(docs/defects/helmet.md D24).

Scripts without spaces between words differ from DrQA: every Han character and every kana is a word, so an alias matches
if its characters occur consecutively; full-width letters and digits equal the normal ones.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[\u0300-\u036f]")
# Control characters (C0 but tab and line feed, DEL, C1), marks and overrides of writing direction, lone surrogates.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_IS_SPACE = bytes(byte < 0x80 and chr(byte).isspace() for byte in range(256))
_WIDE_SPACES = [chr(code).encode() for code in range(0x80, 0x3001) if chr(code).isspace()]  # there are none beyond
_GROWTH = len("<U+001B>") - 1
_WIDE = re.compile("[\u3000\uff01-\uffef]+")
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_VOICED = re.compile(f"[{_KANA}][\u3099\u309a]")
SPACELESS = f"{_HAN}{_KANA}"
"""Characters of scripts without spaces between words, as content of a regex character class."""
_SPACELESS = re.compile(f"[{SPACELESS}]")
_EACH_SPACELESS = re.compile(f"([{SPACELESS}])")
_EASTERN = re.compile(f"[{SPACELESS}\u3000\uff01-\uffef]")  # characters with special handling in `folded`
_WESTERN = bytes(range(0xE3))  # UTF-8 bytes of code points below U+3000, for a fast check
PART = rf"[^\W{SPACELESS}]"
"""A letter, digit or joining mark of a script with spaces. Han and kana are excluded: each is a word by itself."""
_PART = re.compile(PART)
WORD = re.compile(rf"{PART}+|\w")
"""An unfolded word: a run of letters and digits, or one Han or kana character."""
_IDLE = frozenset({"yes", "no", "noanswer"})  # answers that occur in many texts by chance


def folded(text: str) -> str:
    """Return a text in NFD and lower case, no accents or full-width forms; Han and kana get spaces around them."""
    if text.isascii():
        return text.lower()
    said = bare(text)
    return (" ".join(_EACH_SPACELESS.split(said)) if _is_eastern(text) else said).lower()


def bare(text: str) -> str:
    """Return a text in NFD without accents and full-width forms; unlike `folded`, case and spacing are kept."""
    if not _is_eastern(text):
        return _MARKS.sub("", unicodedata.normalize("NFD", text))
    text = _MARKS.sub("", unicodedata.normalize("NFD", _WIDE.sub(_narrow, text)))
    return _VOICED.sub(lambda found: unicodedata.normalize("NFC", found.group()), text)  # a mark is part of its kana


def _is_eastern(text: str) -> bool:
    quickly = text.encode("utf-8", "surrogatepass").translate(None, _WESTERN)
    return bool(quickly) and _EASTERN.search(text) is not None


def _narrow(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found.group())


def one_line(text: str) -> str:
    """Replace each run of white space with one space and strip the text; fast for texts that are clean already."""
    is_one = text.isprintable() and "  " not in text and text == text.strip()
    return text if is_one else " ".join(text.split())


def words(text: str) -> list[str]:
    """Return the folded words of a text; each Han character and each kana is one word."""
    return _WORD.findall(folded(text))


def terms(text: str) -> list[str]:
    """Return terms for lexical search: words, plus pairs of adjacent Han or kana (single characters are too common)."""
    found = words(text)
    if text.isascii():
        return found
    alone = [bool(_SPACELESS.match(word)) for word in found]
    pairs = zip(found, found[1:], alone, alone[1:], strict=False)
    return [*found, *(first + second for first, second, *both in pairs if all(both))]


def whole_places(text: str, word: str) -> Iterator[int]:
    """Yield the offsets of a word with no letter, digit or joining mark next to it; Han and kana are allowed there."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if whole := not _PART.search(text[max(0, at - 1) : at] + text[end : end + 1]):
            yield at
        at = text.find(word, end if whole else at + 1)


def is_spaceless(text: str) -> bool:
    """Check whether a text contains characters of a script without spaces between words."""
    return _SPACELESS.search(text) is not None


def told(said: str, text: str) -> float:
    """Return the share of distinct terms of `said` that occur in `text`, 0 .. 1."""
    wanted = set(terms(said))
    return len(wanted & set(terms(text))) / max(1, len(wanted))


def length(text: str) -> int:
    """Count the words of a text, separated by white space; in scripts without spaces, each character is a word."""
    return len(" ".join(_EACH_SPACELESS.split(text)).split()) if not text.isascii() else len(text.split())


def count_words(utf8: bytes) -> int:
    """Count white-space-separated words without creating them; equals the length of `str.split`."""
    return int(words_in_each([utf8])[0])


def words_in_each(texts: Sequence[bytes]) -> npt.NDArray[np.int64]:
    """Count the words of many texts at once, as in `count_words`."""
    import numpy as np

    utf8 = b" ".join(texts)
    is_space = np.frombuffer(bytearray(b" " + utf8.translate(_IS_SPACE)), dtype=np.bool_)
    if not utf8.isascii():
        raw = np.frombuffer(b" " + utf8 + b"  ", dtype=np.uint8)
        at = np.flatnonzero(raw >= _WIDE_SPACES[0][0])
        letters = np.stack([raw[at], raw[at + 1], raw[at + 2]], axis=1).astype(np.uint32) @ (1 << 16, 1 << 8, 1)
        for space in _WIDE_SPACES:
            found = at[letters >> 8 * (3 - len(space)) == int.from_bytes(space, "big")]
            for byte in range(len(space)):
                is_space[found + byte] = True
    starts = np.flatnonzero(is_space[:-1] > is_space[1:])
    ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64) + 1)  # each with its separator
    return np.diff(np.searchsorted(starts, ends), prepend=0)


def padded(text: str) -> str:
    """Return the words of a text with a space around each: `padded(a) in padded(text)` is whole-word matching."""
    return f" {' '.join(words(text))} "


def filter_aliases(aliases: Iterable[str]) -> list[str]:
    """Return sorted, padded aliases except yes, no, single characters and empty ones (docs/defects/helmet.md D10)."""
    found = {padded(alias) for alias in aliases}
    return sorted(a for a in found if len(a.strip()) > 1 and a.strip() not in _IDLE)


def holds(padded_text: str, aliases: Iterable[str]) -> bool:
    """Check whether a padded text contains one of the padded aliases."""
    return any(alias in padded_text for alias in aliases)


def text_hash(text: str) -> int:
    """Return a 64-bit hash of the words of a text; ignores case, accents, punctuation and white space."""
    return int.from_bytes(blake2b(padded(text).encode(), digest_size=8).digest(), "little")


def visible(text: str) -> str:
    """Escape control characters (except tab and line feed), direction marks and lone surrogates as <U+001B>."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found.group()):04X}>", text)


def shown_at(text: str, positions: Iterable[int]) -> list[int]:
    """Map character positions of `text` to positions in `visible(text)`."""
    hidden = [found.start() for found in _HIDDEN.finditer(text)]
    return [at + _GROWTH * bisect_left(hidden, at) for at in positions]
