"""Text files: lines of limited length (a file without line ends is refused before it fills the memory), and JSON Lines in batches."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar

from corpora.sources.formats.batches import BATCH_BYTES, Batch, Piece, group
from corpora.sources.formats.fields import object_of
from corpora.sources.formats.odd_records import OddRecordError
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import open_plain

T = TypeVar("T")
LINE_MB = 64
_AGAIN = "fetch the source again"
_CHUNK_BYTES = 1_000_000  # the smallest limit of a line, so that no line inside a chunk is too long
_BOMS = {
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


def bounded_lines(file: IO[bytes], path: str, first: int = 0, line_mb: int = LINE_MB) -> Iterator[tuple[int, bytes]]:
    """Yield the number (from `first` + 1) and the bytes of each line, with its end; a line above `line_mb` MB is an error."""
    limit = line_mb * 1_000_000
    for number, line in enumerate(iter(partial(file.readline, limit + 1), b""), first + 1):
        if len(line) > limit:
            raise _too_long(f"{path}:{number}", line_mb)
        yield number, line


def piece_lines(raw: Path, piece: Piece, line_mb: int = LINE_MB) -> Iterator[tuple[int, bytes]]:
    """Yield the number in the file (from 1) and the bytes of each line of a piece; a stop of -1 is the end of the file."""
    number, at = piece.first, piece.start
    try:
        with (raw / piece.path).open("rb") as file:
            file.seek(at)
            for number, line in bounded_lines(file, piece.path, piece.first, line_mb):
                yield number, line
                at += len(line)
                if at >= piece.stop >= 0:
                    return
    except FileNotFoundError:
        raise SourceError("is missing", where=piece.path, fix=_AGAIN) from None
    except OSError as error:
        what = f"cannot be read after line {number:,}: {error.strerror}"
        raise SourceError(what, where=piece.path, fix=_AGAIN) from None


def file_lines(raw: Path, path: str, line_mb: int = LINE_MB) -> Iterator[tuple[int, bytes]]:
    """Yield `piece_lines` of a whole file."""
    return piece_lines(raw, Piece(path, 0, -1), line_mb)


def decoded(line: bytes, number: int, path: str) -> str:
    """Return a line as text, the first one without a byte order mark."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        what, fix = f"not UTF-8 at byte {error.start:,} of the line", "convert the file to UTF-8"
        raise SourceError(what, where=f"{path}:{number}", fix=fix) from None


def check_text(path: Path, name: str, line_mb: int = LINE_MB) -> None:
    """Check that a file of any size is regular, UTF-8, and has no line of more than `line_mb` MB."""
    decoder, at, length = codecs.getincrementaldecoder("utf-8")(), 0, 0
    try:
        with open_plain(path) as file:
            for chunk in chain(iter(partial(file.read, _CHUNK_BYTES), b""), [b""]):
                pending = len(decoder.getstate()[0])
                decoder.decode(chunk, final=not chunk)
                at, length = at + len(chunk), _open_line(chunk, length, name, line_mb)
    except UnicodeDecodeError as error:
        raise not_utf8(path, name, at - pending + error.start, error.object[error.start]) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=name, fix=_AGAIN) from None


def not_utf8(path: Path, name: str, at: int, byte: int) -> SourceError:
    """Return the error for a file that is not UTF-8 at a byte (from 0)."""
    with path.open("rb") as file:
        head = file.read(4)
    other = next((f" (it begins like {kind})" for kind, marks in _BOMS.items() if head.startswith(marks)), "")
    return SourceError(f"not UTF-8 at byte {at:,} (0x{byte:02x}){other}", where=name, fix="convert the file to UTF-8")


def line_batches(raw: Path, paths: Sequence[str], line_mb: int = LINE_MB) -> list[Batch]:
    """Return batches of about 2 MB of lines."""
    return group(_pieces(raw, paths, line_mb))


def json_lines(raw: Path, piece: Piece, line_mb: int = LINE_MB) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place ("file:line", from 1) and the object of every line of a piece that is not blank."""
    for number, line in piece_lines(raw, piece, line_mb):
        if line.strip():
            yield f"{piece.path}:{number}", record_of(line, number, piece.path)


def json_file(raw: Path, path: str, line_mb: int = LINE_MB) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield `json_lines` of a whole file."""
    return json_lines(raw, Piece(path, 0, -1), line_mb)


def record_of(line: bytes, number: int, path: str) -> dict[str, Any]:
    """Return the object of a line."""
    where = f"{path}:{number}"
    try:
        value = json.loads(decoded(line, number, path))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}", where=where, fix="correct that line") from None
    return object_of(value, where)


def distinct(found: Iterable[T], name_of: Callable[[T], str]) -> Iterator[T]:
    """Yield the first item of each name, in order."""
    seen: set[str] = set()
    for each in found:
        if (name := name_of(each)) not in seen:
            seen.add(name)
            yield each


def first_lines(raw: Path, paths: Iterable[str], name_of: Callable[[dict[str, Any], str], str]) -> list[Batch]:
    """Return batches of the first line of each document; `name_of` returns its id from a record and its place."""

    def named_lines() -> Iterator[tuple[str, Piece]]:
        for path in paths:
            at = 0
            for number, line in file_lines(raw, path):
                piece, at = Piece(path, at, at + len(line), number - 1), at + len(line)
                with suppress(OddRecordError):  # no document; `load` counts it
                    if line.strip():
                        yield name_of(record_of(line, number, path), f"{path}:{number}"), piece

    firsts = distinct(named_lines(), lambda each: each[0])
    return group((piece, piece.stop - piece.start) for _, piece in firsts)


def _pieces(raw: Path, paths: Sequence[str], line_mb: int) -> Iterator[tuple[Piece, int]]:
    for path in paths:
        start = first = at = 0
        for number, line in file_lines(raw, path, line_mb):
            at += len(line)
            if at - start >= BATCH_BYTES:
                yield Piece(path, start, at, first), at - start
                start, first = at, number
        if at > start:
            yield Piece(path, start, at, first), at - start


def _open_line(chunk: bytes, length: int, name: str, line_mb: int) -> int:
    """Return the length of the unfinished line after a chunk, given its length before; a line ends with LF or CR."""
    first = min((at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0), default=len(chunk))
    if length + first > line_mb * 1_000_000:
        raise _too_long(name, line_mb)
    return length + first if first == len(chunk) else len(chunk) - 1 - max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))


def _too_long(where: str, line_mb: int) -> SourceError:
    fix = "split the line, or raise `max_line_mb` (only for kinds of your own files)"
    return SourceError(f"a line is longer than {line_mb} MB", where=where, fix=fix)
