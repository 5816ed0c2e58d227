"""How fast this machine is beside the one that the plan's rates come from: the work that a build mostly is, done for some seconds.

What a build does most is counting tokens, hashing and compressing text. A fixed text is counted, hashed and compressed in one process; the ratio of rates
scales every stage but the network and the start of programs.
"""

from __future__ import annotations

import hashlib
import time

from corpora.tokenizers import tokenizer

REFERENCE_BYTES_PER_S = 16.5e6
"""Of the machine that DEFAULT_RATES were measured on."""
_WORDS = 12_000
_SECONDS = 4.0


def factor() -> float:
    """Rate of this machine over that of the reference: 2 means twice as fast. Takes about five seconds."""
    import zstandard

    text = _text()
    raw = text.encode()
    loaded = tokenizer.load("tekken")
    loaded.count(text)  # tables are built at the first use
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < _SECONDS:
        loaded.count(text)
        hashlib.sha256(raw).digest()
        zstandard.ZstdCompressor(level=3).compress(raw)
        done += len(raw)
    return done / (time.perf_counter() - began) / REFERENCE_BYTES_PER_S


def _text() -> str:
    """Made-up prose, always the same: words of two to nine letters, sentences of a dozen."""
    words = []
    for number in range(_WORDS):
        drawn = hashlib.blake2b(str(number % 4000).encode(), digest_size=10).digest()
        letters = "".join("etaoinshrdlu"[byte % 12] for byte in drawn[: 2 + drawn[9] % 8])
        words.append(letters.capitalize() + "." if number % 12 == 11 else letters)
    return " ".join(words)
