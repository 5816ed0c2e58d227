"""Check that the sources of a release can be downloaded: request and inspect the first megabyte of every address.

Nothing is stored. Run it weekly to notice missing hosts and changed files before a long build does.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from corpora.sources.base import FetchContext, RawFile, Source
from corpora.sources.transport.fetch import opened, resolve_local
from corpora.sources.transport.lock import known
from corpora.sources.transport.rawfile import check_data
from corpora.sources.transport.remote import Interrupted, open_remote
from haymaker.core.errors import CheckFailed, HaymakerError, SourceError
from haymaker.core.files.addresses import scheme, without_secrets
from haymaker.core.progress import compact, out, say
from pipelines.project import Project

_LOOK_BYTES = 1 << 20
_AT_ONCE = 8
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MAGIC = {".gz": b"\x1f\x8b", ".zip": b"PK", ".parquet": b"PAR1", ".tgz": b"\x1f\x8b"}
_SHOWN_KEYS = 6
_AT_HAND = ("mirror", "file")


@dataclass(frozen=True)
class UrlCheck:
    """Result for one address.

    Attributes:
        source: source name in the parameters.
        address: URL without secrets.
        size: bytes reported by the server, or None.
        pinned: how the content is pinned, such as sha256, md5, commit or lock file; or "first download".
        seen: description of the first megabyte.
        fault: problem in one line; empty if there is none.
    """

    source: str
    address: str
    size: int | None = None
    pinned: str = ""
    seen: str = ""
    fault: str = ""


def check(project: Project) -> None:
    """Check every address of the project's real sources, and print a table.

    Raises:
        CheckFailed: at least one address is broken.
    """
    context = project.fetch_context()
    real = [source for name in project.params.sources if (source := project.inputs.source(name)).info.edition == "real"]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        listed = [*pool.map(lambda source: _listed(source, context), real)]
        wanted = [pair for pairs in listed for pair in pairs]
        found = [*pool.map(lambda pair: _check(pair[0], pair[1], context), wanted)]
    if not found:
        say("no addresses to check: every source of this release is simulated")
        return
    show(found)
    broken = [each for each in found if each.fault]
    if broken:
        raise CheckFailed(
            f"{len(broken)} of {len(found)} addresses are broken: {broken[0].address}: {broken[0].fault}",
            where="sources",
            fix="see the table; set `url` of a source to use another address of the same files",
        )


def _listed(source: Source, context: FetchContext) -> list[tuple[Source, RawFile | UrlCheck]]:
    """Return the files of a source, or the problem with listing them."""
    try:
        return [(source, file) for file in source.raw_files(context)]
    except HaymakerError as error:
        return [(source, UrlCheck(source.name, source.info.homepage, fault=error.what))]


def _check(source: Source, file: RawFile | UrlCheck, context: FetchContext) -> UrlCheck:
    return file if isinstance(file, UrlCheck) else check_address(source, file, context)


def check_address(source: Source, file: RawFile, context: FetchContext) -> UrlCheck:
    """Request one address, and inspect the content."""
    pinned = pinned_by(source, file, context)
    where = without_secrets(file.url)
    try:
        size, beginning = _beginning(file, context)
        if None not in (size, file.size_bytes) and size != file.size_bytes:
            raise SourceError(f"{size:,} bytes, not {file.size_bytes:,}")
        check_data(file, beginning)
        return UrlCheck(source.name, where, size, pinned, _seen(file, beginning, size))
    except HaymakerError as error:
        return UrlCheck(source.name, where, pinned=pinned, fault=error.what)
    except Interrupted as error:
        return UrlCheck(source.name, where, pinned=pinned, fault=f"cannot be reached ({error})")


def pinned_by(source: Source, file: RawFile, context: FetchContext) -> str:
    """Return how the content of a file is pinned in advance."""
    key = source.lock_key()
    locked = known(context, key) if key else None
    marks = {
        "mirror list": scheme(file.url) == "mirror",
        "sha256": file.sha256 is not None,
        "md5": file.md5 is not None,
        "commit": _COMMIT.search(file.url) is not None,
        "lock file": bool(locked and file.path in locked.files),
        "user": scheme(file.url) == "file",
    }
    return next((name for name, holds in marks.items() if holds), "first download")


def _beginning(file: RawFile, context: FetchContext) -> tuple[int | None, bytes]:
    """Return the size of a file reported by its host, and its first megabyte."""
    file, place = resolve_local(file, context)
    if place:
        with opened(place) as plain:
            return place.stat().st_size, plain.read(_LOOK_BYTES)
    return _part(file.url, 0, _LOOK_BYTES)


def _part(url: str, start: int, stop: int) -> tuple[int | None, bytes]:
    """Return the size of a remote file, and a range of its bytes."""
    with open_remote(url, start, stop) as remote:
        got = b""
        for chunk in remote.chunks:
            got += chunk
            if len(got) >= stop - start:
                break
        return remote.size, got[: stop - start]


def _seen(file: RawFile, beginning: bytes, size: int | None) -> str:
    """Describe the first bytes in a few words, with the fields of the first record if the format has fields.

    Raises:
        SourceError: the content does not match the file name.
    """
    suffix = PurePosixPath(file.path).suffix.lower()
    if not beginning:
        raise SourceError("is empty")
    if not beginning.startswith(_MAGIC.get(suffix, b"")):
        raise SourceError(f"does not start like a {suffix} file: {beginning[:12]!r}")
    if suffix == ".parquet":
        is_far = size is not None and scheme(file.url) not in _AT_HAND
        return f"columns {_fields(_columns(file.url, size or 0))}" if is_far else "parquet"
    if suffix in (".gz", ".tgz"):
        inner = _unpacked(beginning)
        return f"packed {_seen(RawFile(file.path[: -len(suffix)], file.url), inner, None)}"
    if suffix in (".jsonl", ".json"):
        return _record(beginning, whole=size is not None and len(beginning) == size)
    return suffix.removeprefix(".") or "bytes"


def _unpacked(beginning: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(beginning, _LOOK_BYTES)
    except zlib.error as error:
        raise SourceError(f"is damaged: {error}") from None


def _record(beginning: bytes, *, whole: bool) -> str:
    """Describe the first record of JSON or JSON lines by its keys."""
    line, _, rest = beginning.lstrip(b"\xef\xbb\xbf").partition(b"\n")
    try:
        first = json.loads(line)
    except ValueError:
        if beginning.lstrip()[:1] in b"[{" and not (whole and not rest):
            return "JSON"  # one value over many lines, longer than the requested range
        raise SourceError(f"is not JSON: starts with {beginning[:40]!r}") from None
    return f"keys {_fields([*first])}" if isinstance(first, dict) else "JSON"


def _fields(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN_KEYS} more" if len(names) > _SHOWN_KEYS else ""
    return ", ".join(names[:_SHOWN_KEYS]) + more


class _Far(io.RawIOBase):
    """Remote file with random access: a Parquet reader needs the end of the file."""

    def __init__(self, url: str, size: int) -> None:
        self._url, self._size, self._at = url, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        stop = min(self._at + len(buffer), self._size)
        got = _part(self._url, self._at, stop)[1] if stop > self._at else b""
        buffer[: len(got)] = got
        self._at += len(got)
        return len(got)


def _columns(url: str, size: int) -> list[str]:
    import pyarrow
    import pyarrow.parquet

    try:
        names: list[str] = pyarrow.parquet.read_schema(pyarrow.PythonFile(_Far(url, size), mode="r")).names
        return names
    except (pyarrow.ArrowException, OSError) as error:
        raise SourceError(f"is not a Parquet file ({str(error)[:80]})") from None


def show(found: list[UrlCheck]) -> None:
    """Print a table with one line per address."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("source", "address", "bytes", "pinned by", "seen"):
        table.add_column(name, overflow="fold")
    for line in _lines(found):
        table.add_row(*line)
    out.print(table)


def _lines(found: list[UrlCheck]) -> Iterator[tuple[str, ...]]:
    for each in found:
        size = "" if each.size is None else compact(each.size)
        yield each.source, each.address, size, each.pinned, f"BROKEN: {each.fault}" if each.fault else each.seen
