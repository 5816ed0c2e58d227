"""Files with one JSON value: whole, or member by member, because such a file may be larger than memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from corpora.sources.formats.fields import object_of
from haymaker.core.errors import SourceError

_CHUNK = 1 << 23
_LONGEST = 1 << 28  # characters of one member; a longer one has lost its end
_FIX = "fetch the source again, or correct that record"


def json_array(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the place ("file: record 3", from 1) and object of every record of a file with one JSON array of objects."""
    whole_file = _json(path)
    if not isinstance(whole_file, list) or not whole_file:
        raise SourceError("expected an array of objects that is not empty", where=path.name, fix=_FIX)
    records = [(f"{path.name}: record {number}", record) for number, record in enumerate(whole_file, 1)]
    for where, record in records:
        object_of(record, where)
    return records


def json_object(path: Path) -> dict[str, Any]:
    """Return the content of a file with one JSON object."""
    return object_of(_json(path), path.name)


def _json(path: Path) -> Any:
    where = path.name
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise SourceError("is missing", where=where, fix="fetch the source again") from None
    except UnicodeDecodeError as error:
        raise SourceError(f"not UTF-8 at byte {error.start:,}", where=where, fix=_FIX) from None
    except json.JSONDecodeError as error:
        raise SourceError(f"not JSON, or cut short: {error.msg}", where=f"{where}:{error.lineno}", fix=_FIX) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; nested too deep
        raise SourceError(f"not JSON: {error}", where=where, fix=_FIX) from None


def members(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield key and object of each member of a file with one object, in order, with one member in memory."""
    last = "the beginning"
    try:
        with path.open(encoding="utf-8-sig") as file:
            scan = _Scan(file)
            scan.mark("{")
            following = ","
            while following == ",":
                key, _, member = scan.value(), scan.mark(":"), scan.value()
                if not isinstance(key, str) or not isinstance(member, dict):
                    raise ValueError("expected a name and an object")
                yield key, member
                last, following = key, scan.mark(",}")
    except FileNotFoundError:
        raise SourceError("is missing", where=path.name, fix=_FIX) from None
    except (ValueError, RecursionError) as error:  # not UTF-8 and not JSON are ValueErrors
        what = f"damaged or cut short after {last!r:.60}: {error}"
        raise SourceError(what, where=path.name, fix=_FIX) from None


class _Scan:
    """Read marks and values of a JSON file one after another."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._held, self._at = file, "", 0
        self._decoder = json.JSONDecoder()

    def mark(self, wanted: str) -> str:
        self._skip_space()
        found = self._held[self._at : self._at + 1]
        if not found or found not in wanted:
            raise ValueError(f"expected {' or '.join(wanted)}, found {found or 'the end'!r}")
        self._at += 1
        return found

    def value(self) -> Any:
        self._skip_space()
        while True:
            try:
                found, self._at = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                if len(self._held) - self._at > _LONGEST or not self._more():
                    raise
            else:
                return found

    def _skip_space(self) -> None:
        while True:
            while self._at < len(self._held) and self._held[self._at].isspace():
                self._at += 1
            if self._at < len(self._held) or not self._more():
                return

    def _more(self) -> bool:
        chunk = self._file.read(_CHUNK)
        self._held, self._at = self._held[self._at :] + chunk, 0
        return bool(chunk)
