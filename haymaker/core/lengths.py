"""Length names and their sizes in tokens.

k = 1,024 and "1M" = 1,000,000, so that a 1M row fits common million-token context windows. Not token counts:
"0k" (no background), "natural" (the text's own length), and the three word ranges of LongBench-E.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from haymaker.core.errors import ParamsError

_NAME = re.compile(r"(?P<number>[1-9][0-9]{0,4})(?P<unit>[kM])")
_UNIT_TOKENS = {"k": 1024, "M": 1_000_000}
MAX_LENGTH_TOKENS = 10_000_000
NO_BACKGROUND = "0k"
NATURAL = "natural"
WORD_RANGES: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {"0-4k": (0, 4000), "4-8k": (4000, 8000), "8k+": (8000, None)}
)
"""Word ranges (LongBench-E, question, context and answers together): first word count, and one past the last."""
_TYPICAL_TOKENS = {
    NO_BACKGROUND: 450,
    NATURAL: 12_000,
    "0-4k": 4_000,
    "4-8k": 8_500,
    "8k+": 16_000,
}  # approximate tokens of a row
_NAMED = tuple(_TYPICAL_TOKENS)
BYTES_PER_TOKEN = 4.4  # English prose; for estimates and for cutting tables into files, never for counting
USUAL = ("10M", "4M", "2M", "1M", "512k", "256k", "128k", "64k", "32k", "16k", "8k", "4k", "2k", "1k")  # longest first
MIN_FILL = 0.995  # share of the length used by every row with background (docs/decisions/0002-fill.md)


@lru_cache(maxsize=256)  # called several times per row
def length_tokens(name: str, *, where: str = "") -> int | None:
    """Return the tokens of a length name, or None for names without a token count: 0k, natural, word ranges.

    Raises:
        ParamsError: the name is not a whole number followed by k or M, or is above 10M tokens.
    """
    if name == NO_BACKGROUND or is_natural(name):
        return None
    match = _NAME.fullmatch(name)
    if not match:
        raise ParamsError(
            f"{name!r} is not a length",
            where=where,
            fix="write a whole number followed by k or M: 0k, 4k, 128k, 1M; or natural, 0-4k, 4-8k, 8k+",
        )
    tokens = int(match["number"]) * _UNIT_TOKENS[match["unit"]]
    if tokens > MAX_LENGTH_TOKENS:
        raise ParamsError(f"length {name!r} is above 10M tokens", where=where, fix="use 10M or less")
    return tokens


def longest_length(tokens: int) -> str:
    """Return the longest usual length name of at most `tokens` tokens, or "0k" if there is none."""
    return next((name for name in USUAL if (length_tokens(name) or 0) <= tokens), NO_BACKGROUND)


def is_natural(name: str) -> bool:
    """Check whether rows of a length name keep the natural length of their text."""
    return name == NATURAL or name in WORD_RANGES


def outside(name: str, words: int) -> str:
    """Return why a row with this many words is outside a word range; empty if it is inside or no range is given."""
    first, last = WORD_RANGES.get(name, (0, None))
    return "" if first <= words and (last is None or words < last) else f"its words are not {name}"


def typical_tokens(name: str) -> int:
    """Return the tokens of a row for estimates; approximate for names without a token count."""
    return length_tokens(name) or _TYPICAL_TOKENS[name]


def length_order(name: str) -> tuple[int, int]:
    """Return a sort key: "0k", natural, word ranges, then increasing length."""
    return length_tokens(name) or 0, _NAMED.index(name) if name in _NAMED else 0
