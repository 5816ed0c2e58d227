"""Descriptions of parameter keys, from the docstrings of the classes that declare them."""

from __future__ import annotations

import inspect
import re

from pydantic import BaseModel

_ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
"""An entry under `Attributes:` with its continuation lines."""


def described(section: type[BaseModel]) -> dict[str, str]:
    """Return key -> description of all fields of a section; inherited fields come from the base classes.

    Raises:
        LookupError: a field without a description.
    """
    found: dict[str, str] = {}
    for base in reversed(section.__mro__):
        found |= _entries(base)
    keys = [field.alias or name for name, field in section.model_fields.items()]
    if missing := [key for key in keys if key not in found]:
        raise LookupError(f"{section.__module__}.{section.__name__}: describe {', '.join(missing)} under Attributes:")
    return {key: found[key] for key in keys}


def _entries(section: type) -> dict[str, str]:
    text = inspect.cleandoc(vars(section).get("__doc__") or "").partition("Attributes:\n")[2]
    return {entry[1]: _yaml_words(entry[2]) for entry in _ENTRY.finditer(text)}


def summary(section: type[BaseModel]) -> str:
    """Return the first paragraph of the docstring of a section."""
    text = inspect.cleandoc(vars(section).get("__doc__") or "").partition("\n\n")[0]
    return _yaml_words(text)


def _yaml_words(text: str) -> str:
    """Return the text in one line, with the values of YAML."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))
