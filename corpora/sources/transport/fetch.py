"""One raw file: fetched whole, checked, gone on with after every break, never half-written under its final name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from corpora.sources.transport import object_store, ranges, web
from corpora.sources.transport.hubcache import hint, in_hub_cache
from corpora.sources.transport.local import copy_file, opened
from corpora.sources.transport.mirror import from_mirror
from corpora.sources.transport.rawfile import (
    FetchContext,
    FetchedFile,
    Hashes,
    RawFile,
    check,
    check_data,
    in_bytes,
    inside,
)
from corpora.sources.transport.retry import Pace, Patience
from corpora.sources.transport.web import Answer, Interrupted
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import OFFLINE_FIX, local_path, scheme, without_secrets
from haymaker.core.files.disk import disk_errors, locked, sha256_file, temporary_name
from haymaker.core.rng import digest

_CHUNK_BYTES = 8 << 20
_WORTH_A_LINE_BYTES = 10_000_000  # smaller files come and go without a word


def fetch_file(file: RawFile, target: Path, context: FetchContext) -> FetchedFile:
    """Bring one file to `target / file.path`.

    A file that is already there whole (its digest is known and equal) is left alone, one that the Hub's own cache holds is copied. What
    broke is asked for again, from where it broke if its digest or the server's tag proves that it is the same file; what waits in
    `context.cache` when patience ends is gone on with the next time.

    Raises:
        UnavailableError: missing, or refused.
        SourceError: bad address, out of reach, cut short, a web page, or other bytes than expected.
        EnvironmentProblem: the disk is full or another process downloads the same file.
    """
    destination = target / inside(file.path)
    file, place = at_hand(file, context)
    present = _already(file, destination)
    if present:
        return present
    if place:
        return copy_file(file, place, destination, context)
    if cached := _from_hub_cache(file, destination, context):
        return cached
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
    file, place = at_hand(file, context)
    if place:
        opened(place).close()
        return
    patience = Patience(context.report)
    while True:
        try:
            with asked(file.url) as answer:
                next(answer.chunks, b"")
            return
        except Interrupted as error:
            if not patience.after(error, 0):
                raise _unreachable(error, file) from None


def at_hand(file: RawFile, context: FetchContext) -> tuple[RawFile, Path | None]:
    """A file, with what the mirror's list promises of one of the mirror, and its place on this machine; None: it is far away."""
    if scheme(file.url) == "mirror":
        file = from_mirror(file, context)
    return file, local_path(file.url)


def asked(url: str, start: int = 0, stop: int | None = None, tag: str = "") -> AbstractContextManager[Answer]:
    """Ask the server or the store behind an address (see `web.asked`)."""
    ask = object_store.asked if scheme(url) in ("s3", "gs") else web.asked
    return ask(url, start, stop, tag)


def _from_hub_cache(file: RawFile, destination: Path, context: FetchContext) -> FetchedFile | None:
    place = in_hub_cache(file.url)
    try:
        return copy_file(file, place, destination, context) if place else None
    except SourceError as error:  # a damaged cache is no reason to go without the file
        context.report(f"  not taken from the Hub library's cache ({error.what})")
        return None


def _already(file: RawFile, destination: Path) -> FetchedFile | None:
    if file.sha256 is None or not destination.is_file():
        return None
    found = FetchedFile(destination.stat().st_size, sha256_file(destination))
    return found if found.sha256 == file.sha256 else None


def _download(file: RawFile, part: Path, context: FetchContext) -> FetchedFile:
    """Fill `part`, however often it breaks, and check it; a wrong file is removed, a short one kept."""
    patience, hashes = Patience(context.report), Hashes(file.md5 is not None)
    while True:
        try:
            return _attempt(file, part, context, hashes)
        except Interrupted as error:
            there = _there(part)
            if not patience.after(error, there):
                raise _unreachable(error, file, there) from None


def _there(part: Path) -> int:
    in_parts = ranges.arrived(part)
    return in_parts if in_parts is not None else (part.stat().st_size if part.exists() else 0)


def _unreachable(error: Interrupted, file: RawFile, there: int = 0) -> SourceError:
    """What is said when patience has ended."""
    where = f"{file.path} from {without_secrets(file.url)}"
    if there:
        what = f"cut short: got {there:,} of {in_bytes(file.size_bytes)} ({error})"
        return SourceError(what, where=where, fix="run again: it resumes from there")
    fix = OFFLINE_FIX if not error.answered else "run again later: it is the server's trouble"
    fix = "; ".join(filter(None, (fix, hint(file.url))))
    return SourceError(f"cannot be reached ({error})", where=where, fix=fix)


