"""The one place that writes to the Hub: a repository, commits that follow on each other, and a tag after all was verified."""

from __future__ import annotations

from typing import Any

from haymaker.errors import HubError
from pipelines.hub.client import hub_errors
from pipelines.hub.plan import Step
from pipelines.hub.remote import TYPE, Remote, differing, listing, read, strange
from pipelines.hub.staged import Staged
from pipelines.manifest import MANIFEST
from pipelines.progress import Progress
from pipelines.reference import tag

_AGAIN = "the same command again sends what differs; no tag was made"


def upload(api: Any, staged: Staged, remote: Remote, steps: list[Step], *, public: bool) -> str:
    """Make the repository hold these files.

    Returns:
        its newest commit.

    Raises:
        HubError: refused or out of reach, or somebody else has committed since `remote` was looked at.
    """
    head = remote.head or _create(api, remote.repo, public=public)
    cost = {step: sum(staged.files[name].size for name in step.sent) for step in steps}
    with Progress("publish", total=sum(cost.values()), shards=len(steps), unit="B", parts="commits") as progress:
        for step in steps:
            head = _commit(api, staged, remote.repo, step, head)
            progress.advance(cost[step])
    return head


def _create(api: Any, repo: str, *, public: bool) -> str:
    with hub_errors(repo):
        api.create_repo(repo, repo_type=TYPE, private=not public, exist_ok=True)
        return str(api.dataset_info(repo, expand=["sha"]).sha)


def _commit(api: Any, staged: Staged, repo: str, step: Step, parent: str) -> str:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    operations = [
        *(CommitOperationAdd(name, str(staged.files[name].path)) for name in step.sent),
        *(CommitOperationDelete(name) for name in step.removed),
    ]
    with hub_errors(repo):
        made = api.create_commit(
            repo, operations, commit_message=step.title, repo_type=TYPE, revision="main", parent_commit=parent
        )
    return str(made.oid)


def verify(api: Any, staged: Staged, repo: str, commit: str) -> None:
    """A commit holds every file as it was sent, and nothing more; the manifest is read back.

    Raises:
        HubError: names the first file that is not so.
    """
    held = listing(api, repo, commit)
    if wrong := differing(staged.files, held):
        what = "the Hub holds other bytes than were sent" if wrong[0] in held else "did not arrive"
        raise HubError(what, where=f"{repo} {wrong[0]}", fix=_AGAIN)
    if extra := strange(staged.files, held):
        raise HubError("was not sent, and is there", where=f"{repo} {extra[0]}", fix=_AGAIN)
    if read(api, repo, MANIFEST, commit) != staged.files[MANIFEST].path.read_bytes():
        raise HubError("the Hub gives other bytes than were sent", where=f"{repo} {MANIFEST}", fix=_AGAIN)


def set_tag(api: Any, repo: str, version: str, commit: str) -> None:
    """Name a commit by its version."""
    with hub_errors(f"{repo} {tag(version)}"):
        api.create_tag(repo, tag=tag(version), revision=commit, repo_type=TYPE)
