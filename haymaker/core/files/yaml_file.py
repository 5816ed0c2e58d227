"""Read YAML 1.2 files as DVC does; reject repeated keys, infinite numbers, merge keys and deep nesting."""

from __future__ import annotations

import math
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

from haymaker.core.errors import ParamsError
from haymaker.core.files.paths import open_plain

_MAX_VALUES = 100_000
_MAX_BITS = 128  # largest integer, in bits
_MAX_DEPTH = 100  # the parser is recursive C code that deeper text could crash


def read_yaml(path: Path, *, name: str = "") -> dict[str, Any]:
    """Read the mapping in a YAML file; `name` (default: the path) is used in errors.

    Raises:
        ParamsError: the file is missing, not UTF-8, not YAML, not a mapping, or has a key twice.
    """
    name = name or str(path)
    return mapping(read_bytes(path, name=name), name=name)


def read_bytes(path: Path, *, name: str) -> bytes:
    """Read the bytes of a parameter file.

    Raises:
        ParamsError: the file is missing or not a regular file.
    """
    try:
        with open_plain(path) as file:
            return file.read()
    except FileNotFoundError:
        raise ParamsError("no such file", where=name, fix=f"git checkout {name}, or cd to the project folder") from None
    except OSError as error:
        raise ParamsError(f"cannot be read: {error.strerror}", where=name) from None


def mapping(raw: bytes, *, name: str) -> dict[str, Any]:
    """Parse the mapping in the bytes of a YAML file.

    Raises:
        ParamsError: the text is not UTF-8, not YAML, not a mapping, or has a key twice.
    """
    return deepcopy(_mapping(raw, name))


@lru_cache(maxsize=8)
def _mapping(raw: bytes, name: str) -> dict[str, Any]:
    """Parse as in `mapping`; do not change the cached result."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ParamsError(f"cannot be read: not UTF-8 at byte {error.start:,}", where=name) from None
    try:
        _check_depth(text, name)
        reader = YAML(typ="safe")
        reader.Constructor = _UniqueKeys
        data = reader.load(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ParamsError(f"not valid YAML: {problem}", where=f"{name}{line}", fix="fix that line") from None
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # Values that ruamel.yaml cannot handle: a date such as 2020-99-99, `!!bool x`, a number of 5,000 digits.
        raise ParamsError(f"not valid YAML: {type(error).__name__}: {error}", where=name) from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ParamsError("is not a mapping of keys to values", where=name)
    _check_values(data, name)
    return data


def _check_depth(text: str, name: str) -> None:
    depth = 0
    for event in YAML(typ="safe").parse(text):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > _MAX_DEPTH:
            line = event.start_mark.line + 1
            raise ParamsError(f"nested more than {_MAX_DEPTH} levels deep", where=f"{name}:{line}", fix="fix that line")


def _check_values(data: dict[str, Any], name: str) -> None:
    """Reject non-finite numbers, and aliases (`&a`, `*a`) that expand to millions of values or to a loop."""
    open_: list[tuple[str, Any]] = [("", data)]
    count = 0
    while open_:
        place, value = open_.pop()
        count += 1
        if count > _MAX_VALUES:
            raise ParamsError(f"contains more than {_MAX_VALUES:,} values after expanding aliases", where=name)
        if problem := _unusable(value):
            raise ParamsError(problem, where=f"{name}: {place}", fix="fix that value")
        if isinstance(value, dict):
            for key in value:
                if problem := _unusable(key):
                    raise ParamsError(f"a key {problem}", where=f"{name}: {place}".rstrip(": "), fix="fix that key")
            open_ += ((f"{place}.{key}".lstrip("."), inner) for key, inner in value.items())
        elif isinstance(value, list):
            open_ += ((f"{place}.{index}", inner) for index, inner in enumerate(value))


def _unusable(value: Any) -> str:
    """Return why a value is invalid as a parameter, or an empty string."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"is too large a number ({value.bit_length():,} bits)"
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, not a finite number"
    return ""


class _UniqueKeys(SafeConstructor):
    """Constructor of plain values that rejects repeated keys, lists as keys, and merge keys (`<<`)."""

    def check_mapping_key(self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any) -> bool:
        if key in mapping or isinstance(key, tuple):
            problem = "is a list" if isinstance(key, tuple) else "is repeated"
            raise ConstructorError(None, None, f"key {key!r} {problem}", key_node.start_mark)
        return True

    def flatten_mapping(self, node: Any) -> None:
        """Keep merge keys unexpanded, so that they fail to construct (a few lines could expand to millions of keys)."""
