"""Published releases: what a place for them can list and download."""

from __future__ import annotations

import json
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from haymaker.core.errors import HubError
from haymaker.releases.manifest import MANIFEST


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file that is there.

    Attributes:
        size: bytes.
        sha256: of a large file; "" of one that git holds.
        blob: git's name of the bytes of one that git holds.
    """

    size: int
    sha256: str
    blob: str = ""


class Stopped(Exception):
    """Another file failed, or the user stopped the program."""


class Backend(Protocol):
    """A place with published releases: a dataset repository of the Hub (hf_backend.py), or a folder of an object store (fsspec_backend.py).

    A version is there once it is marked; what it holds does not change afterwards. A revision names the files of a version, or of one that
    is on its way. Every method raises HubError or EnvironmentProblem, one line, where the place refuses or cannot be reached.

    Attributes:
        address: as a person writes it.
        title: as a message calls it.
    """

    address: str
    title: ClassVar[str]

    def session(self) -> AbstractContextManager[None]:
        """Deal with it inside: waits are told, errors are one line."""
        ...

    def versions(self) -> dict[str, str]:
        """Published version -> revision."""
        ...

    def listing(self, revision: str) -> dict[str, RemoteFile]:
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


def read_manifest(manifest: bytes, where: str) -> dict[str, Any]:
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
