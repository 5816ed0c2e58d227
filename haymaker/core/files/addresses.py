"""Remote file addresses: allowed protocols, redirect rules and clear errors."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.extras import install_command

PROTOCOLS = ("file", "gs", "hf", "http", "https", "mirror", "s3")
LONGEST_WAIT_S = 600
"""Maximum wait: the Hub counts requests in five-minute windows; a longer wait is an error."""
TRY_AGAIN = (408, 425, 429, *range(500, 600))
_REFUSED, _GONE = (401, 403), (404, 410, 451)  # HTTP statuses; 451: withdrawn for legal reasons
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
OFFLINE_FIX = "check the network and run again; without a network use the mirror or a release of simulated sources"


def scheme(url: str) -> str:
    """Return the protocol of an address ("mirror", "https", ...).

    Raises:
        SourceError: the protocol is not allowed, or http is used with another machine.
    """
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    name = found.group(1).lower() if found else ""
    if name not in PROTOCOLS or "::" in url.split("?", 1)[0].replace("[::1]", ""):
        raise SourceError(f"address {without_secrets(url)!r} is not allowed", fix=f"use one of {', '.join(PROTOCOLS)}")
    if name == "http" and urlsplit(url).hostname not in _LOOPBACK:
        raise SourceError(f"plain http is not allowed: {without_secrets(url)!r}", fix="use https")
    return name


def check_hop(at: str, to: str) -> None:
    """Check that a redirect leads to an allowed address and does not drop encryption.

    Args:
        at: redirecting address.
        to: redirect target from the header: absolute, or relative to `at`.

    Raises:
        SourceError: the target is no valid address, not https (or http on this machine), or http after https.
    """
    import httpx2

    try:
        here, there = httpx2.URL(at), httpx2.URL(to)  # parsed as by the client itself
        there = there if there.scheme else here.join(there)
    except (httpx2.InvalidURL, ValueError):
        here, there = httpx2.URL(at), httpx2.URL()
    local = here.scheme == there.scheme == "http" and there.host in _LOOPBACK
    if not local and not (there.scheme == "https" and there.host):
        what = f"redirects to {without_secrets(to)!r:.200}, which is not allowed"
        raise SourceError(what, where=without_secrets(at), fix="give the address of the file itself, with https")


def without_secrets(url: str) -> str:
    """Return the address without user, password, query, and the folders of a local file."""
    if url.lower().startswith("file:"):
        return "file:" + url.rstrip("/").rsplit("/", 1)[-1]
    bare = url.split("?", 1)[0].split("#", 1)[0]
    return re.sub(r"(://)[^/@]*@", r"\1", bare) if not bare.startswith("hf:") else bare


def local_path(url: str) -> Path | None:
    """Return the path of a `file:` address; None for other protocols."""
    return Path(unquote(urlsplit(url).path)) if url.lower().startswith("file:") else None


def explain(error: Exception, url: str) -> SourceError:
    """Convert a library's error to one with a next step; UnavailableError if the file is missing or access refused."""
    where = without_secrets(url)
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # fsspec reports every failed look-up as "not found"
    if isinstance(error, SourceError):
        return error if error.where else SourceError(error.what, where=where, fix=error.fix)
    if type(error).__name__ == "TooManyRedirects":
        return SourceError("too many redirects", where=where, fix="check the address")
    status, name = status_of(error), type(error).__name__
    if isinstance(error, ImportError):
        return SourceError(
            f"{scheme(url)} addresses need a package that is not installed ({error})",
            where=where,
            fix=install_command("PACKAGE"),
        )
    if name.startswith("Local"):  # huggingface_hub: not in its cache, and offline
        return SourceError(f"cannot be reached ({error_summary(error)})", where=where, fix=OFFLINE_FIX)
    if status in _REFUSED or isinstance(error, PermissionError) or "Gated" in name:
        fix = "accept the terms on the web page, then `hf auth login` (or set HF_TOKEN), or set the credentials of the store"
        return UnavailableError("access was refused", where=where, fix=fix)
    if isinstance(error, FileNotFoundError) or status in _GONE or "NotFound" in name:
        return UnavailableError(
            "no such file or repository", where=where, fix="check the address and the revision in the parameters"
        )
    problem = f"status {status}" if status else error_summary(error)
    return SourceError(f"cannot be reached ({problem})", where=where, fix=OFFLINE_FIX)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of an error, if any; None for proxy errors."""
    if "Proxy" in type(error).__name__:
        return None
    status = getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def error_summary(error: Exception) -> str:
    """Return the type and first line of an error, without addresses (they may contain keys)."""
    lines = str(error).strip().splitlines()
    text = re.sub(r"\S+://\S+", "...", lines[0])[:120] if lines else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
