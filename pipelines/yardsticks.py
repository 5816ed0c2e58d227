"""The tokenizer that the naive generator of `haymaker bench` uses: as the published scripts do where it can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corpora.tokenizer import Tokenizer
from corpora.tokenizers.find import published_file
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
    """GPT-2 through the `tokenizers` library, as the published scripts; without its files, the release tokenizer."""
    try:
        encoder = published_file("gpt2", [])
    except TokenizerError:
        name = f"{fallback.name} through tiktoken, much quicker than the script's GPT-2, and never decoding"
        return Codec(name, lambda text: [0] * fallback.count(text), lambda ids: "")
    from tokenizers import Tokenizer as Fast
    from tokenizers.decoders import ByteLevel as ByteLevelDecoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    folder = encoder.parent
    fast = Fast(BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe")))
    fast.pre_tokenizer, fast.decoder = ByteLevel(add_prefix_space=False), ByteLevelDecoder()
    return Codec(
        "GPT-2 through tokenizers, as the published script",
        lambda text: list(fast.encode(text, add_special_tokens=False).ids),
        lambda ids: str(fast.decode(ids)),
    )
