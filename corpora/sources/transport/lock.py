"""sources.lock.json: what the first download found, so that every later one must find the same.

A source whose revision or checksums nobody knew when its file was written is resolved once; the result is committed. What a download
finds is written here after all files of the source have passed their checks, never before.
Shape: {key: {"revision": str or null, "files": {path: {"sha256": hex, "size": bytes}}}}, keys sorted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.sources.transport.rawfile import FetchContext
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import write_json
from haymaker.core.files.paths import open_plain


@dataclass(frozen=True, slots=True)
class FileLock:
    """Size in bytes and hex SHA-256 of one raw file."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceLock:
    """What is locked of one source: a 40-digit revision or None, and its files by path."""

    revision: str | None = None
    files: dict[str, FileLock] = field(default_factory=dict)


def read_lock(path: Path, key: str) -> SourceLock:
    """What the lock file says of `key`; empty when it says nothing.

    Raises:
        SourceError: the file is not a lock file.
    """
    entry = _read(path).get(key, {})
    try:
        files = {
            name: FileLock(int(file["size"]), str(file["sha256"])) for name, file in entry.get("files", {}).items()
        }
        return SourceLock(entry.get("revision"), files)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise SourceError(
            f"entry {key!r} is damaged", where=path.name, fix="restore the file from version control"
        ) from None


def known(context: FetchContext, key: str) -> SourceLock:
    """What sources.lock.json says of `key`, and beside it what an attempt found that was broken off before all was checked.

    Raises:
        SourceError: see `read_lock`.
    """
    locked = read_lock(context.lock_file, key)
    found = read_lock(context.found, key) if context.found else SourceLock()
    return SourceLock(locked.revision or found.revision, found.files | locked.files)


def write_lock(
    path: Path,
    key: str,
    *,
    revision: str | None = None,
    files: dict[str, FileLock] | None = None,
    anew: bool = False,
) -> None:
    """Add a revision or files to an entry; what is there stays.

    Args:
        path: of the lock file.
        key: of the entry.
        revision: a commit.
        files: by path.
        anew: whether files may replace those of the same path.

    Raises:
        SourceError: the entry already says something else.
    """
    whole = _read(path)
    old = read_lock(path, key)
    if revision and old.revision not in (None, revision):
        raise mismatch(path, key, "the revision", old.revision or "", revision)
    for name, file in (files or {}).items():
        if not anew and old.files.get(name, file) != file:
            raise mismatch(path, key, name, old.files[name].sha256, file.sha256)
    merged = {**old.files, **(files or {})}
    whole[key] = {
        "revision": revision or old.revision,
        "files": {name: {"size": file.size, "sha256": file.sha256} for name, file in merged.items()},
    }
    write_json(path, whole)


def mismatch(path: Path, key: str, what: str, locked: str, found: str) -> SourceError:
    """The error of a download that differs from the first one."""
    return SourceError(
        f"{what} is {found[:12]}, but {path.name} says {locked[:12]}",
        where=key,
        fix=f"keep using the old copy, or remove {key!r} from {path.name} and raise the release version",
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_plain(path) as file:
            data = json.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=path.name, fix="restore the file from version control"
        ) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}", where=path.name, fix="restore the file from version control") from None
    if not isinstance(data, dict):
        raise SourceError("holds no mapping of sources", where=path.name, fix="restore the file from version control")
    return data
