"""Hugging Face Hub dataset repositories: which commit, which files."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from corpora.sources.transport.lock import known, write_lock
from corpora.sources.transport.rawfile import FetchContext, RawFile
from corpora.sources.transport.remote import check_hop, explain
from corpora.sources.transport.web import LONGEST_WAIT_S, TRY_AGAIN
from haymaker.errors import SourceError, UnavailableError


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

    guard_hub()
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
    guard_hub()
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


@cache
def guard_hub() -> None:
    """Let the Hub's client library, too, ask `check_hop` before it follows a redirect, and not sleep for hours because it is told to."""
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils import _http

    def client() -> Any:
        made = _http.default_client_factory()
        made.event_hooks["response"].append(_on_hub_answer)
        return made

    set_client_factory(client)


def _on_hub_answer(answer: Any) -> None:
    if answer.has_redirect_location:
        check_hop(str(answer.url), answer.headers["Location"])
    if answer.status_code in TRY_AGAIN and (seconds := _wait_asked(answer.headers)) > LONGEST_WAIT_S:
        what = f"the Hub asks to wait {-(-seconds // 60):,} minutes (status {answer.status_code})"
        raise SourceError(what, fix="run the same command then: it goes on from where it stopped")


def _wait_asked(headers: Any) -> int:
    """Seconds that the library would sleep, silently and five times over, before it asks again."""
    from huggingface_hub.utils import _http

    limit = _http.parse_ratelimit_headers(headers)
    asked = limit.reset_in_seconds if limit is not None and limit.remaining == 0 else 0
    return max(asked, int(_http._parse_retry_after(headers) or 0))
