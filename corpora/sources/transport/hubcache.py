"""What the Hub's library knows of this machine: its cache (what a person has downloaded before is not downloaded again), and a token."""

from __future__ import annotations

import re
from pathlib import Path

from haymaker.core.files.addresses import HubFile, scheme

_HINT = "the Hub gives more to those it knows: `hf auth login`, or set HF_TOKEN"


def hint(url: str) -> str:
    """What may help where a file is slow or refused; empty but for the Hub's, asked without a token."""
    if scheme(url) != "hf":
        return ""
    from huggingface_hub import get_token

    return "" if get_token() else _HINT


def in_hub_cache(url: str) -> Path | None:
    """Where the Hub's cache keeps a file of a commit; None for other addresses, for what is no commit, and for what it lacks."""
    if scheme(url) != "hf":
        return None
    file = HubFile.of(url)
    if not re.fullmatch(r"[0-9a-f]{40}", file.revision):
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(file.repo, file.path, revision=file.revision, repo_type=file.kind)
    return Path(found).resolve() if isinstance(found, str) else None
