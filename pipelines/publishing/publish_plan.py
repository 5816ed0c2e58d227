"""Plan of a publication: files to upload and remove, changes by task, limits of the Hub, and reasons to refuse."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from haymaker.core.errors import HaymakerError, HubError, ReleaseError
from haymaker.releases.configs import MOST, configs
from haymaker.releases.manifest import CARD, MANIFEST
from haymaker.releases.pulled.partial_pull import suite_of
from haymaker.releases.pulled.ref import tag, version_order
from haymaker.releases.remote.backend import Backend, RemoteFile, RemoteState
from pipelines.publishing.release_files import LocalFile, ReleaseFiles

FILES, FOLDER_FILES = 100_000, 10_000
"""Limits of the Hub besides configs: files per repository and per folder."""


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """Files to upload and remove: rows first, then texts together with removals, so that a card never lacks its files."""

    rows: list[str]
    texts: list[str]
    removed: list[str]

    @property
    def uploaded(self) -> list[str]:
        """All files to upload."""
        return [*self.rows, *self.texts]


def task_of(name: str) -> str:
    """Return suite/task of a file of rows, or ""."""
    parts = PurePosixPath(name).parts
    return "/".join(parts[1:3]) if len(parts) == 5 and parts[0] == "data" else ""


def upload_plan(staged: ReleaseFiles, remote: RemoteState) -> UploadPlan:
    """Return the files that differ from the place."""
    different, rows = changed_files(staged.files, remote.files), staged.manifest["files"]
    texts = [name for name in different if name not in rows]
    return UploadPlan([n for n in different if n in rows], texts, foreign_files(staged.files, remote.files))


def is_published(staged: ReleaseFiles, remote: RemoteState) -> bool:
    """Check whether this version is already published with the same bytes."""
    held = remote.tagged
    return held is not None and not changed_files(staged.files, held) and not foreign_files(staged.files, held)


def changed_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Return the names of files that are missing at the place or have other bytes there."""
    return [name for name, local in files.items() if not _is_same(local, held.get(name))]


def foreign_files(files: Mapping[str, LocalFile], held: Mapping[str, RemoteFile]) -> list[str]:
    """Return the names of remote files that do not belong to this release, except files created by the Hub."""
    return [name for name in held if name not in files and name != ".gitattributes"]


def _is_same(local: LocalFile, held: RemoteFile | None) -> bool:
    if held is None or held.size != local.size:
        return False
    if held.sha256 or not held.blob:
        return held.sha256 == local.sha256
    blob = hashlib.sha1(b"blob %d\0" % local.size + local.path.read_bytes(), usedforsecurity=False)  # as git does
    return held.blob == blob.hexdigest()


def changes(staged: ReleaseFiles, remote: RemoteState) -> dict[str, tuple[int, int, int]]:
    """Return task -> number of new, changed and deleted files since the newest version, without unchanged tasks."""
    before, now = remote.manifest.get("files", {}), staged.manifest["files"]
    new = Counter(task_of(name) for name in now if name not in before)
    changed = Counter(task_of(name) for name in now if name in before and before[name]["sha256"] != now[name]["sha256"])
    gone = Counter(task_of(name) for name in before if name not in now)
    tasks = sorted({*new, *changed, *gone})
    return {task or "mini": (new[task], changed[task], gone[task]) for task in tasks}


def limits(staged: ReleaseFiles) -> list[tuple[str, int, int]]:
    """Return quantity, value and limit for each limit of the Hub and its viewer."""
    folders = Counter(PurePosixPath(name).parent for name in staged.files)
    return [
        ("configs", len(configs(staged.manifest)), MOST),
        ("files", len(staged.files), FILES),
        ("files in a folder", max(folders.values()), FOLDER_FILES),
    ]


def refusals(place: Backend, staged: ReleaseFiles, remote: RemoteState) -> list[HaymakerError]:
    """Return the errors that block publication to this place."""
    found: list[HaymakerError] = []
    foreign = [name for name in foreign_files(staged.files, remote.files) if not suite_of(name)]
    if CARD in remote.files and not {MANIFEST} & {*remote.files, *place.last}:
        foreign.insert(0, CARD)
    if foreign:
        what = f"contains {foreign[0]}, which is not part of a release"
        found.append(HubError(what, where=place.address, fix="choose another name, or remove the file"))
    if (name := remote.manifest.get("name", staged.manifest["name"])) != staged.manifest["name"]:
        what = f"contains the release {name}, not {staged.manifest['name']}"
        found.append(HubError(what, where=place.address, fix="choose another address: one release per address"))
    found += _version_refusals(place, staged, remote)
    if remote.exists and not remote.private and not place.public:
        what = "public: everyone will be able to read the release"
        found.append(HubError(what, where=place.address, fix="add --public to confirm"))
    return found


def _version_refusals(place: Backend, staged: ReleaseFiles, remote: RemoteState) -> list[HaymakerError]:
    version = str(staged.manifest["version"])
    if remote.tagged is not None:
        name = [*changed_files(staged.files, remote.tagged), *foreign_files(staged.files, remote.tagged)][0]
        what = f"{tag(version)} is already published with other bytes, first difference in {name}"
        return [ReleaseError(what, where=place.address, fix="raise release.version, then haymaker run")]
    if remote.newest and version_order(version) < version_order(remote.newest):
        what = f"{version} is lower than the published version {remote.newest}"
        return [ReleaseError(what, where=place.address, fix=f"make release.version higher than {remote.newest}")]
    return []
