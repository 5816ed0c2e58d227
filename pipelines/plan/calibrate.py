"""Benchmark this machine against the reference machine of the plan's rates, for a few seconds.

A build mainly counts tokens, hashes and compresses text. The benchmark does the same with a fixed text in one process.
The ratio of rates scales every stage except downloads and the start of programs.
"""

from __future__ import annotations

import hashlib
import time

from corpora.tokenizers import tokenizer

REFERENCE_BYTES_PER_S = 16.5e6
"""Rate of the machine on which DEFAULT_RATES were measured."""
_WORDS = 12_000
_SECONDS = 4.0


def factor() -> float:
    """Return the speed of this machine relative to the reference (2 = twice as fast); takes about five seconds."""
    import zstandard

    text = _text()
    raw = text.encode()
    loaded = tokenizer.load("tekken")
    loaded.count(text)  # first use builds the tables
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < _SECONDS:
        loaded.count(text)
        hashlib.sha256(raw).digest()
        zstandard.ZstdCompressor(level=3).compress(raw)
        done += len(raw)
    return done / (time.perf_counter() - began) / REFERENCE_BYTES_PER_S


def _text() -> str:
    """Return a fixed artificial text: words of two to nine letters, sentences of twelve words."""
    words = []
    for number in range(_WORDS):
        drawn = hashlib.blake2b(str(number % 4000).encode(), digest_size=10).digest()
        letters = "".join("etaoinshrdlu"[byte % 12] for byte in drawn[: 2 + drawn[9] % 8])
        words.append(letters.capitalize() + "." if number % 12 == 11 else letters)
    return " ".join(words)
