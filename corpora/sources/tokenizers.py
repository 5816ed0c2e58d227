"""Vocabulary files of tokenizers: kinds `tokenizers` (public addresses, known checksums) and `tokenizers_mirror`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from corpora.sources.base import FetchContext, RawFile, Source, SourceInfo

Name = Literal["gpt2", "cl100k", "o200k"]
MirrorName = Literal["gpt2", "cl100k", "o200k", "llama2", "mistral_v1"]
_BLOB = "https://openaipublic.blob.core.windows.net"
_GPT2_BPE = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
_GPT2_JSON = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
_CL100K = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_FILES: dict[str, tuple[RawFile, ...]] = {
    "gpt2": (
        RawFile("gpt2/vocab.bpe", f"{_BLOB}/gpt-2/encodings/main/vocab.bpe", 456_318, _GPT2_BPE),
        RawFile("gpt2/encoder.json", f"{_BLOB}/gpt-2/encodings/main/encoder.json", 1_042_301, _GPT2_JSON),
    ),
    "cl100k": (
        RawFile("tiktoken/cl100k_base.tiktoken", f"{_BLOB}/encodings/cl100k_base.tiktoken", 1_681_126, _CL100K),
    ),
    "o200k": (RawFile("tiktoken/o200k_base.tiktoken", f"{_BLOB}/encodings/o200k_base.tiktoken", 3_613_922, _O200K),),
    "llama2": tuple(RawFile(f"llama2/{name}", "") for name in ("tokenizer.model", "LICENSE", "Notice")),  # mirror only
    "mistral_v1": (RawFile("mistral_v1/tokenizer.model.v1", ""),),
}


def _info(title: str, licence: str, licences: tuple[str, ...], note: str = "") -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/openai/tiktoken",
        licence=licence,
        licences=licences,
        redistribution=True,
        roles=("tokenizers",),
        languages=(),
        download_bytes=6_793_667,
        note=note,
    )


class Tokenizers(Source):
    """Options of kind `tokenizers`.

    Attributes:
        names: which of gpt2 (gpt2/vocab.bpe, gpt2/encoder.json), cl100k and o200k (tiktoken/<name>_base.tiktoken).
    """

    kind: ClassVar[str] = "tokenizers"
    info: ClassVar[SourceInfo] = _info("GPT-2 and tiktoken vocabularies", "MIT", ("mit",))
    names: Annotated[tuple[Name, ...], Field(min_length=1)] = ("gpt2", "cl100k", "o200k")

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [file for name in dict.fromkeys(self.names) for file in _FILES[name]]

    def download_bytes(self) -> int:
        return sum(file.size_bytes or 0 for name in set(self.names) for file in _FILES[name])


class TokenizersMirror(Source):
    """Options of kind `tokenizers_mirror`.

    Attributes:
        names: as `tokenizers`, and llama2 (with its licence and notice) and mistral_v1.
    """

    kind: ClassVar[str] = "tokenizers_mirror"
    info: ClassVar[SourceInfo] = _info(
        "Tokenizer vocabularies (mirror copy)",
        "MIT (gpt2, cl100k, o200k), Apache-2.0 (mistral_v1), Llama 2 Community License (llama2)",
        ("mit", "apache-2.0", "llama2"),
        "llama2 travels only together with its licence and notice",
    )
    names: Annotated[tuple[MirrorName, ...], Field(min_length=1)] = ("gpt2", "cl100k", "o200k")

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        files = [file for name in dict.fromkeys(self.names) for file in _FILES[name]]
        return [RawFile(file.path, f"mirror:tokenizers/{file.path}", file.size_bytes, file.sha256) for file in files]
