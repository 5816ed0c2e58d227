"""What tests hold of an error: its class, its place, the values and names in it, the next command. Never its wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from haymaker.core.errors import HaymakerError

Fix = str | tuple[str, ...]


@contextmanager
def refused(
    kind: type[Exception] | tuple[type[Exception], ...], where: str = "", *values: object, fix: Fix = ""
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """The block ends in one line of this class, at this place (or the end of its path) and with these values and fixes."""
    with pytest.raises(kind) as raised:
        yield raised
    error = raised.value
    if not isinstance(error, HaymakerError):
        error = HaymakerError(str(error).replace("\n", " "))
    assert "\n" not in str(error) and error.where.endswith(where), (where, error)
    held(f"{error.where}: {error.what}", *values)
    held(error.fix, *([fix] if isinstance(fix, str) else fix))


def refused_line(line: str, where: str = "", *values: object, fix: Fix = "") -> None:
    """The same of what the program printed: `haymaker: WHERE: WHAT. Next: FIX`."""
    said, _, after = line.partition(" Next: ")
    held(said, *([f"{where}:"] if where else []), *values)
    held(after, *([fix] if isinstance(fix, str) else fix))


def held(text: str, *values: object) -> None:
    """All values are in a text, each as a whole: 1 is not in 10."""
    for value in map(str, values):
        whole = rf"(?:(?<!\w)|(?=\W)){re.escape(value)}(?:(?!\w)|(?<=\W))"
        assert not value or re.search(whole, text), (value, text)
