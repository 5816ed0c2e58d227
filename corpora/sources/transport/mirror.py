"""The offline mirror: a folder with the checksums of all its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpora.sources.transport.rawfile import FetchContext, RawFile, inside
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.paths import open_plain

SUMS = "SHA256SUMS"


def mirror_root(context: FetchContext) -> Path:
    """The mirror folder.

    Raises:
        SourceError: it is not set, or is no folder.
    """
    if context.mirror is None:
        raise SourceError(
            "the mirror's folder is not set",
            where="mirror",
            fix="export HAYMAKER_MIRROR=<folder> (or set the key `mirror`)",
        )
    if not context.mirror.is_dir():
        raise SourceError(
            "the mirror is no folder", where=str(context.mirror), fix="set HAYMAKER_MIRROR to the folder with " + SUMS
        )
    return context.mirror


def mirror_sums(context: FetchContext) -> dict[str, str]:
    """Path below the mirror root -> hex SHA-256, as listed in the mirror's SHA256SUMS.

    Raises:
        SourceError: the list is missing or has a line of another shape.
    """
    path = mirror_root(context) / SUMS
    try:
        with open_plain(path) as file:
            lines = file.read().decode().splitlines()
    except (OSError, UnicodeDecodeError):
        raise SourceError(
            f"the mirror has no readable {SUMS}", where=str(path), fix="set HAYMAKER_MIRROR to the mirror's root"
        ) from None
    sums = {}
    for number, line in enumerate(lines, 1):
        value, _, name = line.partition(" ")
        if len(value) != 64 or not name.strip(" *"):
            raise SourceError("expected '<64 hex digits>  <path>'", where=f"{SUMS}:{number}")
        sums[name.lstrip(" *").removeprefix("./")] = value.lower()
    return sums


def from_mirror(file: RawFile, context: FetchContext) -> RawFile:
    """The same file, with the digest that the mirror's list promises and a local address.

    Raises:
        UnavailableError: the mirror does not have it.
        SourceError: there is no mirror, or its list says something else.
    """
    name = str(inside(file.url.split(":", 1)[1]))
    root = mirror_root(context)
    expected = mirror_sums(context).get(name)
    if not (root / name).is_file():
        raise UnavailableError(
            f"missing from the mirror: {name}",
            where="HAYMAKER_MIRROR",
            fix="complete the mirror, or point HAYMAKER_MIRROR elsewhere",
        )
    if expected is None:
        raise SourceError(
            f"{name} is not listed in the mirror's {SUMS}", where="HAYMAKER_MIRROR", fix="restore the mirror"
        )
    if file.sha256 not in (None, expected):
        raise SourceError(
            f"{name}: the mirror's {SUMS} says {expected[:12]}, this source needs {file.sha256[:12]}",
            where="HAYMAKER_MIRROR",
        )
    return replace(file, url=(root / name).resolve().as_uri(), sha256=expected)
