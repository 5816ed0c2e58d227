"""Hugging Face Hub: commits and files of dataset repositories, its local cache and token."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpora.sources.transport.lock import known, write_lock
from corpora.sources.transport.rawfile import FetchContext, RawFile
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.addresses import explain, scheme
from haymaker.core.files.hub_client import configure_hub_client

_COMMIT = re.compile(r"[0-9a-f]{40}")


def resolve_revision(repo: str, revision: str | None, key: str, context: FetchContext) -> str:
    """Return the commit to read: the given or locked commit, else the current commit of the branch or tag."""
    if revision and _COMMIT.fullmatch(revision):
        return revision
    if locked := known(context, key).revision:
        return locked
    from huggingface_hub import HfApi

    configure_hub_client()
    try:
        sha: str | None = HfApi().dataset_info(repo, revision=revision).sha
    except Exception as error:
        raise explain(error, f"hf://datasets/{repo}@{revision or 'main'}") from None
    if not sha:
        raise SourceError("the Hub returns no commit", where=f"hf://datasets/{repo}")
    if context.found:
        write_lock(context.found, key, revision=sha)  # one attempt reads one commit, even if the branch moves
    return sha


def list_files(repo: str, commit: str, patterns: Sequence[str]) -> list[RawFile]:
    """List files of a commit that match a pattern, sorted by path, with sizes and, for large files, SHA-256."""
    from huggingface_hub import HfApi, RepoFile

    where = f"hf://datasets/{repo}@{commit}"
    configure_hub_client()
    try:
        tree = list(HfApi().list_repo_tree(repo, recursive=True, revision=commit, repo_type="dataset"))
    except Exception as error:
        raise explain(error, where) from None
    files = sorted((entry for entry in tree if isinstance(entry, RepoFile)), key=lambda entry: entry.path)
    chosen = [file for file in files if any(fnmatch.fnmatchcase(file.path, pattern) for pattern in patterns)]
    if not chosen:
        there = ", ".join(file.path for file in files[:5]) or "no file"
        what = f"no file matches {' or '.join(patterns)}; found: {there}"
        raise UnavailableError(what, where=where, fix="check `files` and `revision`")
    return [
        RawFile(file.path, f"{where}/{file.path}", file.size, file.lfs.sha256 if file.lfs else None) for file in chosen
    ]


def parse_address(url: str) -> Any:
    """Parse hf://[datasets/]OWNER/NAME[@REVISION]/PATH to a huggingface_hub.HfUri."""
    from huggingface_hub import parse_hf_uri
    from huggingface_hub.errors import HfUriError

    with suppress(HfUriError):
        found = parse_hf_uri("hf" + url[2:])
        if found.path_in_repo:
            return found
    raise SourceError(f"{url!r} is not the address of a file on the Hub", fix="write hf://datasets/OWNER/NAME/FILE")


def cached_file(url: str) -> Path | None:
    """Return the copy of a file in the Hub's local cache; None if it has none, or if the address has no commit."""
    if scheme(url) != "hf" or not _COMMIT.fullmatch((file := parse_address(url)).revision or ""):
        return None
    from huggingface_hub import hf_hub_download

    kind = {"repo_type": file.type, "revision": file.revision}
    with suppress(OSError, ValueError):  # not cached, unreadable, or an impossible path
        return Path(hf_hub_download(file.id, file.path_in_repo, **kind, local_files_only=True)).resolve()
    return None


def token_hint(url: str) -> str:
    """Return advice to log in, if the address is on the Hub and no token is set."""
    if scheme(url) != "hf":
        return ""
    from huggingface_hub import get_token

    return "" if get_token() else "the Hub allows more requests with a token: `hf auth login`, or set HF_TOKEN"
