"""One raw file: what is known of it before it is fetched, what was found, and whether that agrees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import without_secrets

_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class RawFile:
    """One file to fetch.

    Attributes:
        path: where it goes, below data/raw/<source>/, with forward slashes.
        url: where it comes from; `mirror:<path>` is below the mirror root.
        size_bytes: known size, or None.
        sha256: known hex digest, or None (then sources.lock.json remembers the first download's).
        md5: known hex digest where a publisher gives no better one.
        also: other addresses of the same bytes, asked in this order when the first host is in trouble.
    """

    path: str
    url: str
    size_bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None
    also: tuple[str, ...] = ()


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
        found: a lock file of the attempt in progress: what it found and nobody has checked yet; None outside of one.
        parts: of a simulated source the parts that are written already, each with its folder; the others are written by `fetch`.
    """

    mirror: Path | None
    cache: Path
    lock_file: Path
    report: Callable[[str], None] = lambda line: None
    found: Path | None = None
    parts: Mapping[str, Path] = field(default_factory=dict)


def inside(path: str) -> PurePosixPath:
    """A relative path that stays inside its folder.

    Raises:
        SourceError: absolute, or with "..".
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in path or "\0" in path:
        raise SourceError(f"path {path!r} leaves its folder", fix="use a relative path without '..'")
    return pure


class Hashes:
    """Digests of a file as its bytes go by.

    Args:
        with_md5: whether its MD5 is wanted too.
    """

    def __init__(self, with_md5: bool) -> None:
        self._with_md5 = with_md5
        self.begin()

    def begin(self) -> None:
        """Nothing has gone by yet."""
        self.size, self._sha256 = 0, hashlib.sha256()
        self._md5 = hashlib.md5(usedforsecurity=False) if self._with_md5 else None

    def update(self, chunk: bytes) -> None:
        """The next bytes."""
        self.size += len(chunk)
        self._sha256.update(chunk)
        if self._md5:
            self._md5.update(chunk)

    def found(self) -> FetchedFile:
        """What went by so far."""
        return FetchedFile(self.size, self._sha256.hexdigest(), self._md5.hexdigest() if self._md5 else None)


def check(file: RawFile, got: FetchedFile, expected: int | None) -> None:
    """Whether it is the file that was wanted.

    Raises:
        SourceError: another size than `expected` (bytes), or another digest than is known.
    """
    place = f"{file.path} from {without_secrets(file.url)}"
    fix = "run again; if it repeats, the file was changed at its origin: check the source before trusting it"
    if expected is not None and got.size != expected:
        raise SourceError(f"wrong size: {got.size:,} bytes, not {expected:,}", where=place, fix=fix)
    for name, known, found in (("sha256", file.sha256, got.sha256), ("md5", file.md5, got.md5)):
        if known is not None and found != known:
            problem = f"wrong checksum: {name} {str(found)[:12]}, not {known[:12]}; the file was removed"
            raise SourceError(problem, where=place, fix=fix)


def check_data(file: RawFile, beginning: bytes) -> None:
    """A host in trouble, or behind a page to click on, sends a web page and calls it a success.

    Raises:
        SourceError: it is one, and the file is not meant to be.
    """
    is_page = beginning[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE)
    if is_page and not file.path.lower().endswith((".html", ".htm", ".xhtml")):
        raise SourceError(
            "the server sends a web page instead of the file",
            where=f"{file.path} from {without_secrets(file.url)}",
            fix="open the address in a browser to see what it says; then run again",
        )


def in_bytes(count: int | None) -> str:
    """'1,200 bytes'."""
    return "unknown size" if count is None else f"{count:,} bytes"
