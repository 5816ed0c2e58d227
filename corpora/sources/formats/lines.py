"""JSON Lines as batches of whole lines; errors name the line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from corpora.sources.formats.batches import BATCH_BYTES, Batch, Piece, group
from corpora.sources.formats.bounded import LINE_MB, bounded_lines
from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.errors import SourceError

T = TypeVar("T")


def line_batches(raw: Path, paths: Sequence[str], line_mb: int = LINE_MB) -> list[Batch]:
    """Return batches of about 2 MB of lines."""
    return group(_pieces(raw, paths, line_mb))


def json_lines(raw: Path, piece: Piece, line_mb: int = LINE_MB) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number (from 1) and object of every line of a piece that is not blank."""
    number, at = piece.first, piece.start
    try:
        with (raw / piece.path).open("rb") as file:
            file.seek(at)
            for number, line in bounded_lines(file, piece.path, piece.first, line_mb):
                at += len(line)
                if line.strip():
                    yield number, record_of(line, number, piece.path)
                if at >= piece.stop >= 0:
                    break
    except OSError as error:
        what = f"cannot be read after line {number:,}: {error.strerror}"
        raise SourceError(what, where=piece.path, fix="fetch the source again") from None


def record_of(line: bytes, number: int, path: str) -> dict[str, Any]:
    """Return the object of a line."""
    where = f"{path}:{number}"
    try:
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        what, fix = f"not UTF-8 at byte {error.start:,} of the line", "convert the file to UTF-8"
        raise SourceError(what, where=where, fix=fix) from None
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}", where=where, fix="correct that line") from None
    if not isinstance(value, dict):
        raise SourceError(f"expected an object, not {type(value).__name__}", where=where, fix="one {...} per line")
    return value


def _pieces(raw: Path, paths: Sequence[str], line_mb: int) -> Iterator[tuple[Piece, int]]:
    for path in paths:
        with (raw / path).open("rb") as file:
            start = first = at = 0
            for number, line in bounded_lines(file, path, 0, line_mb):
                at += len(line)
                if at - start >= BATCH_BYTES:
                    yield Piece(path, start, at, first), at - start
                    start, first = at, number
            if at > start:
                yield Piece(path, start, at, first), at - start


def distinct(found: Iterable[T], name_of: Callable[[T], str]) -> Iterator[T]:
    """The first item of each name, in order."""
    seen: set[str] = set()
    for each in found:
        if (name := name_of(each)) not in seen:
            seen.add(name)
            yield each


def first_lines(raw: Path, paths: Iterable[str], name_of: Callable[[dict[str, Any], str], str]) -> list[Batch]:
    """Batches of the lines with the first occurrence of a document, for files that repeat documents.

    Args:
        raw: folder of the source.
        paths: files in it, in order.
        name_of: returns the document's id; called with a record and its place for errors.
    """

    def named_lines() -> Iterator[tuple[str, Piece]]:
        for path in paths:
            at = 0
            for number, line in _bounded_lines(raw, path):
                piece, at = Piece(path, at, at + len(line), number - 1), at + len(line)
                with suppress(OddRecordError):  # no document; `load` counts it
                    if line.strip():
                        yield name_of(record_of(line, number, path), f"{path}:{number}"), piece

    firsts = distinct(named_lines(), lambda each: each[0])
    return group((piece, piece.stop - piece.start) for _, piece in firsts)


def _bounded_lines(raw: Path, path: str) -> Iterator[tuple[int, bytes]]:
    try:
        with (raw / path).open("rb") as file:
            yield from bounded_lines(file, path)
    except FileNotFoundError:
        raise SourceError("is missing", where=path, fix="fetch the source again") from None
