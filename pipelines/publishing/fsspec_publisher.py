"""Publish to a folder of an object store or a disk: one folder per version; the manifest is written last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from haymaker.core.errors import ParamsError
from haymaker.core.progress import megabytes
from haymaker.releases.folder import BUILT
from haymaker.releases.manifest import MANIFEST
from haymaker.releases.pulled.ref import newest
from haymaker.releases.remote.backend import RemoteFile
from haymaker.releases.remote.fsspec_backend import FsspecBackend, published_versions, version_folder
from pipelines.publishing.publisher import RemoteState, UploadBatch
from pipelines.publishing.release_files import ReleaseFiles


@dataclass
class FsspecPublisher(FsspecBackend):
    """See Publisher."""

    sign: ClassVar[str] = "the manifest"
    last: ClassVar[frozenset[str]] = frozenset({MANIFEST})

    def check_writer(self, *, public: bool) -> None:
        """See Publisher."""
        if public:
            what = "a store is as public as its bucket: that is set there"
            raise ParamsError(what, where="--public", fix="leave it out")

    def read_state(self, version: str) -> RemoteState:
        """See Publisher."""
        sizes = self.storage.sizes()
        versions = published_versions(sizes)
        files = self.listing(version) if any(name.startswith(f"{version}/") for name in sizes) else {}
        foreign = {f"../{name}": RemoteFile(size, "") for name, size in sizes.items() if not version_folder(name)}
        tagged = files if version in versions else None
        head = version if sizes else ""
        said = self.manifest_of(latest) if (latest := newest(versions)) else {}
        used = sum(sizes.values())
        return RemoteState(self.address, head, True, used, versions, files | foreign, tagged, said)

    def start(self, remote: RemoteState, *, public: bool) -> str:
        """See Publisher."""
        return ""

    def write(self, staged: ReleaseFiles, step: UploadBatch, revision: str) -> str:
        """See Publisher: everything except the manifest, since it is the mark."""
        version = str(staged.manifest["version"])
        sent = [name for name in step.sent if name not in self.last]
        self.storage.put({f"{version}/{name}": staged.files[name].path for name in sent})
        self.storage.remove([f"{version}/{name}" for name in step.removed])
        return version

    def mark_version(self, staged: ReleaseFiles, revision: str) -> None:
        """See Publisher: the manifest."""
        version = str(staged.manifest["version"])
        self.storage.sweep(version)
        self.storage.create(f"{version}/{MANIFEST}", staged.files[MANIFEST].path)

    def address_in_texts(self, said: Mapping[str, Any]) -> str:
        """See Publisher: the address of the build folder, so that the store can be moved."""
        return (BUILT / str(said["name"])).as_posix()

    def state_line(self, remote: RemoteState, *, public: bool) -> str:
        """See Publisher."""
        if not remote.head:
            return "a new folder of the store"
        return f"the store has {len(remote.tags)} versions, newest {remote.newest or 'none'}"

    def cost_lines(self, staged: ReleaseFiles, remote: RemoteState, sent: int, *, public: bool) -> list[str]:
        """See Publisher."""
        return [f"storage afterwards: about {megabytes(remote.used + sent)} ({megabytes(remote.used)} now; old versions stay)"]  # fmt: skip

    def result_lines(self, version: str, config: str) -> list[str]:
        """See Publisher."""
        return ["each read back, then the manifest", f"haymaker pull {self.address}@{version}"]
