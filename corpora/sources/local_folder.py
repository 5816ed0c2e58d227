"""Files of a user's folder that match a pattern; links that lead elsewhere are refused unless the user allows them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from corpora.sources.books import natural
from corpora.sources.formats.packing import plain_name, refuse_packing, refuse_twins
from haymaker.core.errors import SourceError, UnavailableError


def _inside(pattern: str) -> str:
    parts = pattern.split("/")
    if {"", ".", ".."} & set(parts) or "\0" in pattern:
        raise ValueError("must be a pattern of paths inside the folder, such as *.txt or 2020/**/*.txt")
    if any("**" in part and part != "**" for part in parts):
        raise ValueError("** must be a whole part between slashes, as in **/*.txt")
    return pattern


Pattern = Annotated[str, AfterValidator(_inside)]
"""A glob over paths below a folder; it may match at any depth."""


def local_files(folder: Path, pattern: str, *, follow_links: bool = False, packed: bool = False) -> list[str]:
    """Return the matching files below a folder, as relative paths in natural order, without hidden files.

    A link to a file of the folder counts as that file. Without `follow_links` a link to a folder of it is skipped, and links
    out of it are refused.

    Args:
        folder: the folder.
        pattern: a glob; it may match at any depth.
        follow_links: links may lead out of the folder, and links to folders are followed; every folder is read once.
        packed: names also match in another letter case and without the suffix of a packing.
    """
    if not folder.is_dir():
        raise UnavailableError("no such folder", where=str(folder), fix="check `path` in the parameters")
    plain = (lambda name: plain_name(name).lower()) if packed else str
    found = [n for n in _entries(folder, follow_links) if matches(n, pattern) or matches(plain(n), plain(pattern))]
    if not found:
        fix = "check `path`, the names of its files, and `pattern` if it is set"
        raise SourceError(f"no file matches {pattern!r}", where=str(folder), fix=fix)
    for name in found:
        if packed:
            refuse_packing(name)
        _check_file(folder, name, follow_links)
    if packed:
        refuse_twins(found)
    return sorted(found, key=natural)


def matches(name: str, pattern: str) -> bool:
    """Return whether a path below the folder matches, at any depth."""
    return _matches(name.split("/"), ["**", *pattern.split("/")])


def _matches(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    if not wanted or not parts:
        return not (wanted or parts)
    if wanted[0] == "**":
        return len(wanted) == 1 or any(_matches(parts[skipped:], wanted[1:]) for skipped in range(len(parts)))
    return fnmatchcase(parts[0], wanted[0]) and _matches(parts[1:], wanted[1:])


def _entries(folder: Path, follow_links: bool) -> Iterator[str]:
    """Yield the relative paths of all files; links to folders come last, so that a file is found in its own folder first."""
    seen: set[str] = set()
    plain, linked = [""], list[str]()
    while plain or linked:
        at = (plain or linked).pop(0)
        real = os.path.realpath(folder / at)
        if real in seen:
            continue
        seen.add(real)
        for entry in _listed(real):
            name = f"{at}/{entry.name}" if at else entry.name
            if entry.is_dir(follow_symlinks=False):
                plain.append(name)
            elif not (entry.is_symlink() and Path(entry.path).is_dir()):
                yield name
            elif follow_links:
                linked.append(name)
            else:
                _check_inside(folder, name)


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((entry for entry in entries if entry.name[0] != "."), key=lambda entry: entry.name)
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=folder, fix="check its owner and mode") from None


def _check_inside(folder: Path, name: str) -> None:
    if not Path(os.path.realpath(folder / name)).is_relative_to(os.path.realpath(folder)):
        fix = "put the files themselves into the folder, or set `follow_links: true`"
        raise SourceError(f"{name!r} is a link to a place outside the folder", where=str(folder), fix=fix)


def _check_file(folder: Path, name: str, follow_links: bool) -> None:
    path, where, fix = folder / name, str(folder), "remove it, or choose another `pattern`"
    if name.encode(errors="replace").decode() != name:
        raise SourceError(f"{name!r} is not a UTF-8 name", where=where, fix="rename it")
    if path.is_symlink() and not follow_links:
        _check_inside(folder, name)
    if not path.exists():
        raise SourceError(f"{name!r} is a broken link", where=where, fix=fix)
    if not path.is_file():
        raise SourceError(f"{name!r} is not a regular file (a pipe, socket or device)", where=where, fix=fix)
