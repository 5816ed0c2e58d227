"""A raw file: what is known before the download, what was found, and whether both agree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import without_secrets
from haymaker.core.files.disk import sha256_file

_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file to fetch.

    Attributes:
        path: path below data/raw/<source>/, with forward slashes.
        url: address; `mirror:<path>` is relative to the mirror root.
        size_bytes: expected size, or None.
        sha256: expected hex digest, or None (then sources.lock.json records the digest of the first download).
        md5: expected hex digest if the publisher gives only MD5.
        also: further addresses of the same bytes, used in this order if the first host fails.
    """

    path: str
    url: str
    size_bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """Size in bytes and hex SHA-256 of a fetched file; MD5 only if one was expected."""

    size: int
    sha256: str
    md5: str | None = None


@dataclass(frozen=True)
class FetchContext:
    """Folders and settings of a download.

    Attributes:
        mirror: folder of the offline mirror (parameter `mirror`, or HAYMAKER_MIRROR), or None.
        cache: folder of unfinished downloads; DVC does not clear it.
        lock_file: sources.lock.json.
        report: prints one progress line.
        found: lock file of the current attempt, with files that are not checked yet; None outside of an attempt.
        parts: for a simulated source, the folders of parts that exist already; `fetch` writes the others.
    """

    mirror: Path | None
    cache: Path
    lock_file: Path
    report: Callable[[str], None] = lambda line: None
    found: Path | None = None
    parts: Mapping[str, Path] = field(default_factory=dict)


def inside(path: str) -> PurePosixPath:
    """Return a relative path; SourceError if it is empty, absolute, or contains ".."."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in path or "\0" in path:
        raise SourceError(f"path {path!r} is outside its folder", fix="use a relative path without '..'")
    return pure


def check(file: RawFile, path: Path, size: int | None) -> FetchedFile:
    """Return size and digests of the file on disk; SourceError if they differ from the expected ones."""
    check_size(file, path.stat().st_size, size)
    found = FetchedFile(path.stat().st_size, sha256_file(path), _md5(path) if file.md5 else None)
    for name, expected, real in (("sha256", file.sha256, found.sha256), ("md5", file.md5, found.md5)):
        if expected is not None and real != expected:
            raise _wrong(file, f"wrong checksum: {name} {str(real)[:12]}, not {expected[:12]}; the file was removed")
    return found


def check_size(file: RawFile, found: int | None, expected: int | None) -> None:
    """Raise SourceError if both sizes are known and differ."""
    if None not in (found, expected) and found != expected:
        raise _wrong(file, f"wrong size: {found:,} bytes, not {expected:,}")


def _wrong(file: RawFile, what: str, fix: str = "") -> SourceError:
    fix = fix or "run again; if it repeats, the publisher has changed the file: check the source before you use it"
    return SourceError(what, where=f"{file.path} from {without_secrets(file.url)}", fix=fix)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def check_data(file: RawFile, beginning: bytes) -> None:
    """Raise SourceError if a web page arrived instead of the file: overloaded hosts send one with a success status."""
    is_page = beginning[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE)
    if is_page and not file.path.lower().endswith((".html", ".htm", ".xhtml")):
        fix = "open the address in a browser to read the page; then run again"
        raise _wrong(file, "the server sent a web page instead of the file", fix)
