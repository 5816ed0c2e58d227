"""The one place for lengths: bucket names and what they mean.

k = 1,024 everywhere; "1M" = 1,000,000, so that a row fits the million-token windows on the market.
"""

from __future__ import annotations

import re
from functools import lru_cache

from haymaker.errors import ParamsError

_NAME = re.compile(r"(?P<number>[1-9][0-9]{0,4})(?P<unit>[kM])")
_UNIT_TOKENS = {"k": 1024, "M": 1_000_000}
MAX_BUCKET_TOKENS = 10_000_000
NO_BACKGROUND = "0k"
NO_BACKGROUND_TOKENS = 450  # what a row of "0k" has, roughly: instruction, examples, facts
BYTES_PER_TOKEN = 4.4  # English prose; for estimates and for cutting tables into files, never for counting
USUAL = ("10M", "4M", "2M", "1M", "512k", "256k", "128k", "64k", "32k", "16k", "8k", "4k", "2k", "1k")  # longest first
MIN_FILL = 0.995  # of its bucket that every row with background uses (docs/decisions/0002-fill.md)


@lru_cache(maxsize=256)  # asked for several times a row
def bucket_tokens(name: str, *, where: str = "") -> int | None:
    """Tokens that a bucket's name stands for; None for "0k" (no background, so no length to reach).

    Raises:
        ParamsError: the name is not a whole number followed by k or M, or stands for more than 10M tokens.
    """
    if name == NO_BACKGROUND:
        return None
    match = _NAME.fullmatch(name)
    if not match:
        raise ParamsError(
            f"bucket {name!r} is not a length", where=where, fix="write a whole number and k or M: 0k, 4k, 128k, 1M"
        )
    tokens = int(match["number"]) * _UNIT_TOKENS[match["unit"]]
    if tokens > MAX_BUCKET_TOKENS:
        raise ParamsError(f"bucket {name!r} is above 10M tokens", where=where, fix="use 10M or less")
    return tokens


def longest_bucket(tokens: int) -> str:
    """Name of the longest usual bucket that so many tokens fill; "0k" when not even the shortest."""
    return next((name for name in USUAL if (bucket_tokens(name) or 0) <= tokens), NO_BACKGROUND)


def bucket_order(name: str) -> int:
    """Sort key: shortest first, "0k" before all."""
    return bucket_tokens(name) or 0
