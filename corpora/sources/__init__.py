"""Raw sources by kind. A new one is a file of this folder with a class that says
`kind: ClassVar[str] = "..."`; nothing else names it.
"""

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
_KIND = re.compile(r'^    kind: ClassVar\[str\] = "(\w+)"', re.MULTILINE)  # as a class says it


def kinds() -> list[str]:
    """All kinds of source, sorted."""
    return sorted(_places())


def info(kind: str) -> SourceInfo:
    """Title, licence, size and so on of a kind.

    Raises:
        ParamsError: unknown kind.
    """
    return _source_class(kind, "kind").info


def create(name: str, kind: str, options: Mapping[str, Any], *, where: str) -> Source:
    """The source that a block of parameters describes.

    Args:
        name: the user's key under `sources`.
        kind: which source.
        options: the block's other keys.
        where: file and key path for error lines.

    Raises:
        ParamsError: unknown kind or option (naming the nearest known one), or a bad value.
    """
    return parse(_source_class(kind, where), options, where=where).named(name)


def _source_class(kind: str, where: str) -> type[Source]:
    places = _places()
    if kind not in places:
        raise ParamsError(f"unknown kind of source {kind!r}", where=where, fix=nearest(kind, places))
    module = importlib.import_module(f"{__name__}.{places[kind]}")
    return next(each for each in vars(module).values() if isinstance(each, type) and vars(each).get("kind") == kind)


@cache
def _places() -> dict[str, str]:
    """Kind -> the module whose class says it. The files are read, not imported: all imports together take a quarter of a second.

    Raises:
        ParamsError: two classes say the same kind.
    """
    found: dict[str, str] = {}
    for path in sorted(_FOLDER.glob("*.py")):
        for kind in _KIND.findall(path.read_text(encoding="utf-8")):
            if kind in found:
                what = f"kind {kind!r} is in {found[kind]}.py and in {path.name}"
                raise ParamsError(what, where="corpora/sources", fix="rename one of them")
            found[kind] = path.stem
    return found
