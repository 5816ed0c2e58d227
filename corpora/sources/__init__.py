"""Raw sources by kind. A kind is a class in a file of this folder with a line `kind: ClassVar[str] = "..."`; nothing else names it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from corpora.sources.base import Source, SourceInfo
from haymaker.core.errors import ParamsError
from haymaker.core.params import nearest, parse

_FOLDER = Path(__file__).parent
_KIND = re.compile(r'^    kind: ClassVar\[str\] = "(\w+)"', re.MULTILINE)


def kinds() -> list[str]:
    """Return all kinds of source, sorted."""
    return sorted(_places())


def info(kind: str) -> SourceInfo:
    """Return title, licence, size and so on of a kind; an unknown kind raises ParamsError."""
    return source_class(kind).info


def create(name: str, kind: str, options: Mapping[str, Any], *, where: str) -> Source:
    """Return the source of a parameter block.

    Args:
        name: key under `sources`.
        kind: kind of source.
        options: the other keys of the block.
        where: file and key path for errors.
    """
    return parse(source_class(kind, where), options, where=where).named(name)


def source_class(kind: str, where: str = "kind") -> type[Source]:
    """Return the class of a kind; its fields are the options. An unknown kind raises ParamsError."""
    places = _places()
    if kind not in places:
        raise ParamsError(f"unknown kind of source {kind!r}", where=where, fix=nearest(kind, places))
    module = importlib.import_module(f"{__name__}.{places[kind]}")
    return next(each for each in vars(module).values() if isinstance(each, type) and vars(each).get("kind") == kind)


@cache
def _places() -> dict[str, str]:
    """Return kind -> module. Files are read instead of imported, because all imports together take a quarter of a second."""
    found: dict[str, str] = {}
    for path in sorted(_FOLDER.glob("*.py")):
        for kind in _KIND.findall(path.read_text(encoding="utf-8")):
            if kind in found:
                what = f"kind {kind!r} is defined in {found[kind]}.py and in {path.name}"
                raise ParamsError(what, where="corpora/sources", fix="rename one of them")
            found[kind] = path.stem
    return found
