"""Stage a release for publication: link its rows, write its texts for the destination, and check all files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import disk_errors, remove, sha256_file, write_text
from haymaker.releases import manifest
from pipelines.publishing.card.texts import texts


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to publish.

    Attributes:
        path: local path.
        size: in bytes.
        sha256: SHA-256 of the bytes.
    """

    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """The complete set of files to publish.

    Attributes:
        folder: staging folder, for inspection.
        manifest: manifest.
        files: remote name -> file, rows first.
    """

    folder: Path
    manifest: dict[str, Any]
    files: dict[str, LocalFile]


def check_verified(facts: dict[str, Any], where: str) -> None:
    """Check that every row of the release was validated and none failed.

    Raises:
        ReleaseError: a row failed or was not validated.
    """
    verification = facts.get("verification")
    if not isinstance(verification, dict):
        raise ReleaseError("the rows were not checked", where=where, fix="haymaker run")
    if failed := {name: count for name, count in verification["failed"].items() if count}:
        name, count = next(iter(failed.items()))
        raise ReleaseError(f"{count:,} rows fail the check {name}", where=where, fix="haymaker validate")
    rows = sum(entry["rows"] for name, entry in facts["files"].items() if name.startswith("data/"))  # others are copies
    if verification["rows"] < rows:
        what = f"only {verification['rows']:,} of {rows:,} rows were checked"
        raise ReleaseError(what, where=where, fix="haymaker run")


def stage(facts: dict[str, Any], release: Path, address: str, folder: Path, private: tuple[str, ...]) -> ReleaseFiles:
    """Create the folder to publish.

    Args:
        facts: manifest of the release, or of a subset of it.
        release: folder with the rows.
        address: address for the texts.
        folder: staging folder; an existing one is replaced.
        private: strings that no text may contain: the token, folders of this machine.

    Raises:
        ReleaseError: the release is incomplete, or a text contains a private string.
    """
    with disk_errors(folder):
        remove(folder)
        for name in facts["files"]:
            link = folder / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to((release / name).resolve())
    written = texts(facts, address)
    for name, text in written.items():
        if any(secret in text for secret in private):
            what = f"{name} would contain a token or a folder of this machine"
            raise ReleaseError(what, where=str(release), fix="remove it from the parameters, then haymaker run")
        write_text(folder / name, text)
    manifest.check_files(folder)
    hashes = {name: entry["sha256"] for name, entry in facts["files"].items()}
    hashes |= {name: sha256_file(folder / name) for name in written}
    files = {name: LocalFile(folder / name, (folder / name).stat().st_size, sha) for name, sha in hashes.items()}
    return ReleaseFiles(folder, facts, files)
