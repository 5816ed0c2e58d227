"""Tables, and docstrings as text and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from inspect import getdoc
from typing import Any

_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):\n((?:    .*\n?|\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^    (\S[^:]*): (.+(?:\n     .+)*)", re.MULTILINE)


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table; none without rows.

    Args:
        head: names of the columns.
        rows: cells.
    """
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    if lines:
        yield f"| {' | '.join(head)} |"
        yield f"|{' --- |' * len(head)}"
        yield from (f"| {line} |" for line in lines)
        yield ""


def described(thing: Any) -> tuple[str, dict[str, list[tuple[str, str]]]]:
    """Return the text of a docstring without its sections, and its sections: title -> (name, meaning).

    Args:
        thing: class, function or property.
    """
    doc = getdoc(thing) or ""
    found = {
        title: [(name, " ".join(meaning.split())) for name, meaning in _ENTRY.findall(body)]
        for title, body in _SECTION.findall(doc)
    }
    return _SECTION.sub("", doc).strip(), found
