"""Measuring tools of `haymaker dev bench`: time, memory, limits of the machine (memory copy, Parquet write), and the
tokenizer of the naive generator, used like in the published scripts.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from corpora.stores.sentences.store import Background
from corpora.tokenizers.find import published_file
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.errors import TokenizerError
from haymaker.core.rows.parquet import MEGABYTE

P = ParamSpec("P")
T = TypeVar("T")
_MIN_S = 0.4  # each figure is the median of calls that take at least this long together


@dataclass(frozen=True)
class Codec:
    """Encoder and decoder of a tokenizer.

    Attributes:
        name: description for the table.
        encode: text to ids, no special tokens.
        decode: ids to text.
    """

    name: str
    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]


def codec(fallback: Tokenizer) -> Codec:
    """Return GPT-2 of `transformers`, like the published script; without it or its files, the release tokenizer."""
    try:
        encoder = published_file("gpt2", [])
        os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
        from transformers import GPT2Tokenizer
    except (TokenizerError, ImportError):
        name = f"{fallback.name} through tiktoken, much quicker than the script's GPT-2, and never decoding"
        return Codec(name, lambda text: [0] * fallback.count(text), lambda ids: "")
    folder = encoder.parent
    gpt2 = GPT2Tokenizer(vocab=str(folder / "encoder.json"), merges=str(folder / "vocab.bpe"))
    return Codec(
        "GPT-2 through transformers, as the published script",
        lambda text: list(gpt2.encode(text, add_special_tokens=False, verbose=False)),
        lambda ids: str(gpt2.decode(ids)),
    )


def books_of(store: Background) -> list[str]:
    """Return the test books as plain text, for the naive generator."""
    at = store.byte_at
    return [str(store.text[at[e.first] : at[e.last]], "utf-8") for e in store.split("test")]


def seconds_of(function: Callable[[], object]) -> float:
    """Return the median seconds of a call, from at least three calls after a warm-up call."""
    function()
    times: list[float] = []
    while len(times) < 3 or sum(times) < _MIN_S:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def copy_rate() -> float:
    """Return the bytes per second of copying memory, in blocks of 256 MB (larger than any cache)."""
    block, target = bytes(256 * MEGABYTE), bytearray(256 * MEGABYTE)

    def copy() -> None:
        target[:] = block

    return len(block) / seconds_of(copy)


def texts_alone(path: Path, prompts: list[bytes], level: int, group_mb: int) -> None:
    """Write texts from memory to Parquet in row groups of the same size: the limit of the machine."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    per_group = max(1, -(-group_mb * MEGABYTE // len(prompts[0])))
    table = pa.table({"prompt": pa.array(prompts, type=pa.large_string())})
    pq.write_table(table, path, compression="zstd", compression_level=level, use_dictionary=False,
                   write_statistics=False, row_group_size=per_group)  # fmt: skip


def in_new_process(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a module-level function in a fresh process, and return its result."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *args, **kwargs).result()


def status_mb(field: str) -> int:
    """Return a field of /proc/self/status in MB, for this process only (ru_maxrss would include the parent)."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) // 1024
    return 0


def in_words(seconds: float) -> str:
    """Format a time as seconds, milliseconds or microseconds."""
    return (
        f"{seconds * 1e6:,.0f} us"
        if seconds < 1e-3
        else f"{seconds * 1e3:,.2f} ms"
        if seconds < 1
        else f"{seconds:,.2f} s"
    )
