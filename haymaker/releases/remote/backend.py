"""Interface to a place with published releases: a dataset repository on the Hub, or a folder of a store."""

from __future__ import annotations

import json
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from haymaker.core.errors import HubError
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import newest, tag


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A published file.

    Attributes:
        size: size in bytes.
        sha256: SHA-256, or "" if only `blob` is known.
        blob: git blob id of a file that is stored in git.
    """

    size: int
    sha256: str
    blob: str = ""


@dataclass(frozen=True, slots=True)
class RemoteState:
    """State of a place before publication.

    Attributes:
        exists: whether the repository or folder exists.
        head: revision that the upload extends; "" if the repository does not exist.
        private: whether access is restricted.
        used: bytes in use, including old versions.
        versions: published version -> revision.
        files: files of the newest commit; in a store, files of the version to publish.
        tagged: files of the version to publish if it is already published, otherwise None.
        manifest: manifest of the newest version, otherwise of the newest commit; empty if there is none.
    """

    exists: bool = False
    head: str = ""
    private: bool = True
    used: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    files: dict[str, RemoteFile] = field(default_factory=dict)
    tagged: dict[str, RemoteFile] | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The newest published version, or ""."""
        return newest(self.versions) or ""


@dataclass
class Backend(ABC):
    """A place with published releases.

    A version exists once it is marked as published, and never changes afterwards. All methods raise HubError or
    EnvironmentProblem with one clear line.

    Attributes:
        address: ORG/NAME or store address.
        public: whether the upload may be read by everyone.
        last: files that are written together with the mark.
    """

    address: str
    public: bool = False
    last: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def versions(self) -> dict[str, str]:
        """Return published version -> revision."""

    @abstractmethod
    def download(self, names: Collection[str], revision: str, folder: Path) -> None:
        """Download files to a folder; names that the revision does not contain are skipped."""

    def manifest(self, revision: str, version: str) -> dict[str, Any]:
        """Return name, version and files from a published manifest.

        Args:
            revision: revision with the manifest.
            version: expected version; "": any.

        Raises:
            HubError: the revision has no manifest of this version.
        """
        where, fix = f"{self.address} {MANIFEST}", "check who published it, or use another address"
        with tempfile.TemporaryDirectory() as folder:
            self.download([MANIFEST], revision, Path(folder))
            try:
                content = json.loads(Path(folder, MANIFEST).read_bytes())
                found = {"name": content["name"], "version": content["version"], "files": dict(content["files"])}
            except (OSError, ValueError, KeyError, TypeError):
                raise HubError("not the manifest of a release", where=where, fix=fix) from None
        if version and found["version"] != version:
            raise HubError(f"found in {tag(version)}, but its version is {found['version']}", where=where, fix=fix)
        return found

    @abstractmethod
    def check_writer(self) -> None:
        """Check write access, as far as possible before the upload."""

    @abstractmethod
    def read_state(self, version: str) -> RemoteState:
        """Return the state of the place before a version is published."""

    @abstractmethod
    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """Return all files of a revision by name."""

    @abstractmethod
    def upload(self, folder: Path, names: Sequence[str], removed: Sequence[str], title: str, revision: str) -> str:
        """Upload files of a folder and remove others.

        Args:
            folder: local folder.
            names: files to upload.
            removed: files to remove.
            title: title of the commit.
            revision: revision that the upload extends; "": the place is created.

        Returns:
            The new revision.
        """

    @abstractmethod
    def mark_version(self, folder: Path, version: str, revision: str) -> None:
        """Mark a version as published; the revision already contains all files except `last`."""
