"""Where releases are published: what a publisher can do, and what the place contains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from haymaker.releases.pulled.ref import newest
from haymaker.releases.remote.backend import Backend, RemoteFile
from pipelines.publishing.release_files import LocalFile, ReleaseFiles


@dataclass(frozen=True, slots=True)
class UploadBatch:
    """One commit of the Hub, or as much of a store.

    Attributes:
        title: of the commit.
        sent: names of files that it adds or changes.
        removed: names of files that it takes away.
    """

    title: str
    sent: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteState:
    """A repository of the Hub, or a folder of a store, as it is.

    Attributes:
        repo: its address.
        head: newest commit; "" where there is nothing.
        private: who may read it.
        used: bytes that it takes with all its history.
        tags: version -> revision.
        files: of the newest commit; of a store, those of the version that is asked about.
        tagged: files of the version that is asked about; None where it is not published.
        said: manifest of the newest version, else of the newest commit; nothing where there is none.
    """

    repo: str
    head: str = ""
    private: bool = True
    used: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    files: dict[str, RemoteFile] = field(default_factory=dict)
    tagged: dict[str, RemoteFile] | None = None
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The newest version that is published; "" where none is."""
        return newest(self.tags) or ""


class Publisher(Backend, Protocol):
    """A place to which releases are published: a dataset repository of the Hub, or a folder of an object store.

    Attributes:
        sign: the mark of a published version.
        last: files that are uploaded together with the mark.
    """

    sign: ClassVar[str]
    last: ClassVar[frozenset[str]]

    def check_writer(self, *, public: bool) -> None:
        """We may write there, as far as one can tell before, and `public` means something."""
        ...

    def look(self, version: str) -> RemoteState:
        """What is there; of a version, its files."""
        ...

    def begin(self, remote: RemoteState, *, public: bool) -> str:
        """The revision that the first step goes on from; the place is made if it is not there."""
        ...

    def write(self, staged: ReleaseFiles, step: UploadBatch, revision: str) -> str:
        """Make one step; the revision afterwards."""
        ...

    def mark(self, staged: ReleaseFiles, revision: str) -> None:
        """Publish the version of a release: the revision holds all its files but the last."""
        ...

    def address_in(self, said: Mapping[str, Any]) -> str:
        """The address of which the texts of a release tell there."""
        ...

    def standing(self, remote: RemoteState, *, public: bool) -> str:
        """What the place is, for whoever is about to publish."""
        ...

    def costs(self, staged: ReleaseFiles, remote: RemoteState, sent: int, *, public: bool) -> list[str]:
        """What it takes there when so many bytes are sent, and limits of the place, a line each."""
        ...

    def marked(self, version: str, config: str) -> list[str]:
        """How it was made sure of and marked, and how to read it."""
        ...


def is_same(local: LocalFile, held: RemoteFile | None) -> bool:
    """Whether the place holds these bytes."""
    if held is None or held.size != local.size:
        return False
    if not held.blob or held.sha256:
        return held.sha256 == local.sha256
    from huggingface_hub.utils.sha import git_hash

    return held.blob == str(git_hash(local.path.read_bytes()))


def are_same(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> bool:
    """Whether the place holds these files, and nothing else that a release could hold."""
    return not changed_files(files, held) and not foreign_files(files, held)


def changed_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Names of files that the place does not hold, or of which it holds other bytes."""
    return [name for name, local in files.items() if not is_same(local, held.get(name))]


def foreign_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Names of files there that are not of this release; what the Hub itself puts into a repository is passed over."""
    return [name for name in held if name not in files and name != ".gitattributes"]
