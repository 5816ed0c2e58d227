"""Names of releases on the Hub: ORG/NAME or ORG/NAME@VERSION."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from haymaker.errors import ParamsError

_TAG = re.compile(r"v(\d+\.\d+\.\d+)")
_REFERENCE = re.compile(r"(?P<repo>\w[\w.-]{0,95}/\w[\w.-]{0,95})(?:@v?(?P<version>\d+\.\d+\.\d+))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """A release on the Hub.

    Attributes:
        repo: ORG/NAME of a dataset repository.
        version: such as 0.7.0; None: the newest that is tagged.
    """

    repo: str
    version: str | None = None

    def __str__(self) -> str:
        """As a person writes it."""
        return self.repo + (f"@{self.version}" if self.version else "")


def parse(text: str, where: str = "") -> Reference:
    """The release that a person named.

    Args:
        text: ORG/NAME or ORG/NAME@VERSION.
        where: option or argument, for the error line.

    Raises:
        ParamsError: it is neither.
    """
    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise ParamsError(
            f"{text!r:.120} names no release on the Hub", where=where, fix="write ORG/NAME, or ORG/NAME@1.2.3"
        )
    return Reference(found["repo"], found["version"])


def tag(version: str) -> str:
    """The Hub's tag of a version."""
    return f"v{version}"


def version_of(name: str) -> str:
    """The version that a tag of the Hub names; "" of another tag."""
    found = _TAG.fullmatch(name)
    return found[1] if found else ""


def order(version: str) -> tuple[int, ...]:
    """Versions in their order: 0.10.0 comes after 0.9.0."""
    return tuple(map(int, version.split(".")))


def newest(versions: Iterable[str]) -> str | None:
    """The highest version; None of none."""
    return max(versions, key=order, default=None)
