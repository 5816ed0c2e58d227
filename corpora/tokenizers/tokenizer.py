"""The length unit: load a tokenizer by name and count exactly without tokenizing whole contexts.

Names:
    tekken                  Mistral's tekken (240911); needs no download
    gpt2, cl100k, o200k     published vocabularies, identified by checksum
    file:<path>             a tokenizer.json, or a SentencePiece *.model
    hf:<repo>@<revision>    the tokenizer.json of a Hub repository

The counting rule is explained in `corpora.tokenizers.cuts` and docs/spec/measured.md 1.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from corpora.tokenizers.bytepair import PUBLISHED, published_engine
from corpora.tokenizers.checks import check_counting
from corpora.tokenizers.counted_text import CountedText
from corpora.tokenizers.counting import Engine, Tokenizer
from corpora.tokenizers.find import given_file, hub_file, published_file
from corpora.tokenizers.json_file import json_engine
from corpora.tokenizers.pieces import sentencepiece_engine
from haymaker.core.errors import TokenizerError

__all__ = ["COUNTING_VERSION", "CountedText", "Tokenizer", "check_name", "load"]

COUNTING_VERSION = 1  # raised when a count could change


def load(name: str, *, search: Sequence[Path] = (), allow_download: bool = False) -> Tokenizer:
    """Load a tokenizer and check that its counts add up; cached per process.

    Args:
        name: see the module's docstring.
        search: folders that may contain vocabulary files, directly or in tokenizers/, tiktoken/, gpt2/.
        allow_download: let `hf:` names fetch from the Hub (never with HF_HUB_OFFLINE set).

    Raises:
        TokenizerError: unknown, not on this machine, damaged, or counts do not add up. There is no fallback.
    """
    where = tuple(os.environ.get(key) for key in ("HAYMAKER_MIRROR", "TIKTOKEN_CACHE_DIR"))
    return _load(name, tuple(Path(folder) for folder in search), allow_download, where)


def check_name(name: str) -> None:
    """Refuse unknown names and `file:` names without a file."""
    if name.startswith("file:"):
        given_file(name.removeprefix("file:"))
    elif name not in PUBLISHED and not name.startswith("hf:"):
        _unknown(name)


@lru_cache(maxsize=16)
def _load(name: str, search: tuple[Path, ...], allow_download: bool, where: tuple[str | None, ...]) -> Tokenizer:
    try:
        if name in PUBLISHED:
            return _published(name, published_file(name, search))
        return _proved(*_engine(name, allow_download))
    except TokenizerError as error:
        if error.where:
            raise
        raise TokenizerError(error.what, where=f"tokenizer {name}", fix=error.fix) from None


_PROVED: dict[str, Tokenizer] = {}
"""Published vocabularies that were read: a file known by its checksum says the same wherever it lies."""


def _published(name: str, path: Path) -> Tokenizer:
    if name not in _PROVED:
        _PROVED[name] = _proved(name, published_engine(name, path))
    return _PROVED[name]


def _proved(shown: str, engine: Engine) -> Tokenizer:
    tokenizer = Tokenizer(shown, engine)
    check_counting(tokenizer)
    return tokenizer


def _engine(name: str, allow_download: bool) -> tuple[str, Engine]:
    """The name to show and the engine; a file is shown by its base name, so that no path enters a release."""
    if name.startswith("hf:"):
        return name, json_engine(hub_file(name, allow_download))
    if name.startswith("file:"):
        path = given_file(name.removeprefix("file:"))
        return f"file:{path.name}", _file_engine(path)
    return _unknown(name)


def _unknown(name: str) -> NoReturn:
    near = difflib.get_close_matches(name, PUBLISHED, n=1, cutoff=0.4)
    known = ", ".join([*PUBLISHED, "file:<path>", "hf:<repo>@<revision>"])
    raise TokenizerError(
        f"unknown tokenizer {name!r}", fix=f"did you mean {near[0]}?" if near else f"choose one of {known}"
    )


def _file_engine(path: Path) -> Engine:
    if path.suffix == ".json":
        return json_engine(path)
    if re.search(r"\.model(\.\w+)?$", path.name):
        return sentencepiece_engine(path)
    raise TokenizerError("neither a *.json nor a *.model file", where=str(path))
