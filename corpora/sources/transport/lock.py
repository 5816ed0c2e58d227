"""sources.lock.json: revisions and digests of the first download, which every later download must match.

The file is committed. It is written after all files of a source have passed their checks.
Format: {key: {"revision": str or null, "files": {path: {"sha256": hex, "size": bytes}}}}, keys sorted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpora.sources.transport.rawfile import FetchContext
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import write_json
from haymaker.core.files.paths import open_plain

_RESTORE = "restore the file from version control"


@dataclass(frozen=True, slots=True)
class FileLock:
    """Size in bytes and hex SHA-256 of one raw file."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SourceLock:
    """Locked revision of a source (a commit, or None) and its files by path."""

    revision: str | None = None
    files: dict[str, FileLock] = field(default_factory=dict)


def read_lock(path: Path, key: str) -> SourceLock:
    """Return the entry of `key`, empty if there is none; SourceError if the file is damaged."""
    entry = _read(path).get(key, {})
    try:
        locks = {
            name: FileLock(int(lock["size"]), str(lock["sha256"])) for name, lock in entry.get("files", {}).items()
        }
        return SourceLock(entry.get("revision"), locks)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise SourceError(f"entry {key!r} is damaged", where=path.name, fix=_RESTORE) from None


def known(context: FetchContext, key: str) -> SourceLock:
    """Return the entry of `key`, with unchecked results of an interrupted attempt added."""
    locked = read_lock(context.lock_file, key)
    found = read_lock(context.found, key) if context.found else SourceLock()
    return SourceLock(locked.revision or found.revision, found.files | locked.files)


def write_lock(
    path: Path,
    key: str,
    *,
    revision: str | None = None,
    files: dict[str, FileLock] | None = None,
    overwrite: bool = False,
) -> None:
    """Add a revision or files to an entry; `overwrite` allows other digests of the same paths.

    Raises:
        SourceError: the entry has another revision or digest.
    """
    files, whole, old = files or {}, _read(path), read_lock(path, key)
    if revision and old.revision not in (None, revision):
        raise mismatch(path, key, "the revision", old.revision or "", revision)
    for name, file in files.items():
        if not overwrite and old.files.get(name, file) != file:
            raise mismatch(path, key, name, old.files[name].sha256, file.sha256)
    merged = {name: asdict(file) for name, file in (old.files | files).items()}
    write_json(path, whole | {key: {"revision": revision or old.revision, "files": merged}})


def mismatch(path: Path, key: str, what: str, locked: str, found: str) -> SourceError:
    """Return the error for a download that differs from the first one."""
    fix = f"keep using the old copy, or remove {key!r} from {path.name} and raise the release version"
    return SourceError(f"{what} is {found[:12]}, but {path.name} contains {locked[:12]}", where=key, fix=fix)


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_plain(path) as file:
            data = json.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=path.name, fix=_RESTORE) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}", where=path.name, fix=_RESTORE) from None
    if not isinstance(data, dict):
        raise SourceError("contains no mapping of sources", where=path.name, fix=_RESTORE)
    return data
