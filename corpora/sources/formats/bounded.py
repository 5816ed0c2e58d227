"""Lines of limited length: a file without line ends is refused before it fills the memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from haymaker.core.errors import SourceError
from haymaker.core.files.paths import open_plain

LINE_MB = 64
_CHUNK_BYTES = 1_000_000  # the smallest limit of a line, so that no line inside a chunk is too long
_BOMS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def bounded_lines(file: IO[bytes], path: str, first: int = 0, line_mb: int = LINE_MB) -> Iterator[tuple[int, bytes]]:
    """Yield the number (from `first` + 1) and the bytes of each line, with its end; a line above `line_mb` MB is an error."""
    limit = line_mb * 1_000_000
    for number, line in enumerate(iter(partial(file.readline, limit + 1), b""), first + 1):
        if len(line) > limit:
            raise _too_long(f"{path}:{number}", line_mb)
        yield number, line


def check_text(path: Path, name: str, line_mb: int = LINE_MB) -> None:
    """Check that a file of any size is regular, UTF-8, and has no line of more than `line_mb` MB."""
    decoder, at, length = codecs.getincrementaldecoder("utf-8")(), 0, 0
    try:
        with open_plain(path) as file:
            for chunk in iter(partial(file.read, _CHUNK_BYTES), b""):
                pending = len(decoder.getstate()[0])
                decoder.decode(chunk)
                at, length = at + len(chunk), _open_line(chunk, length, name, line_mb)
            pending = len(decoder.getstate()[0])
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise not_utf8(path, name, at - pending + error.start, error.object[error.start]) from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=name, fix="fetch the source again") from None


def not_utf8(path: Path, name: str, at: int, byte: int) -> SourceError:
    """Return the error for a file that is not UTF-8 at a byte (from 0)."""
    with path.open("rb") as file:
        head = file.read(4)
    other = next((f" (it begins like {kind})" for mark, kind in _BOMS.items() if head.startswith(mark)), "")
    return SourceError(f"not UTF-8 at byte {at:,} (0x{byte:02x}){other}", where=name, fix="convert the file to UTF-8")


def _open_line(chunk: bytes, length: int, name: str, line_mb: int) -> int:
    """Return the length of the unfinished line after a chunk, given its length before; a line ends with LF or CR."""
    first = min((at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0), default=len(chunk))
    if length + first > line_mb * 1_000_000:
        raise _too_long(name, line_mb)
    return length + first if first == len(chunk) else len(chunk) - 1 - max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))


def _too_long(where: str, line_mb: int) -> SourceError:
    fix = "split it; kinds for your own files have `max_line_mb`"
    return SourceError(f"a line of more than {line_mb} MB", where=where, fix=fix)
