"""Interface of publishers (Hub or object store), and the state of the remote location."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from haymaker.releases.pulled.ref import newest
from haymaker.releases.remote.backend import Backend, RemoteFile
from pipelines.publishing.release_files import LocalFile, ReleaseFiles


@dataclass(frozen=True, slots=True)
class UploadBatch:
    """Changes of one commit on the Hub, or the same batch for a store.

    Attributes:
        title: title of the commit.
        sent: names of added or changed files.
        removed: names of deleted files.
    """

    title: str
    sent: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteState:
    """Current state of a repository on the Hub, or of a folder of a store.

    Attributes:
        repo: address.
        head: newest commit; "" if nothing exists yet.
        private: whether access is restricted.
        used: bytes in use, including all history.
        tags: version -> revision.
        files: files of the newest commit; in a store, files of the version to publish.
        tagged: published files of that version; None if it is not published.
        manifest: manifest of the newest version, else of the newest commit; empty if there is none.
    """

    repo: str
    head: str = ""
    private: bool = True
    used: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    files: dict[str, RemoteFile] = field(default_factory=dict)
    tagged: dict[str, RemoteFile] | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The newest published version, or ""."""
        return newest(self.tags) or ""


class Publisher(Backend, Protocol):
    """Publishes to one location: a dataset repository on the Hub, or a folder of an object store.

    Attributes:
        sign: name of the mark of a published version.
        last: files uploaded together with the mark.
    """

    sign: ClassVar[str]
    last: ClassVar[frozenset[str]]

    def check_writer(self, *, public: bool) -> None:
        """Check write access as far as possible in advance, and that `public` is supported."""
        ...

    def read_state(self, version: str) -> RemoteState:
        """Return the remote state, with the files of a version."""
        ...

    def start(self, remote: RemoteState, *, public: bool) -> str:
        """Create the location if needed, and return the parent revision of the first batch."""
        ...

    def write(self, staged: ReleaseFiles, step: UploadBatch, revision: str) -> str:
        """Write one batch, and return the new revision."""
        ...

    def mark_version(self, staged: ReleaseFiles, revision: str) -> None:
        """Mark the version as published; the revision already contains all files except `last`."""
        ...

    def address_in_texts(self, said: Mapping[str, Any]) -> str:
        """Return the address that the texts of the published release contain."""
        ...

    def state_line(self, remote: RemoteState, *, public: bool) -> str:
        """Describe the location to the user."""
        ...

    def cost_lines(self, staged: ReleaseFiles, remote: RemoteState, sent: int, *, public: bool) -> list[str]:
        """Return lines about the storage needed after sending this many bytes, and the limits of the location."""
        ...

    def result_lines(self, version: str, config: str) -> list[str]:
        """Return how the version was verified and marked, and how to load it."""
        ...


def is_same(local: LocalFile, held: RemoteFile | None) -> bool:
    """Check whether the remote file has the same bytes."""
    if held is None or held.size != local.size:
        return False
    if not held.blob or held.sha256:
        return held.sha256 == local.sha256
    from huggingface_hub.utils.sha import git_hash

    return held.blob == str(git_hash(local.path.read_bytes()))


def are_same(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> bool:
    """Check whether the location has exactly these files."""
    return not changed_files(files, held) and not foreign_files(files, held)


def changed_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Return the names of files that are missing at the location or have other bytes there."""
    return [name for name, local in files.items() if not is_same(local, held.get(name))]


def foreign_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Return the names of remote files that do not belong to this release, except files created by the Hub."""
    return [name for name in held if name not in files and name != ".gitattributes"]
