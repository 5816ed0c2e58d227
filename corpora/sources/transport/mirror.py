"""The offline mirror: a folder with the checksums of all its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpora.sources.transport.rawfile import FetchContext, RawFile, inside
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.paths import open_plain

SUMS = "SHA256SUMS"
_SETTING = "HAYMAKER_MIRROR"


def mirror_sums(context: FetchContext) -> dict[str, str]:
    """Read the mirror's SHA256SUMS: path below the mirror root -> hex SHA-256."""
    if context.mirror is None:
        fix = f"export {_SETTING}=<folder> (or set the key `mirror`)"
        raise SourceError("the mirror's folder is not set", where="mirror", fix=fix)
    path = context.mirror / SUMS
    try:
        with open_plain(path) as file:
            lines = file.read().decode().splitlines()
    except (OSError, UnicodeDecodeError):
        fix = f"set {_SETTING} to the folder with {SUMS}"
        where = path if context.mirror.is_dir() else context.mirror
        raise SourceError(f"the mirror has no readable {SUMS}", where=str(where), fix=fix) from None
    sums = {}
    for number, line in enumerate(lines, 1):
        value, _, name = line.partition(" ")
        if len(value) != 64 or not name.strip(" *"):
            raise SourceError("expected '<64 hex digits>  <path>'", where=f"{SUMS}:{number}")
        sums[name.lstrip(" *").removeprefix("./")] = value.lower()
    return sums


def from_mirror(file: RawFile, context: FetchContext) -> RawFile:
    """Return the same file with a local address and the digest that the mirror lists."""
    name, listed = str(inside(file.url.split(":", 1)[1])), mirror_sums(context)
    place, sha256 = Path(context.mirror or "") / name, listed.get(name)
    if not place.is_file():
        fix = f"complete the mirror, or point {_SETTING} elsewhere"
        raise UnavailableError(f"missing from the mirror: {name}", where=_SETTING, fix=fix)
    if sha256 is None:
        raise SourceError(f"{name} is not listed in the mirror's {SUMS}", where=_SETTING, fix="restore the mirror")
    if file.sha256 not in (None, sha256):
        what = f"{name}: the mirror's {SUMS} lists {sha256[:12]}, but this source requires {file.sha256[:12]}"
        raise SourceError(what, where=_SETTING)
    return replace(file, url=place.resolve().as_uri(), sha256=sha256)
