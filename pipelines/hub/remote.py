"""What a dataset repository on the Hub holds now; nothing here writes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from haymaker.errors import HubError
from pipelines.hub.client import LOGIN, hub_errors
from pipelines.hub.staged import Local
from pipelines.manifest import MANIFEST
from pipelines.reference import newest, version_of

TYPE = "dataset"


@dataclass(frozen=True, slots=True)
class Held:
    """A file on the Hub.

    Attributes:
        size: bytes.
        sha256: of a large file; "" of one that git holds.
        blob: git's name of the bytes of one that git holds.
    """

    size: int
    sha256: str
    blob: str


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository as it is.

    Attributes:
        repo: ORG/NAME.
        head: newest commit; "" where there is no such repository.
        private: who may read it.
        used: bytes that it takes with all its history.
        tags: version -> commit.
        files: of the newest commit.
        tagged: files of the version that is asked about; None where it is not tagged.
        said: manifest of the newest version, else of the newest commit; nothing where there is none.
    """

    repo: str
    head: str = ""
    private: bool = True
    used: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    files: dict[str, Held] = field(default_factory=dict)
    tagged: dict[str, Held] | None = None
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The newest version that is tagged; "" where none is."""
        return newest(self.tags) or ""


def demand_writer(api: Any) -> None:
    """The token is there, good, and may write.

    Raises:
        HubError: not so.
    """
    with hub_errors("the Hub"):
        who = api.whoami()
    role = who.get("auth", {}).get("accessToken", {}).get("role")
    if role == "read":
        raise HubError("this token may only read", where="the Hub", fix=f"use one that may write: {LOGIN}")


def look(api: Any, repo: str, version: str) -> Remote:
    """The repository, and what it holds of a version."""
    from huggingface_hub.errors import RepositoryNotFoundError

    with hub_errors(repo):
        try:
            info = api.dataset_info(repo, expand=["sha", "private", "usedStorage"])
        except RepositoryNotFoundError:
            return Remote(repo)
        refs = api.list_repo_refs(repo, repo_type=TYPE)
        tags = {found: tag.target_commit for tag in refs.tags if (found := version_of(tag.name))}
        files = listing(api, repo, info.sha)
        tagged = listing(api, repo, tags[version]) if version in tags else None
        remote = Remote(repo, info.sha, bool(info.private), info.used_storage or 0, tags, files, tagged)
        remote.said.update(_manifest(api, remote))
    return remote


def _manifest(api: Any, remote: Remote) -> dict[str, Any]:
    if not remote.newest and MANIFEST not in remote.files:
        return {}
    where = remote.tags.get(remote.newest, remote.head)
    try:
        said: dict[str, Any] = json.loads(read(api, remote.repo, MANIFEST, where))
        return {"name": said["name"], "version": said["version"], "files": dict(said["files"])}
    except (ValueError, KeyError, TypeError):
        what = f"its {MANIFEST} is none of a release"
        raise HubError(what, where=remote.repo, fix="publish under another name") from None


def listing(api: Any, repo: str, revision: str) -> dict[str, Held]:
    """All files of a commit."""
    from huggingface_hub import RepoFile

    with hub_errors(repo):
        found = api.list_repo_tree(repo, recursive=True, revision=revision, repo_type=TYPE)
        return {
            node.path: Held(node.size, node.lfs.sha256 if node.lfs else "", node.blob_id)
            for node in found
            if isinstance(node, RepoFile)
        }


def read(api: Any, repo: str, name: str, revision: str) -> bytes:
    """The bytes of a small file, as the Hub gives them to anybody who asks now."""
    with tempfile.TemporaryDirectory() as folder, hub_errors(f"{repo} {name}"):
        path = api.hf_hub_download(repo, name, revision=revision, repo_type=TYPE, local_dir=folder)
        return Path(path).read_bytes()


def is_same(local: Local, held: Held | None) -> bool:
    """Whether the Hub holds these bytes."""
    from huggingface_hub.utils.sha import git_hash

    if held is None or held.size != local.size:
        return False
    if held.sha256:
        return held.sha256 == local.sha256
    return held.blob == str(git_hash(local.path.read_bytes()))


def are_same(files: Mapping[str, Local], held: Mapping[str, Held]) -> bool:
    """Whether the Hub holds these files, and nothing else that a release could hold."""
    return not differing(files, held) and not strange(files, held)


def differing(files: Mapping[str, Local], held: Mapping[str, Held]) -> list[str]:
    """Names of files that the Hub does not hold, or of which it holds other bytes."""
    return [name for name, local in files.items() if not is_same(local, held.get(name))]


def strange(files: Mapping[str, Local], held: Mapping[str, Held]) -> list[str]:
    """Names of files on the Hub that are not of this release; what the Hub itself puts into a repository is passed over."""
    return [name for name in held if name not in files and name != ".gitattributes"]
