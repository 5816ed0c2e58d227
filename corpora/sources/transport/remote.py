"""Streams of remote files from a given byte on: https, the Hub (`hf:`) and object stores (`s3:`, `gs:`).

Bodies are requested without compression, because sizes, digests and resuming refer to the stored file.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any

from corpora.sources.transport.hub import parse_address
from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import TRY_AGAIN, error_summary, explain, scheme
from haymaker.core.files.hub_client import check_response, client_errors, requested_wait

_LINE_EVERY_S = 10.0
_BLOCK_BYTES = 8 << 20
_PARTIAL, _NOT_SATISFIABLE = 206, 416
_COMPRESSED_FILES = (".gz", ".tgz")


class Interrupted(Exception):
    """The server did not respond, asked to retry, or the connection broke. Bytes received so far are valid.

    Args:
        what: reason, shown to the user.
        wait_s: seconds that the server asks to wait.
        answered: whether the server responded at all.
    """

    def __init__(self, what: str, wait_s: float = 0, *, answered: bool = True) -> None:
        super().__init__(what)
        self.wait_s, self.answered = wait_s, answered


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """An open response.

    Attributes:
        size: bytes of the whole file, or None if the server does not report it.
        tag: strong ETag of the content, or an empty string.
        start: first byte of `chunks`; 0 if the server starts over or the file has changed.
        chunks: the bytes; raises Interrupted.
    """

    size: int | None
    tag: str
    start: int
    chunks: Iterator[bytes]


@contextmanager
def open_remote(url: str, start: int = 0, stop: int | None = None, tag: str = "") -> Iterator[RemoteFile]:
    """Request the bytes from `start` to before `stop` if the file still has the ETag `tag`; else the whole file.

    Raises:
        UnavailableError: the file is missing, or access is refused.
        SourceError: the address is invalid, a redirect is not allowed, or the requested wait is too long.
        Interrupted: the request can be repeated.
    """
    if scheme(url) in ("s3", "gs"):
        yield _store_file(url, start, stop, tag)
        return
    headers = {}
    if start or stop is not None:
        headers = {"Range": f"bytes={start}-{'' if stop is None else stop - 1}"} | ({"If-Range": tag} if tag else {})
    with closing(_send(url, headers)) as response:
        if found := _web_file(response, url, start):
            yield found
            return
    if not headers:  # the server sent a range, although the whole file was requested
        raise explain(_StatusError(response.status_code), url)
    with open_remote(url) as whole:
        yield whole


def _store_file(url: str, start: int, stop: int | None, tag: str) -> RemoteFile:
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
        info = system.info(path)
    except Exception as error:
        raise explain(error, url) from None
    found, size = str(info.get("ETag") or ""), int(info["size"])
    start, stop = start if tag in ("", found) else 0, min(size, size if stop is None else stop)
    blocks = range(start, stop, _BLOCK_BYTES)
    # every store has its own error classes
    chunks = (system.cat_file(path, start=at, end=min(at + _BLOCK_BYTES, stop)) for at in blocks)
    return RemoteFile(size, found, start, _interruptible(chunks, Exception))


def _send(url: str, headers: dict[str, str]) -> Any:
    """Send a request and return the response before its body is read."""
    import httpx2

    try:
        address, identity = _target(url)
        headers = headers | identity | {"Accept-Encoding": "identity"}
        return _client().send(_client().build_request("GET", address, headers=headers), stream=True)
    except httpx2.TooManyRedirects as error:
        raise explain(error, str(error.request.url)) from None
    except httpx2.HTTPError as error:
        raise Interrupted(error_summary(error), answered=not isinstance(error, httpx2.ConnectError)) from None
    except (SourceError, httpx2.InvalidURL, ValueError) as error:
        raise explain(error, url) from None


def _target(url: str) -> tuple[str, dict[str, str]]:
    """Return the https address and identifying headers; for the Hub with the user's token."""
    version = importlib.metadata.version("haymaker")
    if scheme(url) != "hf":  # some hosts refuse the default name of a library
        return url, {"User-Agent": f"haymaker/{version} (builds benchmark data)"}
    from huggingface_hub import hf_hub_url, is_offline_mode
    from huggingface_hub.utils import build_hf_headers

    if is_offline_mode():
        raise SourceError("cannot be reached: HF_HUB_OFFLINE is set", fix="unset HF_HUB_OFFLINE, or use the mirror")
    file = parse_address(url)
    address = hf_hub_url(file.id, file.path_in_repo, repo_type=file.type, revision=file.revision)
    return address, build_hf_headers(library_name="haymaker", library_version=version)


@cache
def _client() -> Any:
    """Return the shared client; it is thread-safe and keeps connections open."""
    import httpx2

    timeout = httpx2.Timeout(120, connect=30)
    with client_errors():
        return httpx2.Client(follow_redirects=True, timeout=timeout, event_hooks={"response": [check_response]})


def _web_file(response: Any, url: str, start: int) -> RemoteFile | None:
    """Interpret a response; None if its body is not the requested range (then request the whole file)."""
    import httpx2

    status, headers = response.status_code, response.headers
    if status in TRY_AGAIN:
        raise Interrupted(f"status {status}", requested_wait(headers))
    if status == _NOT_SATISFIABLE:
        is_complete = headers.get("Content-Range", "") == f"bytes */{start}"
        return RemoteFile(start, "", start, iter(())) if is_complete else None
    if not response.is_success:
        raise explain(_StatusError(status), url)
    compressed = headers.get("Content-Encoding", "identity").lower() not in ("", "identity")
    if url.split("?", 1)[0].lower().endswith(_COMPRESSED_FILES):
        compressed = False  # hosts often put the compression of the file itself into that header
    size = None if compressed else headers.get("Content-Length")
    if status == _PARTIAL:
        part = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]+/([0-9]{1,18}|\*)", headers.get("Content-Range", ""))
        if compressed or not part or int(part[1]) != start:
            return None
        size = part[2]
    tag = headers.get("ETag", "")
    return RemoteFile(
        int(size) if size and size.isdecimal() else None,
        tag if tag.isascii() and not tag.startswith("W/") else "",
        start if status == _PARTIAL else 0,
        _interruptible(response.iter_bytes() if compressed else response.iter_raw(), httpx2.HTTPError),
    )


def _interruptible(chunks: Iterable[bytes], errors: type[Exception]) -> Iterator[bytes]:
    try:
        yield from chunks
    except errors as error:
        raise Interrupted(error_summary(error)) from None


class _StatusError(Exception):
    """HTTP status without a file, for `explain`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def with_progress(remote: RemoteFile, name: str, size: int | None, report: Callable[[str], None]) -> Iterator[bytes]:
    """Yield the chunks; report bytes, rate and time left at most every ten seconds."""
    began = reported = monotonic()
    received = 0
    for chunk in remote.chunks:
        yield chunk
        received += len(chunk)
        now = monotonic()
        if now - reported >= _LINE_EVERY_S:
            reported, total, rate = now, remote.start + received, max(1, received / (now - began))
            rest = f" of {size / 1e6:,.0f} MB, {(size - total) / rate / 60:,.0f} min left" if size else " MB"
            report(f"  {name}: {total / 1e6:,.0f}{rest}, {rate / 1e6:.1f} MB/s")
