"""Vocabulary files of tokenizers: kinds `tokenizers` (public addresses, known checksums) and `tokenizers_mirror`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from corpora.sources.base import FetchContext, RawFile, Source
from corpora.sources.catalogue import entry, published

_BEGINNINGS = {
    "cl100k": "tiktoken/cl100k",
    "o200k": "tiktoken/o200k",
}  # of the files' paths; default: the name's folder


def _is_of(path: str, name: str) -> bool:
    return path.startswith(_BEGINNINGS.get(name, f"{name}/"))


class Tokenizers(Source):
    """Options of kind `tokenizers`.

    Attributes:
        names: tokenizers to download: gpt2 (gpt2/vocab.bpe, gpt2/encoder.json), cl100k and o200k (tiktoken/<name>_base.tiktoken).
    """

    kind: ClassVar[str] = "tokenizers"
    names: Annotated[tuple[Literal["gpt2", "cl100k", "o200k"], ...], Field(min_length=1)] = ("gpt2", "cl100k", "o200k")

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        files = published(self.kind)
        return [file for name in dict.fromkeys(self.names) for file in files if _is_of(file.path, name)]

    def download_bytes(self) -> int:
        files = [file for file in published(self.kind) if any(_is_of(file.path, name) for name in self.names)]
        return sum(file.size_bytes or 0 for file in files)


class TokenizersMirror(Source):
    """Options of kind `tokenizers_mirror`.

    Attributes:
        names: tokenizers to read: those of `tokenizers`, llama2 (with its licence and notice) and mistral_v1.
    """

    kind: ClassVar[str] = "tokenizers_mirror"
    names: Annotated[tuple[Literal["gpt2", "cl100k", "o200k", "llama2", "mistral_v1"], ...], Field(min_length=1)] = (
        "gpt2",
        "cl100k",
        "o200k",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        known, files = {file.path: file for file in published("tokenizers")}, entry(self.kind)["mirror"]
        wanted = [
            (path, place) for name in dict.fromkeys(self.names) for path, place in files.items() if _is_of(path, name)
        ]
        return [replace(known.get(path) or RawFile(path, ""), url=f"mirror:{place}") for path, place in wanted]
