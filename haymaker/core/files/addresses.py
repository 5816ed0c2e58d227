"""Addresses of far files: one allow-list of protocols, the rules of redirects, one clear line when asking fails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.extras import install_command

PROTOCOLS = ("file", "gs", "hf", "http", "https", "mirror", "s3")
LONGEST_WAIT_S = 600
"""The Hub counts requests in windows of five minutes; what asks for more than two of them is an error, not a wait."""
TRY_AGAIN = (408, 425, 429, *range(500, 600))
_REFUSED, _GONE = (401, 403), (404, 410, 451)  # HTTP statuses; 451: withdrawn for legal reasons
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
OFFLINE_FIX = "check the network and run again; without a network use the mirror or a world release"


def scheme(url: str) -> str:
    """The protocol of an address ("mirror", "https" ...).

    Raises:
        SourceError: not on the allow-list; http elsewhere than on this machine.
    """
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    name = found.group(1).lower() if found else ""
    if name not in PROTOCOLS or "::" in url.split("?", 1)[0].replace("[::1]", ""):
        raise SourceError(f"address {without_secrets(url)!r} is not allowed", fix=f"use one of {', '.join(PROTOCOLS)}")
    if name == "http" and urlsplit(url).hostname not in _LOOPBACK:
        raise SourceError(f"plain http is not allowed: {without_secrets(url)!r}", fix="use https")
    return name


def check_hop(at: str, to: str) -> None:
    """Whether a redirect may be followed: the rules of first addresses hold again, and encryption is not given up.

    Args:
        at: the address that answered.
        to: where it sends us, as its header says: whole, or relative to `at`.

    Raises:
        SourceError: to anything but https, or http on this machine; from https to http; no address at all.
    """
    import httpx2

    try:
        here, there = httpx2.URL(at), httpx2.URL(to)  # as the client itself reads them
        there = there if there.scheme else here.join(there)
    except (httpx2.InvalidURL, ValueError):
        here, there = httpx2.URL(at), httpx2.URL()
    local = here.scheme == there.scheme == "http" and there.host in _LOOPBACK
    if not local and not (there.scheme == "https" and there.host):
        what = f"sends us on to {without_secrets(to)!r:.200}, which is not allowed"
        raise SourceError(what, where=without_secrets(at), fix="give the address of the file itself, with https")


def without_secrets(url: str) -> str:
    """The address without what may be secret or private: user, password, query, and the folders of a local file."""
    if url.lower().startswith("file:"):
        return "file:" + url.rstrip("/").rsplit("/", 1)[-1]
    bare = url.split("?", 1)[0].split("#", 1)[0]
    return re.sub(r"(://)[^/@]*@", r"\1", bare) if not bare.startswith("hf:") else bare


def local_path(url: str) -> Path | None:
    """The path behind a file: address; None for any other."""
    return Path(unquote(urlsplit(url).path)) if url.lower().startswith("file:") else None


def explain(error: Exception, url: str) -> SourceError:
    """What a library says about an address, as one line with a next step; UnavailableError where the file is not there or not for us."""
    where = without_secrets(url)
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # fsspec calls every failed look-up "not found"
    if isinstance(error, SourceError):
        return error
    if type(error).__name__ == "TooManyRedirects":
        return SourceError("sends us on and on (too many redirects)", where=where, fix="check the address")
    status, name = status_of(error), type(error).__name__
    if isinstance(error, ImportError):
        return SourceError(
            f"{scheme(url)} addresses need a package that is not here ({error})",
            where=where,
            fix=install_command("PACKAGE"),
        )
    if name.startswith("Local"):  # the Hub's library: not in its cache, and no network to ask
        return SourceError(f"cannot be reached ({error_summary(error)})", where=where, fix=OFFLINE_FIX)
    if status in _REFUSED or isinstance(error, PermissionError) or "Gated" in name:
        fix = "accept its terms on the web page, then `hf auth login` (or set HF_TOKEN), or set the credentials of that store"
        return UnavailableError("access was refused", where=where, fix=fix)
    if isinstance(error, FileNotFoundError) or status in _GONE or "NotFound" in name:
        return UnavailableError(
            "no such file or repository", where=where, fix="check the address and the revision in the parameters"
        )
    said = f"status {error}" if status else error_summary(error)
    return SourceError(f"cannot be reached ({said})", where=where, fix=OFFLINE_FIX)


def status_of(error: Exception) -> int | None:
    """The HTTP status an error carries, if any; what a proxy on the way says is not said of the file."""
    if "Proxy" in type(error).__name__:
        return None
    status = getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository on the Hugging Face Hub.

    Attributes:
        repo: OWNER/NAME.
        kind: "dataset" or "model".
        revision: a commit, tag or branch; empty: main.
        path: within the repository.
    """

    repo: str
    kind: str
    revision: str
    path: str

    @classmethod
    def of(cls, url: str) -> Self:
        """The file behind hf://[datasets/]OWNER/NAME[@REVISION]/PATH.

        Raises:
            SourceError: no such address.
        """
        found = re.fullmatch(r"hf://(datasets/)?([^/@]+/[^/@]+)(?:@([^/]+))?/(.+)", url, re.IGNORECASE)
        if not found:
            raise SourceError(f"address {url!r} is not one of the Hub", fix="write hf://datasets/OWNER/NAME/FILE")
        return cls(found[2], "dataset" if found[1] else "model", found[3] or "", found[4])

    def address(self) -> str:
        """Its address on the web."""
        from huggingface_hub import hf_hub_url

        address: str = hf_hub_url(self.repo, self.path, repo_type=self.kind, revision=self.revision or None)
        return address


def error_summary(error: Exception) -> str:
    """Kind and first line of an error, without addresses (they may carry keys)."""
    lines = str(error).strip().splitlines()
    text = re.sub(r"\S+://\S+", "...", lines[0])[:120] if lines else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
