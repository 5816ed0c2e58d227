"""Names of published releases: ORG/NAME on the Hub or the address of a store folder, with optional @VERSION."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from haymaker.core.errors import ParamsError
from haymaker.core.files.addresses import without_secrets

_TAG = re.compile(r"v(\d+\.\d+\.\d+)")
_REFERENCE = re.compile(r"(?P<repo>\w[\w.-]{0,95}/\w[\w.-]{0,95})(?:@v?(?P<version>\d+\.\d+\.\d+))?")

_IN_STORE = re.compile(r"(?P<repo>[a-z][a-z0-9+.-]*://[^@:?#\s\\]*[^@:?#\s\\/]/*)(?:@v?(?P<version>\d+\.\d+\.\d+))?")


def is_address(text: str) -> bool:
    """Check whether a text is an address instead of a name or a path."""
    return "://" in text


@dataclass(frozen=True, slots=True)
class Reference:
    """A published release.

    Attributes:
        repo: ORG/NAME of a dataset repository, or an address such as s3://BUCKET/FOLDER.
        version: version such as 0.7.0; None: the newest published one.
    """

    repo: str
    version: str | None = None

    def __str__(self) -> str:
        """Return the name as written by users."""
        return self.repo + (f"@{self.version}" if self.version else "")


def parse_reference(text: str, where: str = "") -> Reference:
    """Parse the name of a published release.

    Args:
        text: ORG/NAME or an address, with optional @VERSION.
        where: option or argument, for errors.

    Raises:
        ParamsError: the text has another form.
    """
    if is_address(text):
        return _in_store(text, where)
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise ParamsError(
            f"{text!r:.120} is not the name of a release on the Hub",
            where=where,
            fix="write ORG/NAME, ORG/NAME@1.2.3 or s3://BUCKET/FOLDER",
        )
    return Reference(found["repo"], found["version"])


def _in_store(text: str, where: str) -> Reference:
    """Parse a store address without secrets, whose parts are also valid folder names (releases/pulled/folders.py)."""
    found = _IN_STORE.fullmatch(text)
    if found is None or {".", ".."} & set(text.split("/")) or found["repo"].startswith("hf:"):
        fix = "write s3://BUCKET/FOLDER or file:///FOLDER, optionally with @1.2.3 (set credentials in the environment), or ORG/NAME on the Hub"
        raise ParamsError(f"{without_secrets(text)!r:.120} is not a folder of a store", where=where, fix=fix)
    return Reference(found["repo"].rstrip("/"), found["version"])


def tag(version: str) -> str:
    """Return the Hub tag of a version."""
    return f"v{version}"


def version_of(name: str) -> str:
    """Return the version of a Hub tag, or "" for other tags."""
    found = _TAG.fullmatch(name)
    return found[1] if found else ""


def version_order(version: str) -> tuple[int, ...]:
    """Return a sort key for versions: 0.10.0 comes after 0.9.0."""
    return tuple(map(int, version.split(".")))


def newest(versions: Iterable[str]) -> str | None:
    """Return the highest version, or None if there is none."""
    return max(versions, key=version_order, default=None)
