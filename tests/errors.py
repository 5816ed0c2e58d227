"""What tests hold of an error: its class, its place, the values and names in it, the next command. Never its wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Fix = str | tuple[str, ...]


@contextmanager
def refused(
    kind: type[Exception] | tuple[type[Exception], ...], where: str = "", *values: object, fix: Fix = ""
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """The block ends in one line of this class, at this place (or the end of its path) and with these values and fixes."""
    with pytest.raises(kind) as raised:
        yield raised
    error = raised.value
    place, what = getattr(error, "where", ""), getattr(error, "what", str(error))
    assert "\n" not in str(error) and place.endswith(where), (where, place, what)
    held(f"{place}: {what}", *values)
    held(getattr(error, "fix", ""), *([fix] if isinstance(fix, str) else fix))


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
