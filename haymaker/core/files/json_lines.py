"""Strict reading of JSON Lines files from users (model outputs, judge replies), and of JSON objects within text."""

from __future__ import annotations

import codecs
import json
import reprlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from haymaker.core.errors import ReleaseError


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the location and object of every non-blank line; a byte order mark at the start is ignored.

    Raises:
        ReleaseError: the file is unreadable or empty, a line is not UTF-8 or no JSON object, or a key occurs twice.
    """
    return ((where, found) for _, where, found in json_lines_at(path))


def json_lines_at(path: Path) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the byte offset, location and object of every non-blank line (the offset is for `json_object`)."""
    empty, at = True, 0
    try:
        with path.open("rb") as file:  # binary mode splits at \n only: JSON can contain other line breaks
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
    """Check that a value is text: a number, null or list read as empty text would be scored as a wrong answer.

    Args:
        value: value from the file; ... if the key is missing.
        what: name of the value.
        where: file and line.

    Raises:
        ReleaseError: the value is missing or not text.
    """
    if isinstance(value, str):
        return value
    met = "null" if value is None else reprlib.repr(value)
    raise ReleaseError(
        f"has no {what}" if value is ... else f"{what} is {met}, not text",
        where=where,
        fix="write text there, or delete the line",
    )


def without_surrogates(value: str) -> str:
    """Replace lone surrogates by "?", so that the text can be encoded as UTF-8."""
    return value.encode("utf-8", "replace").decode()


def json_object(line: bytes, where: str, *, first: bool = False) -> dict[str, Any]:
    """Parse the JSON object of a line.

    Args:
        line: bytes of the line.
        where: file and line, for errors.
        first: first line of the file; its byte order mark is removed.

    Raises:
        ReleaseError: the line is not UTF-8 or no JSON object, or has a key twice.
    """
    line = line.removeprefix(codecs.BOM_UTF8) if first else line
    try:
        found = json.loads(line.decode("utf-8"), object_pairs_hook=_unambiguous)
    except UnicodeDecodeError as error:
        why = f"byte {error.start + 1} is not UTF-8"
    except json.JSONDecodeError as error:
        why = f"not valid JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        why = "the JSON is nested too deeply"
    except ValueError as error:  # a duplicate key, or a number with too many digits for Python
        why = str(error).partition(";")[0]
    else:
        if isinstance(found, dict):
            return found
        why = "a line must be one JSON object, {...}"
    raise ReleaseError(why, where=where, fix=_FIX)


_MOST = 1000  # maximum number of braces tried: a failed parse can cost the length of the text


def objects_in(text: str, make: Callable[[list[tuple[str, Any]]], Any] = dict) -> Iterator[tuple[int, int, Any]]:
    """Yield JSON objects in a text, also nested ones: start, one past the end, result of `make` on its pairs."""
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
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r:.80} appears twice")
    return found
