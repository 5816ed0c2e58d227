"""Where releases are published: what such a place holds, and what can be asked of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from haymaker.errors import HubError
from pipelines.hub.staged import Local, Staged
from pipelines.manifest import MANIFEST
from pipelines.reference import newest


@dataclass(frozen=True, slots=True)
class Held:
    """A file that is there.

    Attributes:
        size: bytes.
        sha256: of a large file; "" of one that git holds.
        blob: git's name of the bytes of one that git holds.
    """

    size: int
    sha256: str
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Step:
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
class Remote:
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
    files: dict[str, Held] = field(default_factory=dict)
    tagged: dict[str, Held] | None = None
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The newest version that is published; "" where none is."""
        return newest(self.tags) or ""


class Stopped(Exception):
    """Another file failed, or the user stopped the program."""


class Place(Protocol):
    """A place for releases: a repository of the Hub (pipelines/hub/repository.py), or a folder of a store (pipelines/hub/store.py).

    A version is there once it is marked; what it holds does not change afterwards. A revision names the files of a version, or of one that
    is on its way. Every method raises HubError or EnvironmentProblem, one line, where the place refuses or cannot be reached.

    Attributes:
        address: as a person writes it.
        title: as a message calls it.
        sign: what marks a version.
        last: files that come with the mark.
    """

    address: str
    title: ClassVar[str]
    sign: ClassVar[str]
    last: ClassVar[frozenset[str]]

    def session(self) -> AbstractContextManager[None]:
        """Deal with it inside: waits are told, errors are one line."""
        ...

    def versions(self) -> dict[str, str]:
        """Published version -> revision."""
        ...

    def listing(self, revision: str) -> dict[str, Held]:
        """All files of a revision, by name."""
        ...

    def has(self, names: tuple[str, ...], revision: str) -> set[str]:
        """Which of a few names a revision has."""
        ...

    def read(self, name: str, revision: str) -> bytes:
        """The bytes of a small file, as anybody gets them who asks now."""
        ...

    def bring(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """A file, below a folder of this machine; ends early when it is told to."""
        ...

    def demand_writer(self, *, public: bool) -> None:
        """We may write there, as far as one can tell before, and `public` means something."""
        ...

    def look(self, version: str) -> Remote:
        """What is there; of a version, its files."""
        ...

    def begin(self, remote: Remote, *, public: bool) -> str:
        """The revision that the first step goes on from; the place is made if it is not there."""
        ...

    def write(self, staged: Staged, step: Step, revision: str) -> str:
        """Make one step; the revision afterwards."""
        ...

    def mark(self, staged: Staged, revision: str) -> None:
        """Publish the version of a release: the revision holds all its files but the last."""
        ...

    def address_in(self, said: Mapping[str, Any]) -> str:
        """The address of which the texts of a release tell there."""
        ...

    def standing(self, remote: Remote, *, public: bool) -> str:
        """What the place is, for whoever is about to publish."""
        ...

    def costs(self, staged: Staged, remote: Remote, sent: int, *, public: bool) -> list[str]:
        """What it takes there when so many bytes are sent, and limits of the place, a line each."""
        ...

    def marked(self, version: str, config: str) -> list[str]:
        """How it was made sure of and marked, and how to read it."""
        ...


def said_of(manifest: bytes, where: str) -> dict[str, Any]:
    """Name, version and files by a manifest that lies somewhere.

    Raises:
        HubError: it is none of a release.
    """
    try:
        said: dict[str, Any] = json.loads(manifest)
        return {"name": said["name"], "version": said["version"], "files": dict(said["files"])}
    except (ValueError, KeyError, TypeError):
        what = f"its {MANIFEST} is none of a release"
        raise HubError(what, where=where, fix="publish under another name") from None


def is_same(local: Local, held: Held | None) -> bool:
    """Whether the place holds these bytes."""
    if held is None or held.size != local.size:
        return False
    if not held.blob or held.sha256:
        return held.sha256 == local.sha256
    from huggingface_hub.utils.sha import git_hash

    return held.blob == str(git_hash(local.path.read_bytes()))


def are_same(files: Mapping[str, Local], held: Mapping[str, Held]) -> bool:
    """Whether the place holds these files, and nothing else that a release could hold."""
    return not differing(files, held) and not strange(files, held)


def differing(files: Mapping[str, Local], held: Mapping[str, Held]) -> list[str]:
    """Names of files that the place does not hold, or of which it holds other bytes."""
    return [name for name, local in files.items() if not is_same(local, held.get(name))]


def strange(files: Mapping[str, Local], held: Mapping[str, Held]) -> list[str]:
    """Names of files there that are not of this release; what the Hub itself puts into a repository is passed over."""
    return [name for name in held if name not in files and name != ".gitattributes"]
