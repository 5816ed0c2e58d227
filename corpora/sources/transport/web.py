"""Asking a far file of its server: one request from a byte on, one answer (https, http on this machine, and the Hub's hf addresses).

Differs from a browser: bodies are wanted as they lie on the server (`Accept-Encoding: identity`), since sizes, digests and resuming
are those of the file; every redirect is judged by `check_hop`; the program names itself.
"""

from __future__ import annotations

import datetime
import email.utils
import importlib.metadata
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import (
    LONGEST_WAIT_S,
    TRY_AGAIN,
    HubFile,
    check_hop,
    error_summary,
    explain,
    without_secrets,
)

CHUNK_BYTES = 8 << 20
_PARTIAL, _NOT_SATISFIABLE = 206, 416
_PACKED_FILES = (".gz", ".tgz")


class Interrupted(Exception):
    """The server did not answer, asks to try again, or the connection broke; what has arrived is good.

    Args:
        what: for the person who waits.
        wait_s: seconds that the server asks to wait.
        answered: whether it answered at all.
    """

    def __init__(self, what: str, wait_s: float = 0, *, answered: bool = True) -> None:
        super().__init__(what)
        self.wait_s, self.answered = wait_s, answered


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says of a file, and its bytes.

    Attributes:
        size: bytes of the whole file, or None when the server does not say.
        tag: the server's name for this content (a strong ETag), or empty.
        start: first byte that comes; 0 where another was asked for and the server begins anew, or the file has changed.
        ranges: whether parts can be asked for.
        chunks: the bytes, about 8 MB at a time; raises Interrupted.
    """

    size: int | None
    tag: str
    start: int
    ranges: bool
    chunks: Iterator[bytes]


@contextmanager
def asked(url: str, start: int = 0, stop: int | None = None, tag: str = "") -> Iterator[Answer]:
    """Ask for a file, or its bytes from `start` to before `stop`, as long as it is still the one that the server called `tag`.

    Raises:
        UnavailableError: missing, or refused.
        SourceError: sent on to where we do not go, or asked to wait for too long.
        Interrupted: see there.
    """
    headers = {"Accept-Encoding": "identity", "User-Agent": _agent()}
    if start or stop is not None:
        headers |= {"Range": f"bytes={start}-{'' if stop is None else stop - 1}"} | ({"If-Range": tag} if tag else {})
    target, more = _target(url)
    with closing(_told(url, target, headers | more)) as response:
        answer = _answer(response, url, start)
        if answer:
            yield answer
            return
    if "Range" not in headers:
        raise explain(_Refused(response.status_code, "a part, or none, where all was asked for"), url)
    with asked(url) as whole:
        yield whole


def _told(url: str, target: str, headers: dict[str, str]) -> Any:
    """What a server answers, its body not yet read, or why it does not answer, in our words."""
    import httpx2

    try:
        return _client().send(_client().build_request("GET", target, headers=headers), stream=True)
    except SourceError:  # of `check_hop`
        raise
    except httpx2.TooManyRedirects as error:
        raise SourceError(
            "sends us on and on (too many redirects)",
            where=without_secrets(str(error.request.url)),
            fix="check the address",
        ) from None
    except httpx2.HTTPError as error:
        raise Interrupted(error_summary(error), answered=not isinstance(error, httpx2.ConnectError)) from None
    except (httpx2.InvalidURL, ValueError) as error:
        raise explain(error, url) from None


def _answer(response: Any, url: str, start: int) -> Answer | None:
    """None: what comes is not what was asked for, lies behind the end, or is a part of what was packed on the way; ask for all of it."""
    status, headers = response.status_code, response.headers
    if status in TRY_AGAIN:
        raise Interrupted(f"status {status}", _wait(headers, url))
    if status == _NOT_SATISFIABLE:
        if headers.get("Content-Range", "") != f"bytes */{start}":
            return None
        return Answer(start, "", start, ranges=True, chunks=iter(()))
    if not response.is_success:
        raise explain(_Refused(status, response.reason_phrase), url)
    part = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]+/([0-9]{1,18}|\*)", headers.get("Content-Range", ""))
    packed = _is_packed(headers, url)
    if status == _PARTIAL and (packed or not part or int(part[1]) != start):
        return None
    part = part if status == _PARTIAL else None
    length = None if packed else headers.get("Content-Length")
    size = str(part[2] if part else length)
    tag = headers.get("ETag", "")
    return Answer(
        int(size) if size.isdigit() else None,
        "" if tag.startswith("W/") else tag,
        int(part[1]) if part else 0,
        bool(part) or (headers.get("Accept-Ranges") == "bytes" and not packed),
        _chunks(response, packed=packed),
    )


def _is_packed(headers: Any, url: str) -> bool:
    """Whether the body must be unpacked to be the file. A file that is packed itself often has its own packing in that header."""
    packed = headers.get("Content-Encoding", "identity").lower() not in ("", "identity")
    return packed and not url.split("?", 1)[0].lower().endswith(_PACKED_FILES)


def _chunks(response: Any, *, packed: bool) -> Iterator[bytes]:
    """The body; of a connection that breaks every byte that came, however few: else a bad line would never get on."""
    import httpx2

    held, broken = bytearray(), ""
    try:
        for piece in response.iter_bytes() if packed else response.iter_raw():
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


class _Refused(Exception):
    """An answer that is no file, for `explain`."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}".strip())
        self.status = status


def _wait(headers: Any, url: str) -> float:
    """Seconds that the server asks to wait: a number, or a date."""
    given = headers.get("Retry-After", "").strip()
    seconds = float(given) if re.fullmatch(r"[0-9]{1,12}", given) else _until(given)
    if seconds > LONGEST_WAIT_S:
        what = f"asks to wait {-(-int(seconds) // 60):,} minutes"
        raise SourceError(
            what, where=without_secrets(url), fix="run the same command then: it goes on from where it stopped"
        )
    return seconds


def _until(date: str) -> float:
    try:
        then = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return 0
    now = datetime.datetime.now(then.tzinfo or datetime.UTC)
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=datetime.UTC)) - now).total_seconds())


def _target(url: str) -> tuple[str, dict[str, str]]:
    """The address that is asked and headers beside ours; of the Hub's files its own, with the user's token."""
    if not url.lower().startswith("hf:"):
        return url, {}
    from huggingface_hub.utils import build_hf_headers

    headers = build_hf_headers()
    return HubFile.of(url).address(), {key: value for key, value in headers.items() if key.lower() == "authorization"}


@cache
def _client() -> Any:
    """One client for all: it keeps connections open; safe to use from several threads."""
    import httpx2

    def judged(response: Any) -> None:
        if response.has_redirect_location:
            check_hop(str(response.url), response.headers["Location"])

    timeout = httpx2.Timeout(120, connect=30)
    return httpx2.Client(follow_redirects=True, timeout=timeout, event_hooks={"response": [judged]})


@cache
def _agent() -> str:
    """Some hosts refuse what a library calls itself."""
    return f"haymaker/{importlib.metadata.version('haymaker')} (builds benchmark data)"
