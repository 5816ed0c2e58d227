"""Interface to places with published releases: listing and download."""

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
    """A published file.

    Attributes:
        size: size in bytes.
        sha256: SHA-256 of a large file; "" if git stores the file directly.
        blob: git blob id, for files stored in git.
    """

    size: int
    sha256: str
    blob: str = ""


class Stopped(Exception):
    """Another file failed, or the user stopped the program."""


class Backend(Protocol):
    """Place with published releases: a Hub dataset repository (hf_backend.py) or store folder (fsspec_backend.py).

    A version exists once it is marked as published, and never changes afterwards. A revision identifies the files of a
    version, published or in progress. All methods raise HubError or EnvironmentProblem on refusal or failed access.

    Attributes:
        address: address as written by the user.
        title: name used in messages.
    """

    address: str
    title: ClassVar[str]

    def session(self) -> AbstractContextManager[None]:
        """Return a context for all access: waits are printed, errors become one line."""
        ...

    def versions(self) -> dict[str, str]:
        """Return published version -> revision."""
        ...

    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """Return all files of a revision by name."""
        ...

    def names_present(self, names: tuple[str, ...], revision: str) -> set[str]:
        """Return which of these names exist in a revision."""
        ...

    def read(self, name: str, revision: str) -> bytes:
        """Return the current bytes of a small file."""
        ...

    def download(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """Download a file to a local folder; raises Stopped when `stop` is set."""
        ...


def read_manifest(manifest: bytes, where: str) -> dict[str, Any]:
    """Parse name, version and files of a manifest.

    Raises:
        HubError: this is not the manifest of a release.
    """
    try:
        said: dict[str, Any] = json.loads(manifest)
        return {"name": said["name"], "version": said["version"], "files": dict(said["files"])}
    except (ValueError, KeyError, TypeError):
        what = f"its {MANIFEST} is none of a release"
        raise HubError(what, where=where, fix="publish under another name") from None
