"""A source's folder while it is being filled: fetched under the lock file, unpacked, moved to its place when whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.sources.transport.fetch import fetch_file
from corpora.sources.transport.lock import FileLock, known, mismatch, read_lock, write_lock
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, RawFile
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import scheme, without_secrets
from haymaker.core.files.disk import sha256_file

MANIFEST = "SOURCE.json"
_MAX_UNPACKED_BYTES = 64 << 30
_MAX_UNPACKED_FILES = 1_000_000


def fetch_locked(file: RawFile, stage: Path, context: FetchContext, key: str | None) -> FetchedFile:
    """Fetch; what sources.lock.json knows is expected, what it does not know is noted until all is checked (`checked`)."""
    if key is None or scheme(file.url) in ("mirror", "file"):
        return fetch_file(file, stage, context)
    locked = read_lock(context.lock_file, key).files.get(file.path)
    if (
        not locked and (stage / file.path).is_file()
    ):  # of an attempt that was broken off; without the file its digest binds nobody
        locked = known(context, key).files.get(file.path)
    if locked and file.sha256 not in (None, locked.sha256):
        raise mismatch(context.lock_file, key, file.path, locked.sha256, file.sha256 or "")
    if locked:
        file = replace(file, size_bytes=locked.size, sha256=locked.sha256)
    got = _from_one_of(file, stage, context)
    found = {file.path: FileLock(got.size, got.sha256)}
    write_lock(context.found or context.lock_file, key, files=found, anew=context.found is not None)
    return got


def _from_one_of(file: RawFile, stage: Path, context: FetchContext) -> FetchedFile:
    """Fetch from the first address that has the file; the last one's error is told."""
    for url in file.also:
        try:
            return fetch_file(file, stage, context)
        except SourceError as error:
            context.report(f"  {error.what}; asking {without_secrets(url)}")
            file = replace(file, url=url)
    return fetch_file(file, stage, context)


@contextmanager
def checking(stage: Path, context: FetchContext) -> Iterator[None]:
    """Look at fetched files inside: where they are not what they must be, those that nobody had vouched for are thrown away.

    So a web page that a server called a success is gone, and the next run asks again.
    """
    try:
        yield
    except SourceError:
        if context.found and context.found.is_file():
            shutil.rmtree(stage)
            context.found.unlink()
        raise


def record(context: FetchContext, key: str | None) -> None:
    """All files of a source have passed their checks: what was found of them goes to sources.lock.json."""
    if key and context.found and context.found.is_file():
        found = read_lock(context.found, key)
        write_lock(context.lock_file, key, revision=found.revision, files=found.files)
        context.found.unlink()


def unpack(archive: Path) -> None:
    """Unpack into the folder `unpacked` beside the archive, which is then removed.

    Raises:
        SourceError: damaged or malicious.
    """
    from corpora.sources.transport.archives import extract

    extract(archive, archive.parent / "unpacked", max_bytes=_MAX_UNPACKED_BYTES, max_files=_MAX_UNPACKED_FILES)
    archive.unlink()


def files_in(folder: Path) -> list[Path]:
    """All files but SOURCE.json, sorted by path."""
    found = (path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def made_by(folder: Path) -> tuple[Any, Any]:
    """Kind and options that a fetched folder was made by; None, None where nobody can tell."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        return manifest.get("source"), manifest.get("options")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None, None


def differing(folder: Path, kind: str, options: dict[str, Any]) -> list[str]:
    """What is wrong with a fetched folder, one line per problem; empty when its files are what SOURCE.json says."""
    name = folder.name
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        listed = {str(file["path"]): FetchedFile(int(file["size"]), str(file["sha256"])) for file in manifest["files"]}
        made_by = manifest.get("source"), manifest.get("options")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return [f"{name}/{MANIFEST}: missing or unreadable; fetch the source again"]
    problems = []
    if made_by != (kind, options):
        problems.append(f"{name}/{MANIFEST}: made by kind or options other than the parameters'; fetch again")
    found = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    problems += [f"{name}/{path}: missing" for path in listed.keys() - found.keys()]
    problems += [f"{name}/{path}: not listed in {MANIFEST}" for path in found.keys() - listed.keys()]
    for path in listed.keys() & found.keys():
        size, wanted = found[path].stat().st_size, listed[path]
        if size != wanted.size:
            problems.append(f"{name}/{path}: {size:,} bytes, not {wanted.size:,}")
        elif (real := sha256_file(found[path])) != wanted.sha256:
            problems.append(f"{name}/{path}: sha256 {real[:12]}, not {wanted.sha256[:12]}")
    return sorted(problems)


def without_places(value: Any) -> Any:
    """Options without absolute paths and secrets, so that SOURCE.json says the same on every machine."""
    if isinstance(value, list):
        return [without_places(item) for item in value]
    if not isinstance(value, str):
        return value
    if "://" in value:
        return without_secrets(value)
    return Path(value).name if value.startswith(("/", "~")) else value
