"""Error messages and fixes for parameter values of the wrong type, in YAML terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from haymaker.core.renamed import rename_fix

_LIST = ("must be a list, as [first, second]", "write it in brackets, or one line with - per value")
_TEXT, _WHOLE, _NUMBER = "must be text", "must be a whole number", "must be a number"
_KINDS = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": ("must be keys and values, as {first: 1, second: 2}", "write keys and values"),
    "string_type": (_TEXT, "write text"),
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_from_float"), (_WHOLE, "write a whole number, without a point or quotes")
    ),
    **dict.fromkeys(("float_type", "float_parsing"), (_NUMBER, "write a number, without quotes")),
    **dict.fromkeys(("bool_type", "bool_parsing"), ("must be true or false", "write true or false, without quotes")),
}
"""Pydantic error types whose messages use Python terms -> (message, fix)."""
_CHOICES = ("literal_error", "string_pattern_mismatch")
"""Pydantic error types whose context contains the valid words."""
_NAME = "lower-case letters, digits and"
_PATTERNS = {
    r"^\d+\.\d+\.\d+$": ("must be three numbers separated by points", "write it as 0.1.0"),
    r"^[a-z0-9][a-z0-9-]{0,59}$": (f"must be {_NAME} -", "write it as my-release"),
    r"^(real|simulated)$": ("must be real or simulated", "simulated: all sources are simulated; otherwise real"),
}
"""Patterns of the release parameters -> (message, fix)."""
_NAME_OF_BLOCK = (f"must be {_NAME} _, starting with a letter", "write it as my_corpus")


def in_words(error: Mapping[str, Any], *, is_key: bool) -> tuple[str, str]:
    """Return the message and the fix of a validation error; the fix is "" if the message includes it.

    Args:
        error: entry of pydantic's `ValidationError.errors()`, with its context.
        is_key: the error is about the key itself.
    """
    kind, given = error["type"], error.get("input")
    valid = re.findall(r"\w+", str(error["ctx"])) if kind in _CHOICES else []
    if isinstance(given, str) and (fix := rename_fix(given, valid)):
        return "unknown value", fix
    if kind == "string_pattern_mismatch":
        plain = (str(error["msg"]), "")
        return _NAME_OF_BLOCK if is_key else _PATTERNS.get(str(error["ctx"]["pattern"]), plain)
    if kind == "string_type" and error["loc"] == ("release", "version"):
        return _PATTERNS[r"^\d+\.\d+\.\d+$"]
    if kind == "string_type" and isinstance(given, int | float):  # bool too
        return _TEXT, f'write it in quotes, as "{str(given).lower()}"'
    return _KINDS.get(kind, (str(error["msg"]).removeprefix("Value error, "), ""))
