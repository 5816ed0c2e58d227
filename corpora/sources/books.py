"""Folders of UTF-8 text files, one document each, as PG19 has them: {train,validation,test}/<id>.txt, metadata.csv."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from corpora.sources.base import Batch, Piece, group
from corpora.sources.formats.lines import not_utf8
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import open_plain
from haymaker.core.rows.source_records import Document, Split

FOLDERS: dict[str, Split] = {"test": "test", "dev": "dev", "validation": "dev", "valid": "dev", "train": "train"}
"""Folder name -> split; PG19 calls dev "validation"."""
_ORDER: dict[Split, int] = {"test": 0, "dev": 1, "train": 2}


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key under which 9 comes before 10."""
    pieces = re.findall(r"\d+|\D+", name)
    return tuple((0, int(piece), piece) if piece.isascii() and piece.isdigit() else (1, 0, piece) for piece in pieces)


def split_of(path: str) -> Split | None:
    """The split that a path's first folder names, or None."""
    folder, slash, _ = path.partition("/")
    return FOLDERS.get(folder) if slash else None


def book_batches(raw: Path, splits: Sequence[Split], name: str) -> list[Batch]:
    """Whole books in batches of about 2 MB: test, dev, train, each by number.

    Raises:
        SourceError: no book of a wanted split.
    """
    found = []
    for path in raw.glob("*/*.txt"):
        file = path.relative_to(raw).as_posix()
        split = split_of(file)
        if split is not None and split in splits:
            found.append((_ORDER[split], natural(path.stem), file, path.stat().st_size))
    missing = [split for split in splits if not any(_ORDER[split] == entry[0] for entry in found)]
    if missing:
        fix = "fetch the source again, or leave that split out"
        raise SourceError(f"has no {' and no '.join(missing)} book (*.txt)", where=f"source {name}", fix=fix)
    return group((Piece(file, 0, size), size) for _, _, file, size in sorted(found))


def read_books(raw: Path, batch: Batch) -> Iterator[Document]:
    """The books of a batch, with the titles of metadata.csv."""
    titles = read_titles(raw / "metadata.csv")
    for piece in batch.pieces:
        stem, folder = PurePosixPath(piece.path).stem, PurePosixPath(piece.path).parts[0]
        yield Document(stem, titles.get(stem, ""), FOLDERS[folder], read_text(raw / piece.path, piece.path))


def read_titles(path: Path) -> dict[str, str]:
    """Book id -> title of a PG19 table (id, title, year, url; no header); empty without the file."""
    if not path.is_file():
        return {}
    titles = {}
    for number, row in enumerate(csv.reader(io.StringIO(read_text(path, path.name), newline="")), 1):
        if len(row) < 2:
            raise SourceError("expected id,title,year,url", where=f"{path.name}:{number}", fix="fix the table")
        titles[row[0]] = row[1]
    return titles


def read_text(path: Path, name: str) -> str:
    """A file's text, line ends untouched, without a byte-order mark.

    Raises:
        SourceError: missing, or not UTF-8; names the byte.
    """
    try:
        with open_plain(path) as file:
            raw = file.read()
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise SourceError("is missing", where=name, fix="fetch the source again") from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=name, fix="fetch the source again") from None
    except UnicodeDecodeError as error:
        raise not_utf8(path, name, error.start, raw[error.start]) from None
