"""One raw file: fetched whole, checked, resumed after a break, never half-written under its final name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from corpora.sources.transport.local import copy_file, opened
from corpora.sources.transport.mirror import from_mirror
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, Hashes, RawFile, check, in_bytes, inside
from corpora.sources.transport.remote import CannotResume, Interrupted, Remote, local_path, open_remote, public, scheme
from haymaker.errors import SourceError
from haymaker.files import disk_errors, locked, sha256_file, temporary_name
from haymaker.rng import digest

_CHUNK_BYTES = 8 << 20
_WORTH_A_LINE_BYTES = 10_000_000  # smaller files come and go without a word


def fetch_file(file: RawFile, target: Path, context: FetchContext) -> FetchedFile:
    """Bring one file to `target / file.path`.

    A file that is already there whole (its digest is known and equal) is left alone. A broken download stays in
    `context.cache` and goes on from there the next time, if its digest or the server's tag proves it is the same file.

    Raises:
        UnavailableError: missing, or refused.
        SourceError: bad address, out of reach, cut short, or other bytes than expected.
        EnvironmentProblem: the disk is full or another process downloads the same file.
    """
    destination = target / inside(file.path)
    if scheme(file.url) == "mirror":
        file = from_mirror(file, context)
    present = _already(file, destination)
    if present:
        return present
    if place := local_path(file.url):
        return copy_file(file, place, destination, context)
    folder = context.cache / digest("download", file.url, file.sha256 or "", size=12).hex()
    with locked(folder):
        part = folder / f"{destination.name}.part"
        got = _download(file, part, context)
        with disk_errors(destination):
            destination.parent.mkdir(parents=True, exist_ok=True)
            _move(part, destination)
        shutil.rmtree(folder, ignore_errors=True)
    return got


def look_for(file: RawFile, context: FetchContext) -> None:
    """Whether a file can be had, without keeping any of it: its first bytes are asked for.

    Raises:
        UnavailableError: missing, or refused.
        SourceError: out of reach, or a bad address.
    """
    if scheme(file.url) == "mirror":
        file = from_mirror(file, context)
    if place := local_path(file.url):
        opened(place).close()
        return
    try:
        next(open_remote(file.url).chunks(0), b"")
    except Interrupted as error:
        raise SourceError(f"cannot be reached ({error})", where=public(file.url), fix="run again") from None


def _already(file: RawFile, destination: Path) -> FetchedFile | None:
    if file.sha256 is None or not destination.is_file():
        return None
    found = FetchedFile(destination.stat().st_size, sha256_file(destination))
    return found if found.sha256 == file.sha256 else None


def _download(file: RawFile, part: Path, context: FetchContext) -> FetchedFile:
    """Fill `part` up to its end and check it; a wrong file is removed, a short one kept."""
    remote = open_remote(file.url)
    expected = file.size_bytes if file.size_bytes is not None else remote.size
    start = _resumable(file, part, remote)
    note = f" (from {start:,} bytes on)" if start else ""
    if note or expected is None or expected > _WORTH_A_LINE_BYTES:
        context.report(f"fetching {file.path}: {in_bytes(expected)}{note}")
    stopped = ""
    try:
        got = _append(remote, part, start, file.md5 is not None)
    except CannotResume:
        got = _append(remote, part, 0, file.md5 is not None)
    except Interrupted as error:
        got, stopped = FetchedFile(part.stat().st_size if part.exists() else 0, ""), f" ({error})"
    if stopped or (expected is not None and got.size < expected):
        raise SourceError(
            f"cut short: got {got.size:,} of {in_bytes(expected)}{stopped}",
            where=f"{file.path} from {public(file.url)}",
            fix="run again: it resumes from there",
        )
    try:
        check(file, got, expected)
    except SourceError:
        part.unlink()
        raise
    return got


def _resumable(file: RawFile, part: Path, remote: Remote) -> int:
    """Bytes of an earlier attempt that may be kept: the final digest or the server's tag must vouch for them."""
    note = part.with_suffix(".tag")
    tag = f"{remote.size} {remote.tag}"
    same = bool(remote.tag) and note.is_file() and note.read_text() == tag
    if part.is_file() and (file.sha256 or file.md5 or same):
        size = part.stat().st_size
        if remote.size is None or size <= remote.size:
            return size
    part.unlink(missing_ok=True)
    with disk_errors(note):
        note.write_text(tag)
    return 0


def _append(remote: Remote, part: Path, start: int, with_md5: bool) -> FetchedFile:
    """Write from byte `start` on; the digests cover the whole file, the old bytes included."""
    hashes = Hashes(with_md5)
    with disk_errors(part), part.open("r+b" if start else "wb") as out:
        while out.tell() < start:
            hashes.update(out.read(min(_CHUNK_BYTES, start - out.tell())))
        if start != remote.size:
            for chunk in remote.chunks(start):
                hashes.update(chunk)
                out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
        return hashes.found()


def _move(part: Path, destination: Path) -> None:
    """Rename; across file systems copy beside the destination first."""
    try:
        part.replace(destination)
    except OSError:
        temporary = temporary_name(destination)
        shutil.copyfile(part, temporary)
        temporary.replace(destination)
