"""The public Python API, from the signatures and docstrings of the names in `haymaker.__all__`."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import haymaker
from devtools.reference_pages.markdown import described, table
from haymaker.evaluation.score.figures import Figure

_WIDEST = 100  # characters of a signature in one line
_TITLES = {"Args": "argument", "Attributes": "attribute", "Raises": "error"}


def python_api() -> Iterator[str]:
    """Yield the lines of the page: a section per name, and one for the items of `Scores.figures`."""
    public = {name: getattr(haymaker, name) for name in haymaker.__all__ if not name.startswith("_")}
    for name, thing in public.items():
        if callable(thing):
            yield from _entry(f"haymaker.{name}", thing)
    yield from _entry("Figure", Figure)
    for name, values in public.items():
        if not callable(values):
            yield from (f"## haymaker.{name}", "", _constant(name), "", ", ".join(f"`{each}`" for each in values), "")


def _entry(name: str, thing: Any, level: str = "##") -> Iterator[str]:
    """Yield the lines of a class with its methods, or of a function."""
    text, sections = described(thing)
    yield from (f"{level} {name}", "")
    if not isinstance(thing, type):
        yield from ("```python", _signature(name, thing), "```", "")
    yield from (text, "")
    members = (
        {key: each for key, each in vars(thing).items() if not key.startswith("_")} if isinstance(thing, type) else {}
    )
    properties = [
        (key, described(each)[0]) for key, each in members.items() if isinstance(each, property | cached_property)
    ]
    if properties:
        sections["Attributes"] = sections.get("Attributes", []) + properties
    for title, found in sections.items():
        yield from table((_TITLES[title], "meaning"), ((f"`{key}`", meaning) for key, meaning in found))
    for key, each in members.items():
        if inspect.isfunction(each):
            yield from _entry(f"{name.rpartition('.')[2]}.{key}", each, "###")


def _constant(name: str) -> str:
    """Return the text below a constant in its module."""
    module = importlib.import_module(haymaker._MODULES[name])
    found = re.search(rf'^{name} = [^"]*?(?:"[^"\n]*"[^"]*?)*^"""(.*?)"""', inspect.getsource(module), re.M | re.S)
    return found[1] if found else ""


class _Plain(str):
    """Text that a signature shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(name: str, function: Any) -> str:
    """Return the call of a function with the types of its arguments, in several lines if it is long."""
    signature = inspect.signature(function)
    shown = [
        each.replace(annotation=_Plain(each.annotation))
        for each in signature.parameters.values()
        if each.name != "self"
    ]
    whole = name + str(signature.replace(parameters=shown, return_annotation=_Plain(signature.return_annotation)))
    if len(whole) <= _WIDEST:
        return whole
    start, end = whole.index("("), whole.rindex(") ->")
    parts = re.split(r", (?![^\[]*\])", whole[start + 1 : end])
    return "\n    ".join([whole[: start + 1], *(f"{part}," for part in parts)]) + "\n" + whole[end:]
