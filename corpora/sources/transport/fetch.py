"""Fetch one raw file: complete and verified under its final name, or absent. Interrupted downloads resume."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import BinaryIO, TypeVar

from corpora.sources.transport.hub import cached_file, token_hint
from corpora.sources.transport.mirror import from_mirror
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, RawFile, check, check_data, check_size, inside
from corpora.sources.transport.remote import Interrupted, open_remote, with_progress
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.addresses import OFFLINE_FIX, local_path, scheme, without_secrets
from haymaker.core.files.disk import disk_errors, first_bytes, locked, sha256_file, temporary_name
from haymaker.core.files.paths import open_plain
from haymaker.core.rng import digest

ATTEMPTS, UNREACHABLE_ATTEMPTS = 6, 3
"""Attempts in a row without a new byte, and the same if the server never responded."""
FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_CHUNK_BYTES = 1 << 20
_REPORTED_BYTES, _REPORTED_COPY_BYTES = 10_000_000, 1 << 30  # smaller files print no line
_FIX_PATH = "check the path in the parameters"
_T = TypeVar("_T")


def fetch_file(file: RawFile, target: Path, context: FetchContext) -> FetchedFile:
    """Write one file to `target / file.path` and verify it.

    A file with the expected digest is kept, and a file in the Hub's own cache is copied. An interrupted download
    resumes, also in a later run, if the expected digest or the server's ETag shows that the file is the same.

    Raises:
        UnavailableError: the file is missing, or access is refused.
        SourceError: the address is invalid or unreachable, or the content is not the expected file.
        EnvironmentProblem: the disk is full, or another process downloads the same file.
    """
    destination = target / inside(file.path)
    file, place = resolve_local(file, context)
    if file.sha256 and destination.is_file() and sha256_file(destination) == file.sha256:
        return FetchedFile(destination.stat().st_size, file.sha256)
    if place:
        return copy_file(file, place, destination, context)
    if copied := _from_hub_cache(file, destination, context):
        return copied
    folder = context.cache / digest("download", file.url, file.sha256 or "", size=12).hex()
    with locked(folder):
        part, temporary = folder / f"{destination.name}.part", temporary_name(destination)
        found = _retry(file, context, lambda: _download(file, part, context), part)
        with disk_errors(destination):
            destination.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(part, temporary)
            temporary.replace(destination)
        shutil.rmtree(folder, ignore_errors=True)
    return found


def look_for(file: RawFile, context: FetchContext) -> None:
    """Check that a file can be fetched: request its first bytes and discard them. Raises the errors of `fetch_file`."""

    def request() -> None:
        with open_remote(file.url) as remote:
            next(remote.chunks, b"")

    file, place = resolve_local(file, context)
    if place:
        opened(place).close()
    else:
        _retry(file, context, request)


def resolve_local(file: RawFile, context: FetchContext) -> tuple[RawFile, Path | None]:
    """Return the file, with the digest that the mirror lists, and its local path (None if the file is remote)."""
    if scheme(file.url) == "mirror":
        file = from_mirror(file, context)
    return file, local_path(file.url)


def copy_file(file: RawFile, place: Path, destination: Path, context: FetchContext) -> FetchedFile:
    """Copy a local file and verify it. The copy is not synced to disk: Source.fetch syncs the whole folder."""
    temporary = temporary_name(destination)
    with opened(place) as source, disk_errors(destination):
        size = os.fstat(source.fileno()).st_size
        if size > _REPORTED_COPY_BYTES:
            context.report(f"copying {file.path}: {_in_bytes(size)}")
        destination.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as out:
                shutil.copyfileobj(source, out, _CHUNK_BYTES)
            found = check(file, temporary, file.size_bytes)
            temporary.replace(destination)
        finally:
            temporary.unlink(missing_ok=True)
    return found


def opened(place: Path) -> BinaryIO:
    """Open a regular file for reading; UnavailableError if it is missing."""
    try:
        return open_plain(place)
    except FileNotFoundError:
        raise UnavailableError("no such file", where=place.name, fix=_FIX_PATH) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=place.name, fix=_FIX_PATH) from None


def _from_hub_cache(file: RawFile, destination: Path, context: FetchContext) -> FetchedFile | None:
    place = cached_file(file.url)
    try:
        return copy_file(file, place, destination, context) if place else None
    except SourceError as error:  # the cache is damaged: download the file
        context.report(f"  the copy in the Hub's cache is not used ({error.what})")
        return None


def _retry(file: RawFile, context: FetchContext, attempt: Callable[[], _T], part: Path | None = None) -> _T:
    """Repeat an interrupted attempt, with increasing waits; bytes that arrive in `part` restart the count."""
    most, failed = -1, 0
    while True:
        try:
            return attempt()
        except Interrupted as error:
            received = part.stat().st_size if part and part.is_file() else 0
            most, failed = max(most, received), 1 if received > most else failed + 1
            if failed >= (ATTEMPTS if error.answered else UNREACHABLE_ATTEMPTS):
                raise _unreachable(error, file, received) from None
            wait_s = max(error.wait_s, min(_LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (failed - 1)))
            if wait_s > 2:
                context.report(f"  interrupted ({error}); retrying in {wait_s:.0f} s")
            sleep(wait_s)


def _unreachable(error: Interrupted, file: RawFile, received: int) -> SourceError:
    where = f"{file.path} from {without_secrets(file.url)}"
    if received:
        what = f"cut short: got {received:,} of {_in_bytes(file.size_bytes)} ({error})"
        return SourceError(what, where=where, fix="run again: it resumes from there")
    fix = "run again later: the server has a problem" if error.answered else OFFLINE_FIX
    fix = "; ".join(filter(None, (fix, token_hint(file.url))))
    return SourceError(f"cannot be reached ({error})", where=where, fix=fix)


def _download(file: RawFile, part: Path, context: FetchContext) -> FetchedFile:
    """Make one request and append its bytes to `part`. A wrong file is removed, an incomplete one is kept."""
    note = part.with_suffix(".tag")
    tag = note.read_text("ascii", "ignore") if note.is_file() else ""
    tag = tag if tag.isprintable() else ""  # the disk was damaged
    is_resumable = part.is_file() and (file.sha256 or file.md5 or tag)
    with open_remote(file.url, part.stat().st_size if is_resumable else 0, tag=tag) as remote, disk_errors(part):
        if None not in (remote.size, file.size_bytes) and remote.size != file.size_bytes:
            check_data(file, next(remote.chunks, b""))
        check_size(file, remote.size, file.size_bytes)
        size = remote.size if file.size_bytes is None else file.size_bytes
        if (size or 0) > _REPORTED_BYTES or remote.start:
            resumed = f" (resuming at byte {remote.start:,})" if remote.start else ""
            context.report(f"fetching {file.path}: {_in_bytes(size)}{resumed}")
        if not remote.start:
            part.unlink(missing_ok=True)  # before the new ETag is stored, which must not describe old bytes
        note.write_text(remote.tag)
        with part.open("ab") as out:
            out.writelines(with_progress(remote, file.path, size, context.report))
            out.flush()
            os.fsync(out.fileno())
        try:
            check_data(file, first_bytes(part, 1024))
            if (size or 0) > part.stat().st_size:
                raise Interrupted(f"ended after {part.stat().st_size:,} bytes")
            return check(file, part, size)
        except SourceError:
            part.unlink()
            raise


def _in_bytes(count: int | None) -> str:
    return "unknown size" if count is None else f"{count:,} bytes"
