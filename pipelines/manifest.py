"""A release folder against what it says of itself: the card names the manifest's checksum, the manifest every file's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from generators.suite import SUITES
from haymaker.errors import ReleaseError
from haymaker.files import read_json, sha256_file
from pipelines.graph import covers
from pipelines.progress import say
from pipelines.project import Project

CARD, MANIFEST = "README.md", "manifest.json"
_NOT_OURS = (".gitattributes", ".gitignore")  # what git, DVC and the Hub put beside a release
_NOT_OURS_BELOW = (".git", ".cache")
_CHECKSUM = re.compile(r"`manifest\.json`, SHA-256 `([0-9a-f]{64})`")
_AGAIN = "download the release again, or haymaker run in its project"


def demand_no_strays(project: Project, *, of_others: bool = False) -> None:
    """data/release holds nothing but what stages make: a loader that lies there would be run by whoever trusts the release.

    Args:
        project: the project.
        of_others: pass over rows of suites that this release does not have; a run removes them.

    Raises:
        ReleaseError: names the first file that no stage makes.
    """
    below = project.release.relative_to(project.root).as_posix()
    ours = [out for stage in project.stages.values() for out in stage.outs]
    ours += [f"{below}/data/{suite}" for suite in SUITES] if of_others else []
    for name in _files(project.release):
        if not any(covers(out, f"{below}/{name}") for out in ours):
            raise ReleaseError("no stage makes it", where=f"{below}/{name}", fix="move it away, then haymaker run")


def demand(folder: Path) -> None:
    """A release folder alone is what its card and its manifest say, file by file; its rows are proved where it was made.

    Raises:
        ReleaseError: names the first file that is missing, changed, or not listed.
    """
    said = _demand_manifest(folder)
    listed: dict[str, dict[str, Any]] = said["files"]
    for name in _files(folder):
        if name not in listed and name not in (CARD, MANIFEST):
            raise ReleaseError(
                "is not listed in the manifest", where=str(folder / name), fix="remove it, or ask who made it"
            )
    with ThreadPoolExecutor() as pool:
        for name, sha256 in zip(listed, pool.map(lambda name: _sha256(folder / name), listed), strict=True):
            if sha256 != listed[name].get("sha256"):
                what = "changed since it was released" if sha256 else "missing"
                raise ReleaseError(what, where=str(folder / name), fix=_AGAIN)
    say(
        f"{said['name']} {said['version']}: card, manifest and {len(listed):,} files are what they say; seed {said['seed']}"
    )


def _demand_manifest(folder: Path) -> dict[str, Any]:
    place = folder / MANIFEST
    if not (folder / CARD).is_file() or not place.is_file():
        missing = MANIFEST if (folder / CARD).is_file() else CARD
        raise ReleaseError("missing", where=str(folder / missing), fix="name the folder of a whole release")
    found = _CHECKSUM.search((folder / CARD).read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise ReleaseError("names no checksum of the manifest", where=str(folder / CARD), fix=_AGAIN)
    if sha256_file(place) != found.group(1):
        raise ReleaseError("not the one that the card names", where=str(place), fix=_AGAIN)
    said: dict[str, Any] = read_json(place, "files", "name", "version", "seed")
    return said


def _sha256(path: Path) -> str:
    return sha256_file(path) if path.is_file() else ""


def _files(folder: Path) -> Iterator[str]:
    """Files and links below a release, but for those of programs that carry it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_ours = name not in _NOT_OURS and name.partition("/")[0] not in _NOT_OURS_BELOW
        if is_ours and (path.is_symlink() or not path.is_dir()):
            yield name
