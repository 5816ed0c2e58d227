"""JSON that somebody else wrote: files of lines, such as outputs of a model or replies of a judge, of which what is not as it must be is
refused, never guessed; and objects in the midst of a text.
"""

from __future__ import annotations

import codecs
import json
import reprlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and object of every line that is not blank; a byte order mark at the start is no part of the first.

    Raises:
        ReleaseError: the file cannot be read or holds no line; a line is not UTF-8 or no JSON object, or an object has a key twice.
    """
    return ((where, found) for _, where, found in json_lines_at(path))


def json_lines_at(path: Path) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The same, each with the byte at which its line begins (for `json_object`, later)."""
    empty, at = True, 0
    try:
        with path.open("rb") as file:  # bytes end lines at \n alone: JSON may hold other line breaks
            for number, raw in enumerate(file, 1):
                if (raw if at else raw.removeprefix(codecs.BOM_UTF8)).strip():
                    empty = False
                    yield at, f"{path}:{number}", json_object(raw, f"{path}:{number}", first=not at)
                at += len(raw)
    except OSError as error:
        raise ReleaseError(f"cannot be read ({error.strerror})", where=str(path), fix=_FIX) from None
    if empty:
        raise ReleaseError("is empty", where=str(path), fix=_FIX)


_FIX = "give a file of JSON lines"


def text(value: object, what: str, where: str) -> str:
    """A value that must be text: a number, null or a list that is taken for empty text would be scored as a wrong answer.

    Args:
        value: met in somebody's data; ... where nothing was.
        what: its name.
        where: file and line.

    Raises:
        ReleaseError: it is something else.
    """
    if isinstance(value, str):
        return value
    met = "null" if value is None else reprlib.repr(value)
    raise ReleaseError(
        f"has no {what}" if value is ... else f"{what} is {met}, not text",
        where=where,
        fix="write text there, or leave the line out",
    )


def without_surrogates(value: str) -> str:
    """A text that UTF-8 can hold: half of a surrogate pair becomes "?"."""
    return value.encode("utf-8", "replace").decode()


def json_object(line: bytes, where: str, *, first: bool = False) -> dict[str, Any]:
    """The object that a line holds.

    Args:
        line: its bytes.
        where: file and line, for the error.
        first: of its file: a byte order mark is no part of it.

    Raises:
        ReleaseError: not UTF-8, no JSON object, or a key twice.
    """
    line = line.removeprefix(codecs.BOM_UTF8) if first else line
    try:
        found = json.loads(line.decode("utf-8"), object_pairs_hook=_unambiguous)
    except UnicodeDecodeError as error:
        why = f"byte {error.start + 1} is not UTF-8"
    except json.JSONDecodeError as error:
        why = f"no JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        why = "no JSON that can be read: nested too deeply"
    except ValueError as error:  # of a key twice, or a number of more digits than Python reads
        why = str(error).partition(";")[0]
    else:
        if isinstance(found, dict):
            return found
        why = "a line must be one JSON object, {...}"
    raise ReleaseError(why, where=where, fix=_FIX)


_MOST = 1000  # braces of a text that are looked at: a failure costs as much as the text is long


def objects_in(text: str, make: Callable[[list[tuple[str, Any]]], Any] = dict) -> Iterator[tuple[int, int, Any]]:
    """The JSON objects in a text, those within others too: first character, one past the last, what `make` makes of its pairs."""
    decoder, at = json.JSONDecoder(object_pairs_hook=make), text.find("{")
    for _ in range(_MOST):
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            pass
        else:
            yield at, end, found
        at = text.find("{", at + 1)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"has the key {next(key for key in keys if keys.count(key) > 1)!r:.80} twice")
    return found
