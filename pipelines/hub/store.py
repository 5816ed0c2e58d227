"""A folder of a store (an object storage, or a disk): a folder for each version, which is there once its manifest is.

The files of a version are those of the release folder, byte for byte; the manifest is written last, and never over another one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from haymaker.errors import HubError, ParamsError
from haymaker.files import disk_errors
from pipelines.hub.remote import Held, Remote, Step, Stopped, said_of
from pipelines.hub.staged import Staged
from pipelines.manifest import MANIFEST
from pipelines.progress import megabytes, say
from pipelines.reference import newest, tag, version_of
from pipelines.release import BUILT
from pipelines.storage import Storage

_TOLD_BYTES = 100_000_000  # that take long enough to be read to say so
_AGAIN = "check address, credentials and network; the same command goes on from where it stopped"


@dataclass
class Store:
    """See Place; a revision is a version.

    Attributes:
        address: any that fsspec knows, such as s3://BUCKET/FOLDER.
    """

    address: str
    title: ClassVar[str] = "the store"
    sign: ClassVar[str] = "the manifest"
    last: ClassVar[frozenset[str]] = frozenset({MANIFEST})

    @cached_property
    def _storage(self) -> Storage:
        return Storage(self.address, fix=_AGAIN)

    @contextmanager
    def session(self) -> Iterator[None]:
        """See Place."""
        yield

    def versions(self) -> dict[str, str]:
        """See Place."""
        return _published(self._storage.sizes())

    def listing(self, revision: str) -> dict[str, Held]:
        """See Place. Files that the manifest does not list are read; where there is none yet, all are."""
        sizes = self._below(revision)
        listed = self._said(revision)["files"] if MANIFEST in sizes else {}
        hashes = {name: str(listed[name]["sha256"]) for name in sizes if name in listed}
        others = [name for name in sizes if name not in listed]
        if (total := sum(sizes[name] for name in others)) > _TOLD_BYTES:
            say(f"reading {len(others):,} files of {self._storage.where}, {megabytes(total)}")
        read = self._storage.hashes(f"{revision}/{name}" for name in others)
        hashes |= {name: read[f"{revision}/{name}"] for name in others}
        return {name: Held(size, hashes[name]) for name, size in sizes.items()}

    def has(self, names: tuple[str, ...], revision: str) -> set[str]:
        """See Place."""
        return self._below(revision).keys() & set(names)

    def read(self, name: str, revision: str) -> bytes:
        """See Place."""
        return self._storage.read(f"{revision}/{name}")

    def bring(self, name: str, revision: str, folder: Path, stop: threading.Event) -> Path:
        """See Place."""
        target = folder / name
        coming = target.with_name(f"{target.name}.incomplete")
        with disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            with coming.open("wb") as file:
                for block in self._storage.blocks(f"{revision}/{name}"):
                    if stop.is_set():
                        raise Stopped
                    file.write(block)
            coming.replace(target)
        return target

    def demand_writer(self, *, public: bool) -> None:
        """See Place."""
        if public:
            what = "a store is as public as its bucket: that is set there"
            raise ParamsError(what, where="--public", fix="leave it out")

    def look(self, version: str) -> Remote:
        """See Place."""
        sizes = self._storage.sizes()
        versions = _published(sizes)
        files = self.listing(version) if any(name.startswith(f"{version}/") for name in sizes) else {}
        foreign = {f"../{name}": Held(size, "") for name, size in sizes.items() if not _version(name)}
        tagged = files if version in versions else None
        head = version if sizes else ""
        said = self._said(latest) if (latest := newest(versions)) else {}
        used = sum(sizes.values())
        return Remote(self.address, head, True, used, versions, files | foreign, tagged, said)

    def begin(self, remote: Remote, *, public: bool) -> str:
        """See Place."""
        return ""

    def write(self, staged: Staged, step: Step, revision: str) -> str:
        """See Place: all but the manifest, which is the mark."""
        version = str(staged.said["version"])
        sent = [name for name in step.sent if name not in self.last]
        self._storage.put({f"{version}/{name}": staged.files[name].path for name in sent})
        self._storage.remove([f"{version}/{name}" for name in step.removed])
        return version

    def mark(self, staged: Staged, revision: str) -> None:
        """See Place: the manifest."""
        version = str(staged.said["version"])
        self._storage.sweep(version)
        self._storage.create(f"{version}/{MANIFEST}", staged.files[MANIFEST].path)

    def address_in(self, said: Mapping[str, Any]) -> str:
        """See Place: that of the folder where it was built, so that a store may be moved."""
        return (BUILT / str(said["name"])).as_posix()

    def standing(self, remote: Remote, *, public: bool) -> str:
        """See Place."""
        if not remote.head:
            return "a new folder of the store"
        return f"the store has {len(remote.tags)} versions, newest {remote.newest or 'none'}"

    def costs(self, staged: Staged, remote: Remote, sent: int, *, public: bool) -> list[str]:
        """See Place."""
        return [f"storage afterwards: about {megabytes(remote.used + sent)} ({megabytes(remote.used)} now; old versions stay)"]  # fmt: skip

    def marked(self, version: str, config: str) -> list[str]:
        """See Place."""
        return ["each read back, then the manifest", f"haymaker pull {self.address}@{version}"]

    def _below(self, version: str) -> dict[str, int]:
        found = self._storage.sizes(version)
        return {name.removeprefix(f"{version}/"): size for name, size in found.items()}

    def _said(self, version: str) -> dict[str, Any]:
        where = f"{self._storage.where}/{version}"
        said = said_of(self.read(MANIFEST, version), where)
        if said["version"] != version:
            raise HubError(f"holds {tag(str(said['version']))}", where=where, fix="look who put it there")
        return said


def _version(name: str) -> str:
    """The version whose folder a file is in; "" of none."""
    first, slash, _ = name.partition("/")
    return version_of(tag(first)) if slash else ""


def _published(names: Mapping[str, int]) -> dict[str, str]:
    """Version -> version, of those whose manifest is there."""
    return {version: version for name in names if (version := _version(name)) and name == f"{version}/{MANIFEST}"}