def _attempt(file: RawFile, part: Path, context: FetchContext, hashes: Hashes, *, in_parts: bool = True) -> FetchedFile:
    """Ask once and take what comes; `hashes` are those of earlier attempts."""
    start, tag = _kept(file, part)
    with asked(file.url, start, tag=tag) as answer:
        expected = _expected(file, answer)
        if (expected or 0) > _WORTH_A_LINE_BYTES or answer.start:
            note = f" (from {answer.start:,} bytes on)" if answer.start else ""
            context.report(f"fetching {file.path}: {in_bytes(expected)}{note}")
        pace = Pace(file.path, expected, context.report, hint(file.url))
        in_parts = in_parts and not answer.start and ranges.worth(answer)
        got = None if in_parts else _checked(file, part, expected, lambda: _append(file, answer, part, hashes, pace))
    if got:
        return got
    try:
        return _checked(file, part, expected, lambda: _in_parts(file, answer, part, hashes, pace))
    except ranges.NoPartsError:
        part.unlink()  # of full length already, and mostly empty: nothing to go on with
        ranges.forget(part)
        return _attempt(file, part, context, hashes, in_parts=False)


def _checked(file: RawFile, part: Path, expected: int | None, arrive: Callable[[], FetchedFile]) -> FetchedFile:
    """What has arrived, if it is the file that was wanted; else nothing of it stays, unless it is only short."""
    try:
        got = arrive()
        if expected is not None and got.size < expected:
            raise Interrupted(f"ended after {got.size:,} bytes")
        check(file, got, expected)
    except SourceError:
        part.unlink(missing_ok=True)
        ranges.forget(part)
        raise
    return got


def _expected(file: RawFile, answer: Answer) -> int | None:
    """Bytes that the file must have; where the server offers another number nothing is fetched."""
    if None not in (answer.size, file.size_bytes) and answer.size != file.size_bytes:
        check(file, FetchedFile(answer.size or 0, ""), file.size_bytes)
    return file.size_bytes if file.size_bytes is not None else answer.size


def _kept(file: RawFile, part: Path) -> tuple[int, str]:
    """Bytes of an earlier attempt, and the server's tag of them: the final digest or that tag must vouch for them."""
    note = part.with_suffix(".tag")
    tag = note.read_text() if note.is_file() else ""
    if part.is_file() and ranges.arrived(part) is None and (file.sha256 or file.md5 or tag):
        return part.stat().st_size, tag
    return 0, ""


def _append(file: RawFile, answer: Answer, part: Path, hashes: Hashes, pace: Pace) -> FetchedFile:
    """Write from the first byte on that comes; the digests cover the whole file, the old bytes included."""
    if hashes.size != answer.start:  # of an earlier run, or the server begins anew; else what came is hashed already
        hashes.begin()
    with disk_errors(part):
        ranges.forget(part)
        if not answer.start:
            part.unlink(missing_ok=True)  # before its new tag is noted: old bytes must not get the new name
        part.with_suffix(".tag").write_text(answer.tag)
        with part.open("r+b" if answer.start else "wb") as out:
            while hashes.size < answer.start:
                hashes.update(out.read(min(_CHUNK_BYTES, answer.start - hashes.size)))
            out.seek(answer.start)
            for chunk in answer.chunks:
                if not out.tell():
                    check_data(file, chunk)
                hashes.update(chunk)
                out.write(chunk)
                pace.arrived(len(chunk), out.tell())
            out.truncate()
            out.flush()
            os.fsync(out.fileno())
    return hashes.found()


def _in_parts(file: RawFile, answer: Answer, part: Path, hashes: Hashes, pace: Pace) -> FetchedFile:
    """Several parts of a large file side by side, then its digests."""

    def ask(start: int, stop: int) -> AbstractContextManager[Answer]:
        return asked(file.url, start, stop, answer.tag)

    with disk_errors(part):
        ranges.fill(part, answer, ask, pace)
        hashes.begin()
        with part.open("rb") as whole:
            check_data(file, whole.read(1024))
            whole.seek(0)
            while chunk := whole.read(_CHUNK_BYTES):
                hashes.update(chunk)
        ranges.forget(part)
    return hashes.found()


def _move(part: Path, destination: Path) -> None:
    """Rename; across file systems copy beside the destination first."""
    try:
        part.replace(destination)
    except OSError:
        temporary = temporary_name(destination)
        shutil.copyfile(part, temporary)
        temporary.replace(destination)
