"""Plan of a publication: changed files by task, commits, limits of the Hub's viewer, and reasons to refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from haymaker.core.errors import HaymakerError, HubError, ReleaseError
from haymaker.releases.configs import MOST, configs
from haymaker.releases.manifest import CARD, MANIFEST
from haymaker.releases.pulled.partial_pull import suite_of
from haymaker.releases.pulled.ref import tag, version_order
from pipelines.publishing.publisher import Publisher, RemoteState, UploadBatch, are_same, changed_files, foreign_files
from pipelines.publishing.release_files import ReleaseFiles

COMMIT_FILES = 100
FILES, FOLDER_FILES, GROUP_BYTES = 100_000, 10_000, 300_000_000
"""Limits of the viewer besides configs: files per repository and folder, bytes per row group without a page index."""


@dataclass(frozen=True, slots=True)
class Change:
    """Number of new, changed and deleted files of a task."""

    new: int = 0
    changed: int = 0
    gone: int = 0


def task_of(name: str) -> str:
    """Return suite/task of a file of rows, or ""."""
    parts = PurePosixPath(name).parts
    return "/".join(parts[1:3]) if len(parts) == 5 and parts[0] == "data" else ""


def is_published(staged: ReleaseFiles, remote: RemoteState) -> bool:
    """Check whether this version is already published with the same bytes."""
    return remote.tagged is not None and are_same(staged.files, remote.tagged)


def steps(staged: ReleaseFiles, remote: RemoteState) -> list[UploadBatch]:
    """Return the batches that upload these files: one batch per task, texts and deleted tasks in the last."""
    sent, removed = changed_files(staged.files, remote.files), foreign_files(staged.files, remote.files)
    tasks = dict.fromkeys(task_of(name) for name in staged.files if task_of(name))
    groups = {task: [name for name in (*sent, *removed) if task_of(name) == task] for task in tasks}
    last = [name for name in (*sent, *removed) if task_of(name) not in tasks]
    gone, release = set(removed), f"{staged.manifest['name']} {staged.manifest['version']}"
    found = [
        _step(f"{release}: {', '.join(names)}" if len(names) < 6 else f"{release}: {len(names)} tasks", files, gone)
        for names, files in _packed({task: files for task, files in groups.items() if files})
    ]
    return [*found, _step(f"{release}: card and manifest", last, gone)] if last else found


def _packed(groups: dict[str, list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Pack whole groups into batches of up to COMMIT_FILES files."""
    names: list[str] = []
    files: list[str] = []
    for name, group in groups.items():
        if files and len(files) + len(group) > COMMIT_FILES:
            yield names, files
            names, files = [], []
        names, files = [*names, name], [*files, *group]
    if files:
        yield names, files


def _step(title: str, files: Iterable[str], gone: set[str]) -> UploadBatch:
    names = list(files)
    return UploadBatch(title, tuple(n for n in names if n not in gone), tuple(n for n in names if n in gone))


def changes(staged: ReleaseFiles, remote: RemoteState) -> dict[str, Change]:
    """Return task -> changes since the newest version, from the manifests; unchanged tasks are omitted."""
    before, now = remote.manifest.get("files", {}), staged.manifest["files"]
    new, changed, gone = Counter[str](), Counter[str](), Counter[str]()
    for name, facts in now.items():
        if name not in before:
            new[task_of(name)] += 1
        elif before[name]["sha256"] != facts["sha256"]:
            changed[task_of(name)] += 1
    gone.update(task_of(name) for name in before if name not in now)
    tasks = sorted({*new, *changed, *gone})
    return {task or "mini": Change(new[task], changed[task], gone[task]) for task in tasks}


def limits(staged: ReleaseFiles) -> list[tuple[str, int, int]]:
    """Return quantity, value and limit for each limit of the viewer."""
    folders = Counter(PurePosixPath(name).parent for name in staged.files)
    return [
        ("configs", len(configs(staged.manifest)), MOST),
        ("files", len(staged.files), FILES),
        ("files in a folder", max(folders.values()), FOLDER_FILES),
        ("bytes of a row group without a page index", largest_group(staged), GROUP_BYTES),
    ]


def largest_group(staged: ReleaseFiles) -> int:
    """Return the uncompressed bytes of the largest row group without a page index."""
    import pyarrow.parquet as pq

    largest = 0
    for name, local in staged.files.items():
        if name.endswith(".parquet"):
            facts = pq.read_metadata(local.path)
            for group in (facts.row_group(i) for i in range(facts.num_row_groups)):
                if not all(group.column(i).has_offset_index for i in range(group.num_columns)):
                    largest = max(largest, group.total_byte_size)
    return largest


def refusals(place: Publisher, staged: ReleaseFiles, remote: RemoteState, *, public: bool) -> list[HaymakerError]:
    """Return the errors that block publication to this location."""
    found: list[HaymakerError] = []
    foreign = [name for name in foreign_files(staged.files, remote.files) if not suite_of(name)]
    if CARD in remote.files and not {MANIFEST} & {*remote.files, *place.last}:
        foreign.insert(0, CARD)
    if foreign:
        what = f"holds {foreign[0]}, which no release made"
        found.append(HubError(what, where=remote.repo, fix="publish under another name, or remove it there"))
    if (name := remote.manifest.get("name", staged.manifest["name"])) != staged.manifest["name"]:
        what = f"holds the release {name}, and this is {staged.manifest['name']}"
        found.append(HubError(what, where=remote.repo, fix="give each release an address of its own"))
    found += _version(staged, remote, str(staged.manifest["version"]))
    if remote.head and not remote.private and not public:
        what = "is public: everybody will read what is sent there"
        found.append(HubError(what, where=remote.repo, fix="add --public if that is meant"))
    return found


def _version(staged: ReleaseFiles, remote: RemoteState, version: str) -> list[HaymakerError]:
    if remote.tagged is not None:
        name = [*changed_files(staged.files, remote.tagged), *foreign_files(staged.files, remote.tagged)][0]
        what = f"{tag(version)} is published with other bytes, the first in {name}"
        return [ReleaseError(what, where=remote.repo, fix="raise release.version, then haymaker run")]
    if remote.newest and version_order(version) < version_order(remote.newest):
        what = f"{version} is lower than {remote.newest}, which is published"
        return [ReleaseError(what, where=remote.repo, fix=f"make release.version higher than {remote.newest}")]
    return []
