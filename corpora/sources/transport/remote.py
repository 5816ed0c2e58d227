"""Reading far files: one allow-list of protocols, one way to read from a byte on, one clear line when it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from haymaker.errors import SourceError, UnavailableError
from haymaker.extras import install

PROTOCOLS = ("file", "gs", "hf", "http", "https", "mirror", "s3")
_REFUSED, _GONE = (401, 403), (404, 410, 451)  # HTTP statuses; 451: withdrawn for legal reasons
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CHUNK_BYTES = 8 << 20
_ASK_TO_WAIT = (429, 500, 502, 503, 504)
LONGEST_WAIT_S = 600
"""The Hub counts requests in windows of five minutes; what asks for more than two of them is an error, not a wait."""
_OFFLINE_FIX = "check the network and run again; without a network use the mirror or a world release"


class Interrupted(Exception):
    """The connection broke while bytes were flowing; what has arrived is good."""


class CannotResume(Exception):
    """The server gives a file only from its beginning."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A far file that was found.

    Attributes:
        url: its address.
        size: bytes, or None when the server does not say.
        tag: the server's name for this content (ETag), or empty.
    """

    url: str
    size: int | None
    tag: str
    _system: Any
    _path: str

    def chunks(self, start: int) -> Iterator[bytes]:
        """The bytes from `start` on, about 8 MB at a time.

        Raises:
            Interrupted: the connection broke.
            UnavailableError: access was refused, or the file went away.
            CannotResume: `start` is not 0 and the server cannot begin there.
        """
        options: dict[str, Any] = {"block_size": _CHUNK_BYTES, "cache_type": "none"}
        if not start and scheme(self.url) in ("http", "https"):
            options = {"block_size": 0}  # one request for the whole file; ranges only to resume
        try:
            with self._system.open(self._path, "rb", **options) as file:
                if start:
                    file.seek(start)
                while chunk := file.read(_CHUNK_BYTES):
                    yield chunk
        except SourceError:
            raise
        except ValueError as error:  # fsspec: no range requests, or not seekable
            raise (CannotResume if start else Interrupted)(_short(error)) from None
        except Exception as error:
            if _status(error) in _REFUSED + _GONE:
                raise explain(error, self.url) from None
            raise Interrupted(_short(error)) from None


def scheme(url: str) -> str:
    """The protocol of an address ("mirror", "https" ...).

    Raises:
        SourceError: not on the allow-list; http elsewhere than on this machine.
    """
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    name = found.group(1).lower() if found else ""
    if name not in PROTOCOLS or "::" in url.split("?", 1)[0].replace("[::1]", ""):
        raise SourceError(f"address {public(url)!r} is not allowed", fix=f"use one of {', '.join(PROTOCOLS)}")
    if name == "http" and urlsplit(url).hostname not in _LOOPBACK:
        raise SourceError(f"plain http is not allowed: {public(url)!r}", fix="use https")
    return name


def check_hop(at: str, to: str) -> None:
    """Whether a redirect may be followed: the rules of first addresses hold again, and encryption is not given up.

    Args:
        at: the address that answered.
        to: where it sends us, as its header says: whole, or relative to `at`.

    Raises:
        SourceError: to anything but https, or http on this machine; from https to http; no address at all.
    """
    import yarl

    try:
        here, there = yarl.URL(at), yarl.URL(to)  # as aiohttp itself reads them
        there = there if there.scheme else here.join(there)
    except ValueError:
        here, there = yarl.URL(at), yarl.URL()
    local = here.scheme == there.scheme == "http" and there.host in _LOOPBACK
    if not local and not (there.scheme == "https" and there.host):
        what = f"sends us on to {public(to)!r:.200}, which is not allowed"
        raise SourceError(what, where=public(at), fix="give the address of the file itself, with https")


def public(url: str) -> str:
    """The address without what may be secret or private: user, password, query, and the folders of a local file."""
    if url.lower().startswith("file:"):
        return "file:" + url.rstrip("/").rsplit("/", 1)[-1]
    bare = url.split("?", 1)[0].split("#", 1)[0]
    return re.sub(r"(://)[^/@]*@", r"\1", bare) if not bare.startswith("hf:") else bare


def local_path(url: str) -> Path | None:
    """The path behind a file: address; None for any other."""
    return Path(unquote(urlsplit(url).path)) if url.lower().startswith("file:") else None


def open_remote(url: str) -> Remote:
    """Find a far file and ask for its size.

    Raises:
        UnavailableError: not there, or refused.
        SourceError: an address that is not allowed, or out of reach.
    """
    name = scheme(url)
    try:
        import fsspec

        if name == "hf":
            guard_hub()
        system, path = fsspec.core.url_to_fs(url, **_options(name))
        info = system.info(path)
    except SourceError:
        raise
    except Exception as error:
        raise explain(error, url) from None
    size = info.get("size")
    return Remote(url, size if isinstance(size, int) else None, str(info.get("ETag") or ""), system, path)


def explain(error: Exception, url: str) -> SourceError:
    """What a library says about an address, as one line with a next step; UnavailableError where the file is not there or not for us."""
    where = public(url)
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # fsspec calls every failed look-up "not found"
    if isinstance(error, SourceError):
        return error
    if type(error).__name__ == "TooManyRedirects":
        return SourceError("sends us on and on (too many redirects)", where=where, fix="check the address")
    status, name = _status(error), type(error).__name__
    if isinstance(error, ImportError):
        return SourceError(
            f"{scheme(url)} addresses need a package that is not here ({error})", where=where, fix=install("PACKAGE")
        )
    if name.startswith("Local"):  # the Hub's library: not in its cache, and no network to ask
        return SourceError(f"cannot be reached ({_short(error)})", where=where, fix=_OFFLINE_FIX)
    if status in _REFUSED or isinstance(error, PermissionError) or "Gated" in name:
        fix = "accept its terms on the web page, then `hf auth login`, or set the credentials of that store"
        return UnavailableError("access was refused", where=where, fix=fix)
    if isinstance(error, FileNotFoundError) or status in _GONE or "NotFound" in name:
        return UnavailableError(
            "no such file or repository", where=where, fix="check the address and the revision in the parameters"
        )
    return SourceError(f"cannot be reached ({_short(error)})", where=where, fix=_OFFLINE_FIX)


def _status(error: Exception) -> int | None:
    """The HTTP status an error carries, if any; what a proxy on the way says is not said of the file."""
    if "Proxy" in type(error).__name__:
        return None
    status = getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def _options(name: str) -> dict[str, Any]:
    if name not in ("http", "https"):
        return {}
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=120)
    trace = aiohttp.TraceConfig()
    trace.on_request_redirect.append(_on_redirect)
    return {
        "client_kwargs": {"trust_env": True, "timeout": timeout, "trace_configs": [trace]},
        "skip_instance_cache": True,
    }


async def _on_redirect(session: Any, context: Any, hop: Any) -> None:
    """Called by aiohttp between an answer that redirects and the next request."""
    to = hop.response.headers.get("Location") or hop.response.headers.get("URI") or ""
    check_hop(str(hop.response.url), to)


@cache
def guard_hub() -> None:
    """Let the Hub's client library, too, ask `check_hop` before it follows a redirect, and not sleep for hours because it is told to."""
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils import _http

    def client() -> Any:
        made = _http.default_client_factory()
        made.event_hooks["response"].append(_on_hub_answer)
        return made

    set_client_factory(client)


def _on_hub_answer(answer: Any) -> None:
    if answer.has_redirect_location:
        check_hop(str(answer.url), answer.headers["Location"])
    if answer.status_code in _ASK_TO_WAIT and (seconds := _wait_asked(answer.headers)) > LONGEST_WAIT_S:
        what = f"the Hub asks to wait {-(-seconds // 60):,} minutes (status {answer.status_code})"
        raise SourceError(what, fix="run the same command then: it goes on from where it stopped")


def _wait_asked(headers: Any) -> int:
    """Seconds that the library would sleep, silently and five times over, before it asks again."""
    from huggingface_hub.utils import _http

    limit = _http.parse_ratelimit_headers(headers)
    asked = limit.reset_in_seconds if limit is not None and limit.remaining == 0 else 0
    return max(asked, int(_http._parse_retry_after(headers) or 0))


def _short(error: Exception) -> str:
    """Kind and first line of an error, without addresses (they may carry keys)."""
    lines = str(error).strip().splitlines()
    text = re.sub(r"\S+://\S+", "...", lines[0])[:120] if lines else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
