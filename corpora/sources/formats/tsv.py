"""Tab-separated files as batches of whole records: unquoted columns, and the form of DPR with quoted fields that may contain line breaks.

psgs_w100.tsv has the columns id, text, title; a field with quotes, tabs or line breaks is quoted (docs/spec/helmet.md 3, 4).
Every function raises SourceError for a damaged record, with its line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora.sources.formats.batches import BATCH_BYTES, Batch, Piece, group
from corpora.sources.formats.lines import decoded, file_lines, piece_lines
from haymaker.core.errors import SourceError

_MAX_RECORD_BYTES = 1 << 20
_FIX = "fetch the source again, or correct the file"


def quoted_batches(raw: Path, path: str, columns: Sequence[str]) -> list[Batch]:
    """Return batches of about 2 MB of whole records, without the header."""
    return group(_quoted_pieces(raw, path, columns))


def quoted_rows(raw: Path, piece: Piece, width: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the place ("file:line" of its beginning) and the fields of every record of a piece."""
    reader = csv.reader(_decoded(raw, piece), delimiter="\t")
    while True:
        where = f"{piece.path}:{piece.first + reader.line_num + 1}"
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise SourceError(f"not a record: {error}", where=where, fix=_FIX) from None
        if row is None:
            return
        if row:
            yield where, _fields(row, width, where)


def quoted_table(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place and the fields by name of every record of a small file whose header has at least `columns`."""
    piece = Piece(path.name, 0, -1)
    header = next(csv.reader(_decoded(path.parent, piece), delimiter="\t"), [])
    if missing := [name for name in columns if name not in header]:
        raise SourceError(f"has no column {missing[0]!r}", where=f"{path.name}:1", fix=_FIX)
    rows = quoted_rows(path.parent, piece, len(header))
    next(rows)
    for where, row in rows:
        yield where, dict(zip(header, row, strict=True))


def plain_rows(raw: Path, piece: Piece, width: int, separator: str | None = "\t") -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the fields of every line of a piece without quoting. `separator` None: any white space."""
    for number, line in enumerate(_decoded(raw, piece), piece.first + 1):
        if line.strip():
            where = f"{piece.path}:{number}"
            yield where, _fields(line.rstrip("\r\n").split(separator), width, where)


def plain_file(raw: Path, path: str, width: int, separator: str | None = "\t") -> Iterator[tuple[str, list[str]]]:
    """Yield `plain_rows` of a whole file."""
    return plain_rows(raw, Piece(path, 0, -1), width, separator)


def _fields(row: list[str], width: int, where: str) -> list[str]:
    if len(row) != width:
        what = f"expected {width} fields, found {len(row)}: the file is damaged or cut short"
        raise SourceError(what, where=where, fix=_FIX)
    return row


def _decoded(raw: Path, piece: Piece) -> Iterator[str]:
    return (decoded(line, number, piece.path) for number, line in piece_lines(raw, piece))


def _quoted_pieces(raw: Path, path: str, columns: Sequence[str]) -> Iterator[tuple[Piece, int]]:
    lines = file_lines(raw, path)
    _, header = next(lines, (1, b""))
    if header.decode("utf-8-sig", "replace").rstrip("\r\n").split("\t") != list(columns):
        raise SourceError(f"expected the header {' '.join(columns)}", where=f"{path}:1", fix=_FIX)
    begin = start = at = len(header)
    first = last = 1
    inside = False
    for number, line in lines:
        at += len(line)
        inside = _is_open(line, inside)
        if inside and at - begin > _MAX_RECORD_BYTES:
            break
        if inside:
            continue
        begin, last = at, number
        if at - start >= BATCH_BYTES:
            yield Piece(path, start, at, first), at - start
            start, first = at, number
    if inside:
        raise SourceError("a quoted field does not end", where=f"{path}:{last + 1}", fix=_FIX)
    if at == len(header):
        raise SourceError("contains no record", where=path, fix=_FIX)
    if at > start:
        yield Piece(path, start, at, first), at - start


def _is_open(line: bytes, inside: bool) -> bool:
    """Return whether a quoted field continues after a line: quotes inside it are doubled, so only an odd count changes that."""
    if line.count(b'"') % 2 == 0:
        return inside
    return not inside and (line.startswith(b'"') or b'\t"' in line)
