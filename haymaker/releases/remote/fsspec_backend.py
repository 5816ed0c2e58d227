"""Backend for a folder in an object store or on a disk, with one subfolder per version.

A version has the unchanged files of the release folder; its manifest is written last and never overwritten.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from haymaker.core.errors import HubError
from haymaker.core.files.disk import disk_errors
from haymaker.core.progress import megabytes, say
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import tag, version_of
from haymaker.releases.remote.backend import RemoteFile, Stopped, read_manifest
from haymaker.releases.remote.storage import Storage

_TOLD_BYTES = 100_000_000  # above this size, reading is announced
_AGAIN = "check address, credentials and network; the same command goes on from where it stopped"


@dataclass
class FsspecBackend:
    """Backend for stores (see Backend); a revision is a version.

    Attributes:
        address: any fsspec address, such as s3://BUCKET/FOLDER.
    """

    address: str
    title: ClassVar[str] = "the store"

    @cached_property
    def storage(self) -> Storage:
        """Return the storage folder."""
        return Storage(self.address, fix=_AGAIN)

    @contextmanager
    def session(self) -> Iterator[None]:
        """See Backend."""
        yield

    def versions(self) -> dict[str, str]:
        """See Backend."""
        return published_versions(self.storage.sizes())

    def listing(self, revision: str) -> dict[str, RemoteFile]:
        """See Backend. Reads files that the manifest does not list (all files if there is no manifest)."""
        sizes = self._below(revision)
        listed = self.manifest_of(revision)["files"] if MANIFEST in sizes else {}
        hashes = {name: str(listed[name]["sha256"]) for name in sizes if name in listed}
        others = [name for name in sizes if name not in listed]
        if (total := sum(sizes[name] for name in others)) > _TOLD_BYTES:
            say(f"reading {len(others):,} files of {self.storage.where}, {megabytes(total)}")
        read = self.storage.hashes(f"{revision}/{name}" for name in others)
        hashes |= {name: read[f"{revision}/{name}"] for name in others}
        return {name: RemoteFile(size, hashes[name]) for name, size in sizes.items()}

    def names_present(self, names: tuple[str, ...], revision: str) -> set[str]:
        """See Backend."""
        return self._below(revision).keys() & set(names)

    def read(self, name: str, revision: str) -> bytes:
        """See Backend."""
        return self.storage.read(f"{revision}/{name}")

    def download(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """See Backend."""
        target = folder / name
        coming = target.with_name(f"{target.name}.incomplete")
        with disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            with coming.open("wb") as file:
                for block in self.storage.blocks(f"{revision}/{name}"):
                    if stop.is_set():
                        raise Stopped
                    file.write(block)
            coming.replace(target)
        return target

    def _below(self, version: str) -> dict[str, int]:
        found = self.storage.sizes(version)
        return {name.removeprefix(f"{version}/"): size for name, size in found.items()}

    def manifest_of(self, version: str) -> dict[str, Any]:
        """Return name, version and files from the manifest of a version."""
        where = f"{self.storage.where}/{version}"
        said = read_manifest(self.read(MANIFEST, version), where)
        if said["version"] != version:
            raise HubError(f"holds {tag(str(said['version']))}", where=where, fix="look who put it there")
        return said


def version_folder(name: str) -> str:
    """Return the version of a file by its folder, or an empty string."""
    first, slash, _ = name.partition("/")
    return version_of(tag(first)) if slash else ""


def published_versions(names: Mapping[str, int]) -> dict[str, str]:
    """Return version -> version for all versions with a manifest."""
    return {version: version for name in names if (version := version_folder(name)) and name == f"{version}/{MANIFEST}"}
