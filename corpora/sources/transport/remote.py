"""Streams of remote files from a given byte on: https, the Hub (`hf:`) and object stores (`s3:`, `gs:`).

Bodies are requested without compression, because sizes, digests and resuming refer to the stored file.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import TRY_AGAIN, error_summary, explain, scheme, without_secrets
from haymaker.core.files.hub_client import check_response, requested_wait

CHUNK_BYTES = 8 << 20
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
        chunks: the bytes, about 8 MB at a time; raises Interrupted.
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

    def chunks() -> Iterator[bytes]:
        try:
            for at in range(start, stop, CHUNK_BYTES):
                yield system.cat_file(path, start=at, end=min(at + CHUNK_BYTES, stop))
        except Exception as error:  # every store has its own error classes
            raise Interrupted(error_summary(error)) from None

    return RemoteFile(size, found, start, chunks())


def _send(url: str, headers: dict[str, str]) -> Any:
    """Send a request and return the response before its body is read."""
    import httpx2

    try:
        target, more = _target(url)
        request = _client().build_request("GET", target, headers=headers | {"Accept-Encoding": "identity"} | more)
        return _client().send(request, stream=True)
    except SourceError as error:
        raise SourceError(error.what, where=error.where or without_secrets(url), fix=error.fix) from None
    except httpx2.TooManyRedirects as error:
        raise explain(error, str(error.request.url)) from None
    except httpx2.HTTPError as error:
        raise Interrupted(error_summary(error), answered=not isinstance(error, httpx2.ConnectError)) from None
    except (httpx2.InvalidURL, ValueError) as error:
        raise explain(error, url) from None


def _target(url: str) -> tuple[str, dict[str, str]]:
    """Return the https address and identifying headers; for the Hub with the user's token."""
    version = importlib.metadata.version("haymaker")
    if scheme(url) != "hf":  # some hosts refuse the default name of a library
        return url, {"User-Agent": f"haymaker/{version} (builds benchmark data)"}
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    from corpora.sources.transport.hub import parse_address

    file = parse_address(url)
    address = hf_hub_url(file.id, file.path_in_repo, repo_type=file.type, revision=file.revision)
    return address, build_hf_headers(library_name="haymaker", library_version=version)


@cache
def _client() -> Any:
    """Return the shared client; it is thread-safe and keeps connections open."""
    import httpx2

    timeout = httpx2.Timeout(120, connect=30)
    return httpx2.Client(follow_redirects=True, timeout=timeout, event_hooks={"response": [check_response]})


def _web_file(response: Any, url: str, start: int) -> RemoteFile | None:
    """Interpret a response; None if its body is not the requested range (then request the whole file)."""
    status, headers = response.status_code, response.headers
    if status in TRY_AGAIN:
        raise Interrupted(f"status {status}", requested_wait(headers))
    if status == _NOT_SATISFIABLE:
        is_complete = headers.get("Content-Range", "") == f"bytes */{start}"
        return RemoteFile(start, "", start, iter(())) if is_complete else None
    if not response.is_success:
        raise explain(_StatusError(status), url)
    compressed = _is_compressed(headers, url)
    size = None if compressed else headers.get("Content-Length")
    if status == _PARTIAL:
        part = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]+/([0-9]{1,18}|\*)", headers.get("Content-Range", ""))
        if compressed or not part or int(part[1]) != start:
            return None
        size = part[2]
    tag = headers.get("ETag", "")
    return RemoteFile(
        int(size) if size and size.isdecimal() else None,
        "" if tag.startswith("W/") else tag,
        start if status == _PARTIAL else 0,
        _web_chunks(response, decompress=compressed),
    )


def _is_compressed(headers: Any, url: str) -> bool:
    """Check whether the body must be decompressed. Hosts often name the compression of a .gz file itself in that header."""
    encoded = headers.get("Content-Encoding", "identity").lower() not in ("", "identity")
    return encoded and not url.split("?", 1)[0].lower().endswith(_COMPRESSED_FILES)


def _web_chunks(response: Any, *, decompress: bool) -> Iterator[bytes]:
    """Yield the body. All bytes before a break are yielded, however few, so that a bad connection makes progress."""
    import httpx2

    held, broken = bytearray(), ""
    try:
        for piece in response.iter_bytes() if decompress else response.iter_raw():
            held += piece
            if len(held) >= CHUNK_BYTES:
                yield bytes(held)
                held.clear()
    except httpx2.HTTPError as error:
        broken = error_summary(error)
    if held:
        yield bytes(held)
    if broken:
        raise Interrupted(broken)


class _StatusError(Exception):
    """HTTP status without a file, for `explain`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
