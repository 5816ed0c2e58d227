"""Hugging Face Hub dataset repositories: which commit, which files."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from corpora.sources.transport.lock import known, write_lock
from corpora.sources.transport.rawfile import FetchContext, RawFile
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.addresses import explain
from haymaker.core.files.hub_client import configure_hub_client


def resolve_revision(repo: str, revision: str | None, key: str, context: FetchContext) -> str:
    """The commit to read: a given commit as it is, else the locked one, else what the Hub names now.

    Raises:
        UnavailableError: no such repository or revision, or refused.
        SourceError: out of reach.
    """
    if revision and re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    locked = known(context, key).revision
    if locked:
        return locked
    from huggingface_hub import HfApi

    configure_hub_client()
    try:
        sha: str | None = HfApi().dataset_info(repo, revision=revision).sha
    except Exception as error:
        raise explain(error, f"hf://datasets/{repo}@{revision or 'main'}") from None
    if not sha:
        raise SourceError("the Hub names no commit", where=f"hf://datasets/{repo}")
    if context.found:
        write_lock(context.found, key, revision=sha)  # one attempt reads one commit, whatever is pushed meanwhile
    return sha


def list_files(repo: str, commit: str, patterns: Sequence[str]) -> list[RawFile]:
    """Files of a commit that match a pattern, sorted by path, with sizes and (for large files) SHA-256 from the Hub.

    Raises:
        UnavailableError: none match; no such repository or commit, or refused.
        SourceError: the Hub is out of reach.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    where = f"hf://datasets/{repo}@{commit}"
    configure_hub_client()
    try:
        tree = list(HfApi().list_repo_tree(repo, recursive=True, revision=commit, repo_type="dataset"))
    except Exception as error:
        raise explain(error, where) from None
    files = sorted((entry for entry in tree if isinstance(entry, RepoFile)), key=lambda entry: entry.path)
    chosen = [file for file in files if any(fnmatch.fnmatchcase(file.path, pattern) for pattern in patterns)]
    if not chosen:
        there = ", ".join(file.path for file in files[:5]) or "nothing"
        raise UnavailableError(
            f"no file matches {' or '.join(patterns)}; there is {there}",
            where=where,
            fix="check `files` and `revision`",
        )
    return [
        RawFile(file.path, f"{where}/{file.path}", file.size, file.lfs.sha256 if file.lfs else None) for file in chosen
    ]
