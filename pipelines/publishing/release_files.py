"""A release as it will stand where it is published: its rows linked, its texts made for that place, proved whole before anything is sent."""

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
        path: where it lies.
        size: bytes.
        sha256: of its bytes.
    """

    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ReleaseFiles:
    """All that will be published, and nothing else.

    Attributes:
        folder: where it can be looked at.
        said: its manifest.
        files: name there -> file, rows first.
    """

    folder: Path
    said: dict[str, Any]
    files: dict[str, LocalFile]


def check_verified(said: dict[str, Any], where: str) -> None:
    """Every row of the release was proved, and none failed.

    Raises:
        ReleaseError: not so.
    """
    proof = said.get("proof")
    if not isinstance(proof, dict):
        raise ReleaseError("holds no proof of its rows", where=where, fix="haymaker run builds and proves it")
    if failed := {name: count for name, count in proof["failed"].items() if count}:
        name, count = next(iter(failed.items()))
        raise ReleaseError(f"{count:,} rows fail the check {name}", where=where, fix="haymaker validate names them")
    rows = sum(facts["rows"] for name, facts in said["files"].items() if name.startswith("data/"))  # others are copies
    if proof["rows"] < rows:
        what = f"{proof['rows']:,} of {rows:,} rows are proved"
        raise ReleaseError(what, where=where, fix="haymaker run builds and proves it")


def stage(said: dict[str, Any], release: Path, address: str, folder: Path, private: tuple[str, ...]) -> ReleaseFiles:
    """Make the folder that is published.

    Args:
        said: manifest of the release, or of a part of it.
        release: folder that holds the rows.
        address: of which the texts tell.
        folder: is made anew.
        private: what no text may hold: the token, folders of this machine.

    Raises:
        ReleaseError: it is not whole, or a text tells of this machine.
    """
    with disk_errors(folder):
        remove(folder)
        for name in said["files"]:
            link = folder / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to((release / name).resolve())
    written = texts(said, address)
    for name, text in written.items():
        if any(secret in text for secret in private):
            what = f"{name} would tell a token or a folder of this machine"
            raise ReleaseError(what, where=str(release), fix="take it out of the parameters, then haymaker run")
        write_text(folder / name, text)
    manifest.check_files(folder)
    rows = {
        name: LocalFile(folder / name, (folder / name).stat().st_size, facts["sha256"])
        for name, facts in said["files"].items()
    }
    return ReleaseFiles(folder, said, rows | {name: _text(folder / name) for name in written})


def _text(path: Path) -> LocalFile:
    return LocalFile(path, path.stat().st_size, sha256_file(path))
