"""Backend for dataset repositories on the Hugging Face Hub: a version is a tag, a revision is a commit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from haymaker.core.errors import HubError
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import newest, tag, version_of
from haymaker.releases.remote.backend import Backend, RemoteFile, RemoteState
from haymaker.releases.remote.hub_errors import LOGIN, hub_api, hub_errors

_REPO_TYPE = "dataset"


@dataclass
class HubBackend(Backend):
    """Backend for the Hugging Face Hub."""

    def versions(self) -> dict[str, str]:
        """See Backend."""
        with hub_errors(self.address):
            refs = hub_api().list_repo_refs(self.address, repo_type=_REPO_TYPE)
        return {version: ref.target_commit for ref in refs.tags if (version := version_of(ref.name))}

    def download(self, names: Collection[str], revision: str, folder: Path) -> None:
        """See Backend."""
        with hub_errors(self.address):
            hub_api().snapshot_download(
                self.address,
                repo_type=_REPO_TYPE,
                revision=revision,
                local_dir=folder,
                cache_dir=folder / ".cache",  # not the user's: a damaged copy there would be used at every attempt
                allow_patterns=list(names),
            )

    def check_writer(self) -> None:
        """See Backend."""
        with hub_errors(self.address):
            user = hub_api().whoami()
        if user.get("auth", {}).get("accessToken", {}).get("role") == "read":
            raise HubError("this token is read-only", where=self.address, fix=f"use a token with write access: {LOGIN}")

    def read_state(self, version: str) -> RemoteState:
        """See Backend."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with hub_errors(self.address):
            try:
                info = hub_api().dataset_info(self.address, expand=["sha", "private", "usedStorage"])
            except RepositoryNotFoundError:
                return RemoteState()
        versions, files = self.versions(), self.listing(info.sha)
        latest = newest(versions) or ""
        return RemoteState(
            exists=True,
            head=info.sha,
            private=bool(info.private),
            used=info.used_storage or 0,
            versions=versions,
            files=files,
            tagged=self.listing(versions[version]) if version in versions else None,
            manifest=self.manifest(versions.get(latest, info.sha), latest) if latest or MANIFEST in files else {},
        )

    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """See Backend."""
        from huggingface_hub import RepoFile

        with hub_errors(self.address):
            found = list(
                hub_api().list_repo_tree(self.address, recursive=True, revision=revision, repo_type=_REPO_TYPE)
            )
        files = [node for node in found if isinstance(node, RepoFile)]
        return {node.path: RemoteFile(node.size, node.lfs.sha256 if node.lfs else "", node.blob_id) for node in files}

    def upload(self, folder: Path, names: Sequence[str], removed: Sequence[str], title: str, revision: str) -> str:
        """See Backend; the Hub rejects the first commit if another one follows `revision`, later ones are found by the listing."""
        api = hub_api()
        with hub_errors(self.address):
            if not revision:
                api.create_repo(self.address, repo_type=_REPO_TYPE, private=not self.public, exist_ok=True)
                revision = api.dataset_info(self.address, expand=["sha"]).sha
            commit = api.upload_folder(
                repo_id=self.address,
                repo_type=_REPO_TYPE,
                folder_path=folder,
                allow_patterns=list(names),
                delete_patterns=list(removed) or None,
                commit_message=title,
                parent_commit=revision,
            )
        return str(commit.oid)

    def mark_version(self, folder: Path, version: str, revision: str) -> None:
        """See Backend; creates the tag."""
        with hub_errors(f"{self.address} {tag(version)}"):
            hub_api().create_tag(self.address, tag=tag(version), revision=revision, repo_type=_REPO_TYPE)
