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
    """The block ends in one line of this class, at this place (or the end of its path), with these values and fixes.

    In tables, a value that begins with `Next: ` is a fix.
    """
    with pytest.raises(kind) as raised:
        yield raised
    error = raised.value
    if not isinstance(error, HaymakerError):
        error = HaymakerError(str(error).replace("\n", " "))
    assert "\n" not in str(error) and error.where.endswith(where), (where, error)
    _hold(f"{error.where}: {error.what}", error.fix, values, fix)


def refused_line(line: str, where: str = "", *values: object, fix: Fix = "") -> None:
    """The same of what the program printed: `haymaker: WHERE: WHAT. Next: FIX`."""
    said, _, after = line.partition(" Next: ")
    _hold(said, after, (f"{where}:" if where else "", *values), fix)


def _hold(said: str, after: str, values: tuple[object, ...], fix: Fix) -> None:
    """Each as a whole: 1 is not in 10."""
    fixes = [f"Next: {each}" for each in ([fix] if isinstance(fix, str) else fix)]
    for value in (*map(str, values), *fixes):
        name, text = value.removeprefix("Next: "), after if value.startswith("Next: ") else said
        whole = rf"(?:(?<!\w)|(?=\W)){re.escape(name)}(?:(?!\w)|(?<=\W))"
        assert not name or re.search(whole, text), (name, text)
