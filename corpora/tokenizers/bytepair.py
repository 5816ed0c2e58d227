"""Engines on tiktoken: tekken, GPT-2, cl100k and o200k, built from their published vocabulary files."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpora.tokenizers.counting import Engine
from corpora.tokenizers.cuts import REGEX_BPE, not_additive, unknown_alternatives
from haymaker.core.errors import TokenizerError

_MANY, _SHORT = 64, 32  # texts that are counted in one call, and the characters of one at most
_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class Published:
    """A published vocabulary file.

    Attributes:
        files: its name, and the SHA-1 of its address that tiktoken's cache uses.
        sha256: of its bytes.
        vocabulary_size: ids, special ones included.
        pattern: split pattern; empty if the file contains it.
    """

    files: tuple[str, ...]
    sha256: str
    vocabulary_size: int
    pattern: str = ""


PUBLISHED = {
    "tekken": Published(
        ("tekken_240911.json",), "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316", 131_072
    ),
    "gpt2": Published(
        ("vocab.bpe", "6d1cbeee0f20b3d9449abfede4726ed8212e3aee"),
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        50_257,
        _GPT2,
    ),
    "cl100k": Published(
        ("cl100k_base.tiktoken", "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"),
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        100_277,
        _CL100K,
    ),
    "o200k": Published(
        ("o200k_base.tiktoken", "fb374d419588a4632f3f557e76b4b70aebbca790"),
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        200_019,
        _O200K,
    ),
}


def published_engine(name: str, path: Path) -> Engine:
    """The engine of a published vocabulary; the file's checksum has been compared already."""
    known = PUBLISHED[name]
    readers = {"tekken": _tekken, "gpt2": _gpt2}
    pattern, ranks = readers.get(name, _rank_lines)(path)
    return tiktoken_engine(known.pattern or pattern, ranks, known.vocabulary_size, known.sha256)


def tiktoken_engine(pattern: str, ranks: dict[bytes, int], vocabulary_size: int, digest: str) -> Engine:
    """Return an engine from a split pattern and byte-pair ranks; an unknown pattern is a TokenizerError."""
    import tiktoken

    if unknown := unknown_alternatives(pattern):
        raise not_additive(f"the split pattern {unknown[0]!r} is unknown")
    encode = tiktoken.Encoding("haymaker", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}).encode_ordinary

    def count(text: str) -> int:
        try:
            return len(encode(text))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # the library's own; it derives from BaseException
                raise
            raise TokenizerError(
                f"the tokenizer library failed on a text of {len(text):,} characters",
                fix="shorten runs of white space and remove texts without white space",
            ) from None

    return Engine(
        plain=count,
        in_join=count,
        units=_units(encode, ranks),
        cuts=REGEX_BPE,
        prefixed=False,
        vocabulary_size=vocabulary_size,
        digest=digest,
    )


def _units(encode: Callable[[str], list[int]], ranks: dict[bytes, int]) -> Callable[[list[str]], list[int]]:
    """Count short texts in one call, which is faster; no token crosses the safe cuts between them."""
    import numpy as np

    sizes = np.zeros(max(ranks.values()) + 1, np.int64)
    sizes[list(ranks.values())] = list(map(len, ranks))

    def units(texts: list[str]) -> list[int]:
        whole = "".join(texts)
        if len(texts) < _MANY or len(whole) > _SHORT * len(texts):
            return [len(encode(text)) for text in texts]
        lengths = map(len, texts) if whole.isascii() else (len(text.encode()) for text in texts)
        ends = np.cumsum(np.fromiter(lengths, np.int64, len(texts)))
        tokens = np.searchsorted(np.cumsum(sizes[encode(whole)]), ends) + 1
        counts: list[int] = np.diff(tokens, prepend=0).tolist()
        return counts

    return units


def _tekken(path: Path) -> tuple[str, dict[bytes, int]]:
    data = json.loads(path.read_bytes())
    config = data["config"]
    inner = config["default_vocab_size"] - config["default_num_special_tokens"]
    decode = binascii.a2b_base64
    return config["pattern"], {decode(entry["token_bytes"]): rank for rank, entry in enumerate(data["vocab"][:inner])}


def _rank_lines(path: Path) -> tuple[str, dict[bytes, int]]:
    """A tiktoken rank file: base64 token, space, rank on each line."""
    rows = (line.split() for line in path.read_bytes().splitlines() if line)
    return "", {base64.b64decode(token): int(rank) for token, rank in rows}


def _gpt2(path: Path) -> tuple[str, dict[bytes, int]]:
    """GPT-2's merge list: ids are the 256 bytes in its order, then one per merge (as in encoder.json)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in set(shown)]
    byte_of = {chr(byte): byte for byte in shown} | {chr(256 + i): byte for i, byte in enumerate(hidden)}
    ranks = {bytes([byte]): rank for rank, byte in enumerate([*shown, *hidden])}
    for line in path.read_text("utf-8").splitlines()[1:]:
        ranks[bytes(byte_of[char] for char in line.replace(" ", ""))] = len(ranks)
    return "", ranks
