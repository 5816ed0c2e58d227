"""The Hub library's own cache: what a person has downloaded before is not downloaded again."""

from __future__ import annotations

import re
from pathlib import Path

from corpora.sources.transport.remote import HubFile, scheme


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
