"""One raw file: fetched whole, checked, resumed after a break, never half-written under its final name."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from corpora.sources.transport.remote import CannotResume, Interrupted, Remote, open_remote, public, scheme
from haymaker.errors import SourceError
from haymaker.files import disk_errors, locked, sha256_file, temporary_name
from haymaker.rng import digest

_CHUNK_BYTES = 8 << 20
SUMS = "SHA256SUMS"
_WORTH_A_LINE_BYTES = 10_000_000  # smaller files come and go without a word


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file to fetch.

    Attributes:
        path: where it goes, below data/raw/<source>/, with forward slashes.
        url: where it comes from; `mirror:<path>` is below the mirror root.
        size_bytes: known size, or None.
        sha256: known hex digest, or None (then sources.lock.json remembers the first download's).
        md5: known hex digest where a publisher gives no better one.
    """

    path: str
    url: str
    size_bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """Size in bytes and hex SHA-256 of a file that is there now; its MD5 where that was asked for."""

    size: int
    sha256: str
    md5: str | None = None


@dataclass(frozen=True)
class FetchContext:
    """What a download needs to know about this machine and project.

    Attributes:
        mirror: folder of the offline mirror (parameter `mirror`, or HAYMAKER_MIRROR), or None.
        cache: folder where broken downloads wait to be resumed; survives DVC's clearing of outputs.
        lock_file: sources.lock.json.
        report: called with one line of progress at a time.
    """

    mirror: Path | None
    cache: Path
    lock_file: Path
    report: Callable[[str], None] = lambda line: None


def fetch_file(file: RawFile, target: Path, context: FetchContext) -> FetchedFile:
    """Bring one file to `target / file.path`.

    A file that is already there whole (its digest is known and equal) is left alone. A broken download stays in
    `context.cache` and goes on from there the next time, if its digest or the server's tag proves it is the same file.

    Raises:
        SourceError: bad address, missing, out of reach, cut short, or other bytes than expected.
        EnvironmentProblem: the disk is full or another process downloads the same file.
    """
    destination = target / inside(file.path)
    if scheme(file.url) == "mirror":
        file = _from_mirror(file, context)
    present = _already(file, destination)
    if present:
        return present
    folder = context.cache / digest("download", file.url, file.sha256 or "", size=12).hex()
    with locked(folder):
        part = folder / f"{destination.name}.part"
        got = _download(file, part, context)
        with disk_errors(destination):
            destination.parent.mkdir(parents=True, exist_ok=True)
            _move(part, destination)
        shutil.rmtree(folder, ignore_errors=True)
    return got


def inside(path: str) -> PurePosixPath:
    """A relative path that stays inside its folder.

    Raises:
        SourceError: absolute, or with "..".
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in path or "\0" in path:
        raise SourceError(f"path {path!r} leaves its folder", fix="use a relative path without '..'")
    return pure


def mirror_root(context: FetchContext) -> Path:
    """The mirror folder.

    Raises:
        SourceError: it is not set, or is no folder.
    """
    if context.mirror is None:
        raise SourceError(
            "the mirror's folder is not set",
            where="mirror",
            fix="export HAYMAKER_MIRROR=<folder> (or set the key `mirror`)",
        )
    if not context.mirror.is_dir():
        raise SourceError(
            "the mirror is no folder", where=str(context.mirror), fix="set HAYMAKER_MIRROR to the folder with " + SUMS
        )
    return context.mirror


def mirror_sums(context: FetchContext) -> dict[str, str]:
    """Path below the mirror root -> hex SHA-256, as listed in the mirror's SHA256SUMS.

    Raises:
        SourceError: the list is missing or has a line of another shape.
    """
    path = mirror_root(context) / SUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SourceError(
            f"the mirror has no readable {SUMS}", where=str(path), fix="set HAYMAKER_MIRROR to the mirror's root"
        ) from None
    sums = {}
    for number, line in enumerate(lines, 1):
        value, _, name = line.partition(" ")
        if len(value) != 64 or not name.strip(" *"):
            raise SourceError("expected '<64 hex digits>  <path>'", where=f"{SUMS}:{number}")
        sums[name.lstrip(" *").removeprefix("./")] = value.lower()
    return sums


def _from_mirror(file: RawFile, context: FetchContext) -> RawFile:
    """The same file, with the digest that the mirror's list promises and a local address."""
    name = str(inside(file.url.split(":", 1)[1]))
    root = mirror_root(context)
    expected = mirror_sums(context).get(name)
    if not (root / name).is_file():
        raise SourceError(
            f"missing from the mirror: {name}",
            where="HAYMAKER_MIRROR",
            fix="complete the mirror, or point HAYMAKER_MIRROR elsewhere",
        )
    if expected is None:
        raise SourceError(
            f"{name} is not listed in the mirror's {SUMS}", where="HAYMAKER_MIRROR", fix="restore the mirror"
        )
    if file.sha256 not in (None, expected):
        raise SourceError(
            f"{name}: the mirror's {SUMS} says {expected[:12]}, this source needs {file.sha256[:12]}",
            where="HAYMAKER_MIRROR",
        )
    return replace(file, url=(root / name).resolve().as_uri(), sha256=expected)


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
        context.report(f"fetching {file.path}: {_size(expected)}{note}")
    stopped = ""
    try:
        got = _append(remote, part, start, file.md5 is not None)
    except CannotResume:
        got = _append(remote, part, 0, file.md5 is not None)
    except Interrupted as error:
        got, stopped = FetchedFile(part.stat().st_size if part.exists() else 0, ""), f" ({error})"
    if stopped or (expected is not None and got.size < expected):
        raise SourceError(
            f"cut short: got {got.size:,} of {_size(expected)}{stopped}",
            where=f"{file.path} from {public(file.url)}",
            fix="run again: it resumes from there",
        )
    _check(file, got, expected, part)
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
    state, second = hashlib.sha256(), hashlib.md5(usedforsecurity=False) if with_md5 else None

    def update(chunk: bytes) -> None:
        state.update(chunk)
        if second:
            second.update(chunk)

    with disk_errors(part), part.open("r+b" if start else "wb") as out:
        while out.tell() < start:
            update(out.read(min(_CHUNK_BYTES, start - out.tell())))
        if start != remote.size:
            for chunk in remote.chunks(start):
                update(chunk)
                out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
        return FetchedFile(out.tell(), state.hexdigest(), second.hexdigest() if second else None)


def _check(file: RawFile, got: FetchedFile, expected: int | None, part: Path) -> None:
    place = f"{file.path} from {public(file.url)}"
    fix = "run again; if it repeats, the file was changed at its origin: check the source before trusting it"
    if expected is not None and got.size != expected:
        part.unlink()
        raise SourceError(f"wrong size: {got.size:,} bytes, not {expected:,}", where=place, fix=fix)
    for name, known, found in (("sha256", file.sha256, got.sha256), ("md5", file.md5, got.md5)):
        if known is not None and found != known:
            part.unlink()
            problem = f"wrong checksum: {name} {str(found)[:12]}, not {known[:12]}; the file was removed"
            raise SourceError(problem, where=place, fix=fix)


def _move(part: Path, destination: Path) -> None:
    """Rename; across file systems copy beside the destination first."""
    try:
        part.replace(destination)
    except OSError:
        temporary = temporary_name(destination)
        shutil.copyfile(part, temporary)
        temporary.replace(destination)


def _size(count: int | None) -> str:
    return "unknown size" if count is None else f"{count:,} bytes"
