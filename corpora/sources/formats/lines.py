"""JSON Lines as batches of whole lines; errors name the line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corpora.sources.formats.batches import BATCH_BYTES, Batch, Piece, group
from corpora.sources.formats.bounded import LINE_MB, bounded_lines
from haymaker.core.errors import SourceError


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
