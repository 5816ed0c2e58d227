"""A YAML file as one mapping, with nothing in it that no parameter is: repeated keys, endless numbers, text that is none."""

from __future__ import annotations

import math
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from haymaker.errors import ParamsError
from haymaker.places import open_plain

_MAX_VALUES = 100_000
_MAX_BITS = 128  # of a whole number


def read_yaml(path: Path, *, name: str = "") -> dict[str, Any]:
    """The mapping in a YAML file (called `name`, or by its path, in error lines).

    Raises:
        ParamsError: no such file, not UTF-8, not YAML, a key given twice, or not a mapping.
    """
    name = name or str(path)
    return mapping(read_bytes(path, name=name), name=name)


def read_bytes(path: Path, *, name: str) -> bytes:
    """A parameter file as it is.

    Raises:
        ParamsError: no such file, or no plain one.
    """
    try:
        with open_plain(path) as file:
            return file.read()
    except FileNotFoundError:
        raise ParamsError("no such file", where=name, fix=f"git checkout {name}, or cd to the project folder") from None
    except OSError as error:
        raise ParamsError(f"cannot be read: {error.strerror}", where=name) from None


def mapping(raw: bytes, *, name: str) -> dict[str, Any]:
    """The mapping in the bytes of a YAML file.

    Raises:
        ParamsError: not UTF-8, not YAML, a key given twice, or not a mapping.
    """
    return deepcopy(_mapping(raw, name))


@lru_cache(maxsize=8)
def _mapping(raw: bytes, name: str) -> dict[str, Any]:
    """As mapping; not to be changed."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ParamsError(f"cannot be read: not UTF-8 at byte {error.start:,}", where=name) from None
    try:
        data = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506  (a SafeLoader that also refuses repeated keys)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ParamsError(f"not valid YAML: {problem}", where=f"{name}{line}", fix="mend that line") from None
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # What PyYAML itself trips over: a date such as 2020-99-99, `!!bool x`, nesting a thousand deep.
        raise ParamsError(f"not valid YAML: {type(error).__name__}: {error}", where=name) from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ParamsError("holds no mapping of names to values", where=name)
    _check_values(data, name)
    return data


def _check_values(data: dict[str, Any], name: str) -> None:
    """Refuse what no parameter is and later code would trip over: what aliases blow up (`&a`, `*a`: a few lines can stand
    for millions of values, or for themselves), endless numbers, and text that UTF-8 cannot hold.
    """
    open_: list[tuple[str, Any]] = [("", data)]
    count = 0
    while open_:
        place, value = open_.pop()
        count += 1
        if count > _MAX_VALUES:
            raise ParamsError(f"holds more than {_MAX_VALUES:,} values, aliases written out", where=name)
        if problem := _unusable(value):
            raise ParamsError(problem, where=f"{name}: {place}", fix="mend that value")
        if isinstance(value, dict):
            for key in value:
                if problem := _unusable(key):
                    raise ParamsError(f"a key {problem}", where=f"{name}: {place}".rstrip(": "), fix="mend that key")
            open_ += ((f"{place}.{key}".lstrip("."), inner) for key, inner in value.items())
        elif isinstance(value, list):
            open_ += ((f"{place}.{index}", inner) for index, inner in enumerate(value))


def _unusable(value: Any) -> str:
    """Why a value can be no parameter; empty when it can."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"is a number of {value.bit_length():,} bits"
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, not a number"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "holds a lone surrogate, which no text can hold"
    return ""


class _UniqueKeys(yaml.SafeLoader):
    """Safe YAML that refuses a key given twice (plain YAML keeps the last in silence)."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, (str, int)) and key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
            if isinstance(key, (str, int)):
                seen.add(key)
        return super().construct_mapping(node, deep=deep)
