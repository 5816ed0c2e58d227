"""haymaker pull: download a published release, or a part of it, and verify files against the manifest and the card."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from haymaker.core.buckets import bucket_order
from haymaker.core.errors import HubError, ReleaseError
from haymaker.core.files.disk import disk_errors, locked, remove, sha256_file
from haymaker.core.progress import compact, say
from haymaker.releases.manifest import CARD, MANIFEST, TEXTS, check_texts
from haymaker.releases.pulled import partial_pull
from haymaker.releases.pulled.folders import pulled_folder
from haymaker.releases.pulled.partial_pull import STATE, PullNote
from haymaker.releases.pulled.ref import Reference, newest, tag, version_order
from haymaker.releases.remote.backend import Backend
from haymaker.releases.remote.download import ReleaseDownload
from haymaker.releases.remote.open_backend import open_backend
from haymaker.releases.selection import Selection, tasks_without_rows

_OTHER_TEXTS = tuple(name for name in TEXTS if name not in (CARD, MANIFEST))
_STAGE = STATE / "files"


def pull(reference: Reference, choice: Selection, into: Path | None = None, *, plan: bool = False) -> Path:
    """Download the selected files; existing files are kept, and stopped downloads resume.

    Args:
        reference: release to pull; without a version, the newest published one.
        choice: rows to pull.
        into: target folder; None: the default folder of this release.
        plan: dry run: download only the texts and print the files to pull.

    Returns:
        Folder of the release.

    Raises:
        HubError: the place refuses, is unreachable, or contains no such release or an invalid one.
        ReleaseError: the release has no such rows, or the folder contains another release.
        EnvironmentProblem: the disk is full or not writable, or another pull uses the folder.
    """
    place = open_backend(reference.repo)
    with place.session():
        found, revision = _version(place, reference)
        folder = into or pulled_folder(found)
        _check_ours(folder, found)
        with locked(folder / STATE, owner=f"haymaker pull {found}, process {os.getpid()}"):
            remote = ReleaseDownload(place, found, revision, folder / _STAGE)
            _sweep(folder / _STAGE)
            said = _texts(remote, folder)
            wanted = choice.names(said["files"])
            for line in tasks_without_rows(choice, wanted):
                say(line)
            files = {name: said["files"][name] for name in wanted}
            lacking = _lacking(folder, files)
            _tell(folder, files, lacking, said["files"], remote)
            if not plan:
                _bring(remote, folder, files, lacking)
    if not plan:
        name = into or found
        say(f"  {folder}\n  Next: haymaker show TASK --release {name}, haymaker score OUTPUTS --release {name}")
    return folder


def _version(place: Backend, asked: Reference) -> tuple[Reference, str]:
    """Return the requested version (default: the newest) and its revision."""
    there = place.versions()
    chosen = asked.version or newest(there)
    if chosen not in there:
        listed = ", ".join(sorted(there, key=version_order)) or "none"
        raise HubError(
            f"no version {chosen} of it; published are {listed}" if chosen else "no version of it is published",
            where=asked.repo,
            fix=f"haymaker pull {asked.repo}@{newest(there)}" if there else "ask who published it",
        )
    if asked.version is None:
        say(f"{asked.repo}: {chosen} is the newest of {len(there)} versions")
    return Reference(asked.repo, chosen), there[chosen]


def _check_ours(folder: Path, found: Reference) -> None:
    """Check that the folder is new, empty, or contains a pull of this version."""
    what = partial_pull.read_note(folder)
    if what is None and folder.is_dir() and any(path.name != STATE.parts[0] for path in folder.iterdir()):
        raise ReleaseError("is not empty, and nothing was pulled into it", where=str(folder), fix="name a new folder")
    if what is not None and (what.repo, what.version) != (found.repo, found.version):
        raise ReleaseError(
            f"holds {what.repo}@{what.version}", where=str(folder), fix="name another folder: one release, one folder"
        )


def _sweep(stage: Path) -> None:
    """Remove partial files of a killed download (the Hub library does not resume them)."""
    with disk_errors(stage):
        for path in stage.rglob("*.incomplete"):
            path.unlink()


def _texts(remote: ReleaseDownload, folder: Path) -> dict[str, Any]:
    """Download the texts of the release to its folder, after checking that card and manifest match.

    Returns:
        The manifest.
    """
    what = partial_pull.read_note(folder)
    if what is not None and what.commit == remote.revision and _sha256(folder / MANIFEST) == what.manifest:
        with suppress(ReleaseError):  # a damaged card is downloaded again
            return check_texts(folder)
    there = sorted(remote.place.names_present(_OTHER_TEXTS, remote.revision))
    for name in (CARD, MANIFEST, *there):
        remote.text(name)
    said, sha256 = _check_fitting(remote), sha256_file(remote.stage / MANIFEST)
    if what is not None and sha256 != what.manifest:
        what_now = f"{tag(str(remote.reference.version))} names other files than when it was pulled"
        raise HubError(what_now, where=str(remote.reference), fix=f"rm -r {folder}, then pull it again")
    _note(remote, folder, sha256, what.asked if what else ())
    with disk_errors(folder):
        for name in (*there, CARD, MANIFEST):  # the manifest is moved last: its presence means that all are here
            (remote.stage / name).replace(folder / name)
    return said


def _note(remote: ReleaseDownload, folder: Path, manifest: str, asked: Iterable[str]) -> None:
    found = remote.reference
    partial_pull.write_note(folder, PullNote(found.repo, str(found.version), remote.revision, manifest, tuple(asked)))


def _check_fitting(remote: ReleaseDownload) -> dict[str, Any]:
    """Check that the downloaded card and manifest match and have the requested version."""
    try:
        said = check_texts(remote.stage)
    except ReleaseError as error:
        remove(remote.stage)
        raise HubError(
            f"{Path(error.where).name} {error.what}", where=str(remote.reference), fix="ask who published it"
        ) from None
    if said["version"] != remote.reference.version:
        remove(remote.stage)
        what = f"the manifest is of version {said['version']!r:.40}"
        raise HubError(what, where=str(remote.reference), fix="ask who published it")
    return said


def _sha256(path: Path) -> str:
    """Return the hex SHA-256 of a regular file, or "" if there is none."""
    return sha256_file(path) if path.is_file() and not path.is_symlink() else ""


def _lacking(folder: Path, files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files that are missing or differ from the manifest."""
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda name: _sha256(folder / name), files))
    return {name: files[name] for name, sha256 in zip(files, found, strict=True) if sha256 != files[name]["sha256"]}


