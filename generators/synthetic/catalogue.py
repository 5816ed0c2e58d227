"""All tasks by name. A new family is one file with a table KINDS, and its name here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from generators.synthetic.family import Kind

_FAMILIES = ("needles", "chains", "counting", "pairs", "numbers", "code")


@cache
def kinds() -> Mapping[str, Kind]:
    """The tasks of all families."""
    found: dict[str, Kind] = {}
    for family in _FAMILIES:
        found |= import_module(f"generators.synthetic.{family}").KINDS
    return MappingProxyType(found)
