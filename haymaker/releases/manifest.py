"""Verify a release folder: the card lists the manifest's checksum, the manifest lists every file's checksum."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import read_json, sha256_file
from haymaker.core.progress import say
from haymaker.releases.pulled.partial_pull import (
    CONFIGS,
    card_configs,
    pull_command,
    read_note,
    split_patterns,
    suite_of,
)

LEFT_OUT = "unavailable"
"""Key of manifest.json (suite -> task -> reason): tasks that could not be built; absent if there are none."""
CARD, MANIFEST = "README.md", "manifest.json"
CITATION, CROISSANT, EVALUATION = "CITATION.cff", "croissant.json", "eval.yaml"
TASKS, BASELINES, CHECKS, PICTURE = "TASKS.md", "BASELINES.md", "CHECKS.md", "layout.svg"
TEXTS = (CARD, MANIFEST, TASKS, BASELINES, CHECKS, CITATION, CROISSANT, EVALUATION, PICTURE)
"""All text files of a release; pipelines.publishing.card.texts creates the others from the manifest."""
_NOT_OURS = (".gitattributes", ".gitignore", CONFIGS)  # files added by git, DVC, the Hub and `haymaker pull`
_NOT_OURS_BELOW = (".git", ".cache")
_CHECKSUM = re.compile(rf"`({'|'.join(map(re.escape, TEXTS))})`, SHA-256 `([0-9a-f]{{64}})`")
_AGAIN = "download the release again, or run haymaker run in its project"


def verify(folder: Path) -> dict[str, Any]:
    """Verify a release folder, print the result and return its figures.

    Raises:
        ReleaseError: a file is missing, changed or not listed; the error names the first one.
    """
    said, found = check_files(folder)
    files = (
        f"{found:,} files" if read_note(folder) is None else f"{found:,} of {len(said['files']):,} files, as pulled,"
    )
    say(f"{said['name']} {said['version']}: the checksums of the manifest and {files} match; seed {said['seed']}")
    for suite, tasks in said.get(LEFT_OUT, {}).items():
        for task, why in tasks.items():
            say(f"  left out: {suite} {task} ({why})")
    return {"name": said["name"], "version": said["version"], "files": found}


def check_files(folder: Path) -> tuple[dict[str, Any], int]:
    """Check every file of a release folder against its manifest, and the card against both.

    Row contents are checked during the build. In a partially pulled release, all requested files must be present.

    Returns:
        The manifest, and the number of row files in the folder.

    Raises:
        ReleaseError: a file is missing, changed or not listed; the error names the first one.
    """
    said, part = check_texts(folder), read_note(folder)
    listed: dict[str, dict[str, Any]] = said["files"]
    for name in files_below(folder):
        is_known = name in listed or name in (*TEXTS, *_NOT_OURS) or name.partition("/")[0] in _NOT_OURS_BELOW
        if not is_known:
            raise ReleaseError(
                "is not listed in the manifest",
                where=str(folder / name),
                fix="remove it, or find out which program created it",
            )
    here = [name for name in listed if part is None or name in part.asked or (folder / name).exists()]
    with ThreadPoolExecutor() as pool:
        for name, sha256 in zip(here, pool.map(lambda name: _sha256(folder / name), here), strict=True):
            if sha256 != listed[name]["sha256"]:
                what = "changed since it was released" if sha256 else "missing"
                raise ReleaseError(what, where=str(folder / name), fix=pull_command(part, [name]) if part else _AGAIN)
    _check_paths(folder, listed)
    return said, len(here)


def _check_paths(folder: Path, listed: Iterable[str]) -> None:
    """Check that the manifest lists all files of the card's configs."""
    names = list(listed)
    try:
        found = [
            path for config in card_configs(folder) for split in config["data_files"] for path in split_patterns(split)
        ]
    except (ParamsError, KeyError, TypeError, ValueError) as error:
        what = f"the front matter cannot be read: {getattr(error, 'what', error)}"
        raise ReleaseError(what, where=str(folder / CARD), fix=_AGAIN) from None
    for path in found:
        if not fnmatch.filter(names, path):
            raise ReleaseError(f"lists {path!r}, which is not in the manifest", where=str(folder / CARD), fix=_AGAIN)


def check_texts(folder: Path) -> dict[str, Any]:
    """Check that the card lists the checksum of the manifest, and that the manifest lists only release files.

    Returns:
        The manifest.

    Raises:
        ReleaseError: one of them is missing, or they do not match.
    """
    place = folder / MANIFEST
    if not (folder / CARD).is_file() or not place.is_file():
        missing = MANIFEST if (folder / CARD).is_file() else CARD
        raise ReleaseError("missing", where=str(folder / missing), fix="give the folder of a complete release")
    named = dict(_CHECKSUM.findall((folder / CARD).read_text(encoding="utf-8", errors="replace")))
    if MANIFEST not in named:
        raise ReleaseError("contains no checksum of the manifest", where=str(folder / CARD), fix=_AGAIN)
    for name in (text for text in TEXTS if text in named or (text != CARD and (folder / text).exists())):
        if _sha256(folder / name) != named.get(name):
            raise ReleaseError("does not match the checksum in the card", where=str(folder / name), fix=_AGAIN)
    said: dict[str, Any] = read_json(place, "files", "name", "version", "seed")
    if not isinstance(said["files"], dict) or not all(_is_entry(*entry) for entry in said["files"].items()):
        raise ReleaseError("lists a file that is not part of a release", where=str(place), fix=_AGAIN)
    _check_left_out(said, place)
    return said


def _check_left_out(said: dict[str, Any], place: Path) -> None:
    """Check that tasks noted as left out have a reason and no listed file."""
    noted = said.get(LEFT_OUT, {})
    for suite, tasks in noted.items() if isinstance(noted, dict) else (("", None),):
        if not isinstance(tasks, dict) or not all(isinstance(why, str) for why in tasks.values()):
            raise ReleaseError(f"{LEFT_OUT!r} does not contain tasks with reasons", where=str(place), fix=_AGAIN)
        for task in tasks:
            if listed := next((name for name in said["files"] if name.startswith(f"data/{suite}/{task}/")), ""):
                raise ReleaseError(
                    f"marks {suite} {task} as left out, but lists {listed}", where=str(place), fix=_AGAIN
                )


def _is_entry(name: str, facts: Any) -> bool:
    """Check that a manifest entry is a row file with counts and a checksum."""
    sha256 = facts.get("sha256") if isinstance(facts, dict) else None
    is_counted = isinstance(facts, dict) and all(isinstance(facts.get(key), int) for key in ("bytes", "rows"))
    return (
        bool(suite_of(name)) and is_counted and isinstance(sha256, str) and bool(re.fullmatch("[0-9a-f]{64}", sha256))
    )


def _sha256(path: Path) -> str:
    return sha256_file(path) if path.is_file() else ""


def files_below(folder: Path) -> Iterator[str]:
    """Yield all files, links and pipes below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
