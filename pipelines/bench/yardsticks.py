"""The tokenizer that the naive generator of `haymaker bench` uses: as the published scripts do where it can be had."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from corpora.tokenizers.find import published_file
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.errors import TokenizerError


@dataclass(frozen=True)
class Codec:
    """A tokenizer both ways.

    Attributes:
        name: for the table.
        encode: text to ids, no special tokens.
        decode: ids to text.
    """

    name: str
    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]


def codec(fallback: Tokenizer) -> Codec:
    """GPT-2 through the `transformers` library, as the published script; without its files, the release tokenizer."""
    try:
        encoder = published_file("gpt2", [])
    except TokenizerError:
        name = f"{fallback.name} through tiktoken, much quicker than the script's GPT-2, and never decoding"
        return Codec(name, lambda text: [0] * fallback.count(text), lambda ids: "")
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from transformers import GPT2Tokenizer

    folder = encoder.parent
    gpt2 = GPT2Tokenizer(vocab=str(folder / "encoder.json"), merges=str(folder / "vocab.bpe"))
    return Codec(
        "GPT-2 through transformers, as the published script",
        lambda text: list(gpt2.encode(text, add_special_tokens=False, verbose=False)),
        lambda ids: str(gpt2.decode(ids)),
    )
