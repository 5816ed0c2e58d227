"""Publish to a dataset repository of the Hugging Face Hub: one commit per batch, a tag per version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from haymaker.core.errors import HubError
from haymaker.core.progress import megabytes
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import tag
from haymaker.releases.remote.backend import read_manifest
from haymaker.releases.remote.hf_backend import REPO_TYPE, HfBackend
from haymaker.releases.remote.hf_errors import LOGIN, hub_errors
from pipelines.publishing.publish_plan import limits
from pipelines.publishing.publisher import RemoteState, UploadBatch
from pipelines.publishing.release_files import ReleaseFiles


@dataclass
class HfPublisher(HfBackend):
    """See Publisher."""

    sign: ClassVar[str] = "the tag"
    last: ClassVar[frozenset[str]] = frozenset()

    def check_writer(self, *, public: bool) -> None:
        """See Publisher: the token exists, is valid, and has write access."""
        with hub_errors("the Hub"):
            who = self.api.whoami()
        if who.get("auth", {}).get("accessToken", {}).get("role") == "read":
            raise HubError("this token may only read", where="the Hub", fix=f"use one that may write: {LOGIN}")

    def read_state(self, version: str) -> RemoteState:
        """See Publisher."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with hub_errors(self.address):
            try:
                info = self.api.dataset_info(self.address, expand=["sha", "private", "usedStorage"])
            except RepositoryNotFoundError:
                return RemoteState(self.address)
            tags = self.versions()
            files = self.listing(info.sha)
            tagged = self.listing(tags[version]) if version in tags else None
            used, is_private = info.used_storage or 0, bool(info.private)
            remote = RemoteState(self.address, info.sha, is_private, used, tags, files, tagged)
            if remote.newest or MANIFEST in files:
                raw = self.read(MANIFEST, tags.get(remote.newest, info.sha))
                remote.manifest.update(read_manifest(raw, self.address))
        return remote

    def start(self, remote: RemoteState, *, public: bool) -> str:
        """See Publisher."""
        if remote.head:
            return remote.head
        with hub_errors(self.address):
            self.api.create_repo(self.address, repo_type=REPO_TYPE, private=not public, exist_ok=True)
            return str(self.api.dataset_info(self.address, expand=["sha"]).sha)

    def write(self, staged: ReleaseFiles, step: UploadBatch, revision: str) -> str:
        """See Publisher: one commit; the Hub rejects it if another commit followed `revision`."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations = [
            *(CommitOperationAdd(name, str(staged.files[name].path)) for name in step.sent),
            *(CommitOperationDelete(name) for name in step.removed),
        ]
        with hub_errors(self.address):
            made = self.api.create_commit(
                self.address, operations, commit_message=step.title, repo_type=REPO_TYPE, revision="main", parent_commit=revision
            )  # fmt: skip
        return str(made.oid)

    def mark_version(self, staged: ReleaseFiles, revision: str) -> None:
        """See Publisher: a tag."""
        name = tag(staged.manifest["version"])
        with hub_errors(f"{self.address} {name}"):
            self.api.create_tag(self.address, tag=name, revision=revision, repo_type=REPO_TYPE)

    def address_in_texts(self, said: Mapping[str, Any]) -> str:
        """See Publisher."""
        return self.address

    def state_line(self, remote: RemoteState, *, public: bool) -> str:
        """See Publisher."""
        if not remote.head:
            return "a new repository, " + ("public" if public else "private (--public makes it readable for everybody)")
        versions = f"newest version {remote.newest}" if remote.newest else "no version yet"
        if remote.private and public:
            return f"the repository is private and stays so (its settings on the Hub change that); {versions}"
        return f"the repository is {'private' if remote.private else 'public'}; {versions}"

    def cost_lines(self, staged: ReleaseFiles, remote: RemoteState, sent: int, *, public: bool) -> list[str]:
        """See Publisher."""
        kind = "private" if (remote.private if remote.head else not public) else "public"
        after, now = megabytes(remote.used + sent), megabytes(remote.used)
        above = {True: "   more than it shows", False: ""}
        found = [f"  {what}: {n:,} of {most:,}{above[n > most]}" for what, n, most in limits(staged)]
        taken = f"{kind} storage afterwards: about {after} ({now} now; old versions stay)"
        return [taken, "the Hub's viewer takes:", *found]

    def result_lines(self, version: str, config: str) -> list[str]:
        """See Publisher."""
        load = f"load_dataset('{self.address}', '{config}', revision='{tag(version)}')"
        return ["each verified, then tagged", f"{load}    or: haymaker pull {self.address}@{version}"]
