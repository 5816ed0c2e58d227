"""The folder of a source during a download: fetch with the lock file, unpack, and compare with SOURCE.json."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.sources.transport.archives import extract
from corpora.sources.transport.fetch import fetch_file
from corpora.sources.transport.lock import FileLock, known, mismatch, read_lock, write_lock
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, RawFile
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import scheme, without_secrets
from haymaker.core.files.disk import sha256_file

MANIFEST = "SOURCE.json"
_MAX_UNPACKED_BYTES, _MAX_UNPACKED_FILES = 64 << 30, 1_000_000
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def fetch_locked(file: RawFile, stage: Path, context: FetchContext, key: str | None) -> FetchedFile:
    """Fetch a file with the digest of sources.lock.json; a new digest is noted until the source is checked (`record`)."""
    if key is None or scheme(file.url) in ("mirror", "file"):
        return fetch_file(file, stage, context)
    locked = read_lock(context.lock_file, key).files.get(file.path)
    if not locked and (stage / file.path).is_file():  # the digest of an interrupted attempt counts only with its file
        locked = known(context, key).files.get(file.path)
    if locked and file.sha256 not in (None, locked.sha256):
        raise mismatch(context.lock_file, key, file.path, locked.sha256, file.sha256 or "")
    if locked:
        file = replace(file, size_bytes=locked.size, sha256=locked.sha256)
    got = _fetch_from_any(file, stage, context)
    found = {file.path: FileLock(got.size, got.sha256)}
    write_lock(context.found or context.lock_file, key, files=found, overwrite=context.found is not None)
    return got


def _fetch_from_any(file: RawFile, stage: Path, context: FetchContext) -> FetchedFile:
    """Fetch from the first address that works; raises the last error."""
    for url in file.also:
        try:
            return fetch_file(file, stage, context)
        except SourceError as error:
            context.report(f"  {error.what}; trying {without_secrets(url)}")
            file = replace(file, url=url)
    return fetch_file(file, stage, context)


@contextmanager
def checking(stage: Path, context: FetchContext) -> Iterator[None]:
    """Check fetched files inside the block: on an error, files without a locked digest are removed, so that they are fetched again."""
    try:
        yield
    except SourceError:
        if context.found and context.found.is_file():
            shutil.rmtree(stage)
            context.found.unlink()
        raise


def record(context: FetchContext, key: str | None) -> None:
    """Write the digests of a checked source to sources.lock.json."""
    if key and context.found and context.found.is_file():
        found = read_lock(context.found, key)
        write_lock(context.lock_file, key, revision=found.revision, files=found.files)
        context.found.unlink()


def unpack(archive: Path) -> None:
    """Unpack into the folder `unpacked` next to the archive, and remove the archive."""
    extract(archive, archive.parent / "unpacked", max_bytes=_MAX_UNPACKED_BYTES, max_files=_MAX_UNPACKED_FILES)
    archive.unlink()


def files_in(folder: Path) -> list[Path]:
    """List all files except SOURCE.json, sorted by path."""
    found = (path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def made_by(folder: Path) -> tuple[Any, Any]:
    """Return kind and options of a fetched folder; None, None if they are unknown."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        return manifest.get("source"), manifest.get("options")
    except _UNREADABLE:
        return None, None


def differing(folder: Path, kind: str, options: dict[str, Any]) -> list[str]:
    """Return the problems of a fetched folder, one line each; empty if all files match SOURCE.json."""
    name = folder.name
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        listed = {str(file["path"]): FileLock(int(file["size"]), str(file["sha256"])) for file in manifest["files"]}
    except _UNREADABLE:
        return [f"{name}/{MANIFEST}: missing or unreadable; fetch the source again"]
    is_same = made_by(folder) == (kind, options)
    problems = [] if is_same else [f"{name}/{MANIFEST}: kind or options differ from the parameters; fetch again"]
    found = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    problems += [f"{name}/{path}: missing" for path in listed.keys() - found.keys()]
    problems += [f"{name}/{path}: not listed in {MANIFEST}" for path in found.keys() - listed.keys()]
    for path in listed.keys() & found.keys():
        if (size := found[path].stat().st_size) != listed[path].size:
            problems.append(f"{name}/{path}: {size:,} bytes, not {listed[path].size:,}")
        elif (real := sha256_file(found[path])) != listed[path].sha256:
            problems.append(f"{name}/{path}: sha256 {real[:12]}, not {listed[path].sha256[:12]}")
    return sorted(problems)


def without_places(value: Any) -> Any:
    """Remove absolute paths and secrets from options, so that SOURCE.json is the same on every machine."""
    if isinstance(value, list):
        return [without_places(item) for item in value]
    if not isinstance(value, str):
        return value
    if "://" in value:
        return without_secrets(value)
    return Path(value).name if value.startswith(("/", "~")) else value
