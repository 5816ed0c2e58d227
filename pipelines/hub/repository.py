"""A dataset repository of the Hugging Face Hub: commits that follow on each other, a version is a tag."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from haymaker.errors import HubError
from haymaker.files import disk_errors
from pipelines.hub.client import LOGIN, api, hub_errors, spoken
from pipelines.hub.plan import limits
from pipelines.hub.remote import Held, Remote, Step, Stopped, said_of
from pipelines.hub.staged import Staged
from pipelines.manifest import MANIFEST
from pipelines.progress import megabytes
from pipelines.reference import tag, version_of

_TYPE = "dataset"


@dataclass
class Repository:
    """See Place.

    Attributes:
        address: ORG/NAME.
    """

    address: str
    title: ClassVar[str] = "the Hub"
    sign: ClassVar[str] = "the tag"
    last: ClassVar[frozenset[str]] = frozenset()

    @cached_property
    def _api(self) -> Any:
        return api()

    @contextmanager
    def session(self) -> Iterator[None]:
        """See Place."""
        with spoken(), hub_errors(self.address):
            yield

    def versions(self) -> dict[str, str]:
        """See Place: tagged version -> commit."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with hub_errors(self.address):
            try:
                refs = self._api.list_repo_refs(self.address, repo_type=_TYPE)
            except RepositoryNotFoundError:
                fix = "check the name; for a private one, hf auth login, or set HF_TOKEN"
                what = "no such data set on the Hub, or it is private"
                raise HubError(what, where=self.address, fix=fix) from None
        return {version: ref.target_commit for ref in refs.tags if (version := version_of(ref.name))}

    def listing(self, revision: str) -> dict[str, Held]:
        """See Place."""
        from huggingface_hub import RepoFile

        with hub_errors(self.address):
            found = self._api.list_repo_tree(self.address, recursive=True, revision=revision, repo_type=_TYPE)
            return {
                node.path: Held(node.size, node.lfs.sha256 if node.lfs else "", node.blob_id)
                for node in found
                if isinstance(node, RepoFile)
            }

    def has(self, names: tuple[str, ...], revision: str) -> set[str]:
        """See Place."""
        with hub_errors(self.address):
            found = self._api.get_paths_info(self.address, list(names), revision=revision, repo_type=_TYPE)
        return {info.path for info in found} & set(names)

    def read(self, name: str, revision: str) -> bytes:
        """See Place."""
        with tempfile.TemporaryDirectory() as folder, hub_errors(f"{self.address} {name}"):
            path = self._api.hf_hub_download(self.address, name, revision=revision, repo_type=_TYPE, local_dir=folder)
            return Path(path).read_bytes()

    def bring(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """See Place."""
        where = f"{self.address}/{name}"
        with disk_errors(folder / name), hub_errors(where), _plainly(where):
            return Path(
                self._api.hf_hub_download(
                    self.address, name, repo_type=_TYPE, revision=revision, local_dir=folder, tqdm_class=_silent(stop)
                )
            )

    def demand_writer(self, *, public: bool) -> None:
        """See Place: the token is there, good, and may write."""
        with hub_errors("the Hub"):
            who = self._api.whoami()
        if who.get("auth", {}).get("accessToken", {}).get("role") == "read":
            raise HubError("this token may only read", where="the Hub", fix=f"use one that may write: {LOGIN}")

    def look(self, version: str) -> Remote:
        """See Place."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with hub_errors(self.address):
            try:
                info = self._api.dataset_info(self.address, expand=["sha", "private", "usedStorage"])
            except RepositoryNotFoundError:
                return Remote(self.address)
            tags = self.versions()
            files = self.listing(info.sha)
            tagged = self.listing(tags[version]) if version in tags else None
            used, is_private = info.used_storage or 0, bool(info.private)
            remote = Remote(self.address, info.sha, is_private, used, tags, files, tagged)
            if remote.newest or MANIFEST in files:
                said = self.read(MANIFEST, tags.get(remote.newest, info.sha))
                remote.said.update(said_of(said, self.address))
        return remote

    def begin(self, remote: Remote, *, public: bool) -> str:
        """See Place."""
        if remote.head:
            return remote.head
        with hub_errors(self.address):
            self._api.create_repo(self.address, repo_type=_TYPE, private=not public, exist_ok=True)
            return str(self._api.dataset_info(self.address, expand=["sha"]).sha)

    def write(self, staged: Staged, step: Step, revision: str) -> str:
        """See Place: one commit; refused where somebody else has committed since `revision`."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations = [
            *(CommitOperationAdd(name, str(staged.files[name].path)) for name in step.sent),
            *(CommitOperationDelete(name) for name in step.removed),
        ]
        with hub_errors(self.address):
            made = self._api.create_commit(
                self.address, operations, commit_message=step.title, repo_type=_TYPE, revision="main", parent_commit=revision
            )  # fmt: skip
        return str(made.oid)

    def mark(self, staged: Staged, revision: str) -> None:
        """See Place: a tag."""
        name = tag(staged.said["version"])
        with hub_errors(f"{self.address} {name}"):
            self._api.create_tag(self.address, tag=name, revision=revision, repo_type=_TYPE)

    def address_in(self, said: Mapping[str, Any]) -> str:
        """See Place."""
        return self.address

    def standing(self, remote: Remote, *, public: bool) -> str:
        """See Place."""
        if not remote.head:
            return "a new repository, " + ("public" if public else "private (--public makes it readable for everybody)")
        versions = f"newest version {remote.newest}" if remote.newest else "no version yet"
        if remote.private and public:
            return f"the repository is private and stays so (its settings on the Hub change that); {versions}"
        return f"the repository is {'private' if remote.private else 'public'}; {versions}"

    def costs(self, staged: Staged, remote: Remote, sent: int, *, public: bool) -> list[str]:
        """See Place."""
        kind = "private" if (remote.private if remote.head else not public) else "public"
        after, now = megabytes(remote.used + sent), megabytes(remote.used)
        above = {True: "   more than it shows", False: ""}
        found = [f"  {what}: {n:,} of {most:,}{above[n > most]}" for what, n, most in limits(staged)]
        taken = f"{kind} storage afterwards: about {after} ({now} now; old versions stay)"
        return [taken, "the Hub's viewer takes:", *found]

    def marked(self, version: str, config: str) -> list[str]:
        """See Place."""
        load = f"load_dataset('{self.address}', '{config}', revision='{tag(version)}')"
        return ["each verified, then tagged", f"{load}    or: haymaker pull {self.address}@{version}"]


def _silent(stop: threading.Event) -> type[Any]:
    """A progress bar that shows nothing, and ends its download when it is told to."""
    from huggingface_hub.utils.tqdm import silent_tqdm

    class Bar(silent_tqdm):  # type: ignore[misc, unused-ignore]
        def update(self, n: float | None = 1) -> None:
            if stop.is_set():
                raise Stopped

    return Bar


@contextmanager
def _plainly(where: str) -> Iterator[None]:
    """What the library wraps or says in other words, as the error that it is."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        yield
    except LocalEntryNotFoundError as error:
        raise error.__cause__ or error from None
    except OSError as error:
        if "Consistency check failed" not in str(error):
            raise
        fix = "the same command goes on from where it stopped"
        raise HubError("the Hub sent fewer or more bytes than it said", where=where, fix=fix) from None
