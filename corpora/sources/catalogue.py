"""Facts of sources from catalogue.yaml: title, licence, size and notes, and publishers' files at known addresses."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from corpora.sources.terms import SourceInfo
from corpora.sources.transport.rawfile import RawFile
from haymaker.core.files.yaml_file import read_yaml

_INFO, _FILES = TypeAdapter(SourceInfo), TypeAdapter(list[RawFile])


def info_of(kind: str) -> SourceInfo:
    """The facts of a kind for `haymaker sources`, the plan, the manifest and the card."""
    return _INFO.validate_python(entry(kind))


def published(kind: str) -> list[RawFile]:
    """The files of a kind at their publisher's addresses."""
    given = entry(kind)
    found = [{"path": name, "url": f"{given['folder']}/{name}", **known} for name, known in given["files"].items()]
    return _FILES.validate_python(found)


@cache
def entry(kind: str) -> dict[str, Any]:
    """The entry of a kind, completed by the entry named in `like`; empty if the catalogue has none."""
    own = _catalogue().get(kind, {})
    return {**entry(own["like"]), **own} if "like" in own else own


@cache
def _catalogue() -> dict[str, dict[str, Any]]:
    return read_yaml(Path(__file__).with_name("catalogue.yaml"))