def _bring(remote: ReleaseDownload, folder: Path, files: Mapping[str, Any], lacking: Mapping[str, Any]) -> None:
    """Record the requested files, then download: the record reveals the missing files of a stopped pull."""
    what = partial_pull.read_note(folder)
    assert what is not None
    _note(remote, folder, what.manifest, {*what.asked, *files})
    if lacking:
        remote.rows(folder, lacking)
    here = {name for name in what.asked if (folder / name).is_file()}
    partial_pull.write_configs(folder, {*here, *files})
    remove(remote.stage)


def _tell(
    folder: Path,
    files: Mapping[str, Any],
    lacking: Mapping[str, Any],
    listed: Mapping[str, Any],
    remote: ReleaseDownload,
) -> None:
    """Print the requested files, those still to download, and those not requested."""
    rows = sum(int(facts["rows"]) for facts in files.values())
    say(f"{remote.reference}: asked for {rows:,} rows in {len(files):,} files, {_size(files)}")
    by_bucket: dict[str, dict[str, Any]] = {}
    for name, facts in files.items():
        if at := partial_pull.row_file(name):
            by_bucket.setdefault(at.bucket, {})[name] = facts
    if by_bucket:
        say("  " + ", ".join(f"{bucket} {_size(by_bucket[bucket])}" for bucket in sorted(by_bucket, key=bucket_order)))
    if here := len(files) - len(lacking):
        say(f"  {here:,} of them are here already; {len(lacking):,} to come, {_size(lacking)}")
    left = {name: facts for name, facts in listed.items() if name not in files and not (folder / name).is_file()}
    if left:
        say(f"  left there: {len(left):,} files, {_size(left)} (--tasks, --suites, --buckets, --split all, --mini)")


def _size(files: Mapping[str, Any]) -> str:
    return f"{compact(sum(int(facts['bytes']) for facts in files.values()))}B"
