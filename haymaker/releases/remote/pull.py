"""haymaker pull: download a published release, or a part of it, and verify files against the manifest and the card."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.core.errors import EnvironmentProblem, HubError, ReleaseError
from haymaker.core.files.disk import disk_errors, locked, remove, sha256_file
from haymaker.core.lengths import length_order
from haymaker.core.progress import compact, say
from haymaker.releases.manifest import CARD, MANIFEST, TEXTS, check_texts
from haymaker.releases.pulled import partial_pull
from haymaker.releases.pulled.folders import pulled_folder
from haymaker.releases.pulled.partial_pull import STATE, PullNote
from haymaker.releases.pulled.ref import Reference, newest, tag, version_order
from haymaker.releases.remote.backend import Backend
from haymaker.releases.remote.open_backend import open_backend
from haymaker.releases.selection import Selection, tasks_without_rows

_SPARE_BYTES = 16 << 20  # disk reserve for texts and folders
_TEXT_ORDER = (*(name for name in TEXTS if name not in (CARD, MANIFEST)), CARD, MANIFEST)
"""Order in which texts get their final names: the manifest shows that all are complete."""
_ASK = "ask the publisher of the release"

Files = Mapping[str, Mapping[str, Any]]
"""Name of a row file -> its entry in the manifest: `sha256`, `bytes` and `rows`."""


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
    found, revision = _version(place, reference)
    folder = into or pulled_folder(found)
    _check_folder(folder, found)
    with locked(folder / STATE, owner=f"haymaker pull {found}, process {os.getpid()}"), disk_errors(folder):
        job = _Pull(place, found, revision, folder)
        listed = job.texts()["files"]
        wanted = choice.names(listed)
        for line in tasks_without_rows(choice, wanted):
            say(line)
        files = {name: listed[name] for name in wanted}
        missing = _missing(folder, files)
        _print_plan(job, files, missing, listed)
        if plan:
            return folder
        job.rows(files, missing)
    say(f"  {folder}")
    named = shlex.quote(str(into or found))
    say(f"  Next: haymaker show TASK --release {named}, haymaker score OUTPUTS --release {named}")
    return folder


def _version(place: Backend, reference: Reference) -> tuple[Reference, str]:
    """Return the requested version (default: the newest) and its revision."""
    published = place.versions()
    version = reference.version or newest(published)
    if version not in published:
        listed = ", ".join(sorted(published, key=version_order)) or "none"
        what = f"no version {version}; published versions: {listed}" if version else "no version is published"
        fix = f"haymaker pull {reference.repo}@{newest(published)}" if published else _ASK
        raise HubError(what, where=reference.repo, fix=fix)
    if reference.version is None:
        say(f"{reference.repo}: {version} is the newest of {len(published)} versions")
    return Reference(reference.repo, version), published[version]


def _check_folder(folder: Path, found: Reference) -> None:
    """Check that the folder is new, empty, or contains a pull of this version."""
    note = partial_pull.read_note(folder)
    if note is None and folder.is_dir() and any(path.name != STATE.parts[0] for path in folder.iterdir()):
        raise ReleaseError("not empty, and not a pulled release", where=str(folder), fix="choose a new folder")
    if note is not None and (note.repo, note.version) != (found.repo, found.version):
        what = f"contains {note.repo}@{note.version}"
        raise ReleaseError(what, where=str(folder), fix="choose another folder: one release per folder")


@dataclass(frozen=True, slots=True)
class _Pull:
    """Download of one version to a folder. Files get their final names only after verification."""

    place: Backend
    reference: Reference
    revision: str
    folder: Path

    @property
    def stage(self) -> Path:
        """Folder of files that are not verified yet."""
        return self.folder / STATE / "files"

    def texts(self) -> dict[str, Any]:
        """Download the texts of the release if needed, and return the manifest."""
        note = partial_pull.read_note(self.folder)
        if note and note.commit == self.revision and _sha256(self.folder / MANIFEST) == note.manifest:
            with suppress(ReleaseError):  # a damaged card is downloaded again
                return check_texts(self.folder)
        for path in (*self.stage.rglob("*.incomplete"), *(self.stage / name for name in TEXTS)):
            remove(path)  # left by a killed pull
        self.place.download(TEXTS, self.revision, self.stage)
        manifest, sha256 = self._checked(), _sha256(self.stage / MANIFEST)
        if note and sha256 != note.manifest:
            what = f"{tag(str(self.reference.version))} was changed after you pulled it"
            raise HubError(what, where=str(self.reference), fix=f"rm -r {self.folder}, then pull it again")
        self._note(sha256, note.asked if note else ())
        for name in _TEXT_ORDER:
            if (self.stage / name).exists():
                (self.stage / name).replace(self.folder / name)
        return manifest

    def rows(self, files: Files, missing: Files) -> None:
        """Download the missing row files, and record all requested files."""
        note = partial_pull.read_note(self.folder)
        assert note is not None
        self._note(note.manifest, {*note.asked, *files})  # before the download: a stopped pull is incomplete
        if missing := self._keep_verified(missing):
            _check_disk_space(self.folder, missing)
            self.place.download(list(missing), self.revision, self.stage)
            for name in self._keep_verified(missing):
                is_damaged = (self.stage / name).exists()
                what = "the SHA-256 of the file differs from the manifest" if is_damaged else "the file is missing"
                remove(self.stage / name)
                fix = f"run the same command again; if the error stays, {_ASK}"
                raise HubError(what, where=f"{self.reference}/{name}", fix=fix)
        present = {name for name in note.asked if (self.folder / name).is_file()}
        partial_pull.write_configs(self.folder, {*present, *files})
        remove(self.stage)

    def _checked(self) -> dict[str, Any]:
        """Check that the downloaded card and manifest match and have the requested version."""
        try:
            manifest = check_texts(self.stage)
            if manifest["version"] != self.reference.version:
                what = f"version {manifest['version']!r:.40} instead of {self.reference.version}"
                raise ReleaseError(what, where=MANIFEST)
        except ReleaseError as error:
            remove(self.stage)
            what = f"{Path(error.where).name}: {error.what}"
            raise HubError(what, where=str(self.reference), fix=_ASK) from None
        return manifest

    def _note(self, manifest: str, requested: Iterable[str]) -> None:
        ref = self.reference
        note = PullNote(ref.repo, str(ref.version), self.revision, manifest, tuple(requested))
        partial_pull.write_note(self.folder, note)

    def _keep_verified(self, files: Files) -> Files:
        """Move downloaded files with the right SHA-256 to the release, and return the other files."""
        wrong = _missing(self.stage, files)
        for name in files.keys() - wrong.keys():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.stage / name).replace(self.folder / name)
        return wrong


def _sha256(path: Path) -> str:
    """Return the hex SHA-256 of a regular file, or "" if there is none."""
    return sha256_file(path) if path.is_file() and not path.is_symlink() else ""


def _missing(folder: Path, files: Files) -> Files:
    """Return the files that are missing in a folder or differ from the manifest."""
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda name: _sha256(folder / name), files))
    return {name: files[name] for name, sha256 in zip(files, found, strict=True) if sha256 != files[name]["sha256"]}


def _check_disk_space(folder: Path, files: Files) -> None:
    size, free = sum(int(facts["bytes"]) for facts in files.values()), shutil.disk_usage(folder).free
    if free < size + _SPARE_BYTES:
        what = f"the download needs {compact(size)}B, but only {compact(free)}B are free"
        fix = "free space, select less (--tasks, --lengths), or choose another folder (--local-dir)"
        raise EnvironmentProblem(what, where=str(folder), fix=fix)


def _print_plan(job: _Pull, files: Files, missing: Files, listed: Files) -> None:
    """Print the selected files by length, those still to download, and the rest of the release."""
    rows = sum(int(facts["rows"]) for facts in files.values())
    say(f"{job.reference}: {rows:,} rows in {len(files):,} files, {_size(files)}")
    by_length: dict[str, dict[str, Any]] = {}
    for name, facts in files.items():
        if at := partial_pull.row_file(name):
            by_length.setdefault(at.length, {})[name] = facts
    if by_length:
        say("  " + ", ".join(f"{length} {_size(by_length[length])}" for length in sorted(by_length, key=length_order)))
    if present := len(files) - len(missing):
        say(f"  already here: {present:,} files; to download: {len(missing):,} files, {_size(missing)}")
    rest = {name: facts for name, facts in listed.items() if name not in files and not (job.folder / name).is_file()}
    if rest:
        say(f"  not selected: {len(rest):,} files, {_size(rest)} (--tasks, --suites, --lengths, --split all, --mini)")


def _size(files: Files) -> str:
    return f"{compact(sum(int(facts['bytes']) for facts in files.values()))}B"
