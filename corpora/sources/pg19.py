"""PG-19: Project Gutenberg books before 1919 (Rae et al. 2019, arXiv 1911.05507; docs/spec/babilong.md 6.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, FetchContext, RawFile, Source
from corpora.sources.books import FOLDERS, book_batches, read_books, split_of
from corpora.sources.catalogue import entry
from corpora.sources.formats.lines import check_text
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.formats.parquet import check_columns, parquet_batches, rows
from corpora.sources.local_folder import local_files
from corpora.sources.transport.hub import list_files, resolve_revision
from corpora.sources.transport.mirror import mirror_sums
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rows.source_records import Document, Split

Parts = Annotated[tuple[Split, ...], Field(min_length=1)]
_BYTES: dict[Split, int] = {"train": 6_600_000_000, "dev": 10_700_000, "test": 24_900_000}
_COLUMNS = ("short_book_title", "url", "text")


class Pg19(Source):
    """Options of kind `pg19`, Parquet on the Hub.

    Attributes:
        revision: commit, tag or branch of the Hub repository; None is resolved at the first download and locked.
        splits: splits to read. The texts of train have 11 GB.
    """

    kind: ClassVar[str] = "pg19"
    revision: str | None = "c021754c8e01c5b1cc83a1f549c1f97fbbb756b8"
    splits: Parts = ("test",)

    def lock_key(self) -> str | None:
        return f"{self.kind}@{self.revision}" if self.revision else self.kind

    def resolve(self, context: FetchContext) -> str | None:
        return resolve_revision(entry(self.kind)["repo"], self.revision, self.lock_key() or "", context)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        known = entry(self.kind)
        return list_files(known["repo"], self.resolve(context) or "", [known["globs"][split] for split in self.splits])

    def download_bytes(self) -> int:
        return sum(_BYTES[split] for split in set(self.splits))

    def check(self, raw: Path) -> None:
        for path in self._paths(raw):
            check_columns(raw, path, texts=_COLUMNS)

    def batches(self, raw: Path) -> list[Batch]:
        return parquet_batches(raw, self._paths(raw), "text")

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        placed = ((piece.path, *row) for piece in batch.pieces for row in rows(raw, piece, _COLUMNS))
        return self.sound("books", placed, _book, few=1)

    def _paths(self, raw: Path) -> list[str]:
        """Parquet files of the wanted splits: test, dev, train."""
        found = {
            split: sorted(raw.glob(pattern))
            for split, pattern in entry(self.kind)["globs"].items()
            if split in self.splits
        }
        if missing := [split for split, paths in found.items() if not paths]:
            raise self.error(f"has no {missing[0]} file", fix="fetch the source again, or leave that split out")
        return [path.relative_to(raw).as_posix() for paths in found.values() for path in paths]


def _book(placed: tuple[str, int, tuple[Any, ...]]) -> Document:
    path, number, (title, url, text) = placed
    if not isinstance(text, str) or not text.strip():
        raise OddRecordError("the book has no text", where=f"{path}: row {number:,}")
    split, book = Path(path).name.split("-", 1)[0], re.search(r"(\d+)\D*$", url or "")
    return Document(book[1] if book else f"{split}-row{number}", title or "", FOLDERS[split], text)


class _Books(Source):
    """Both kinds of folders.

    Attributes:
        splits: splits to read.
    """

    splits: Parts = ("test",)

    def check(self, raw: Path) -> None:
        for piece in (piece for batch in self.batches(raw) for piece in batch.pieces):
            check_text(raw / piece.path, piece.path)

    def batches(self, raw: Path) -> list[Batch]:
        return book_batches(raw, self.splits, self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return read_books(raw, batch)

    def books(self, names: list[str]) -> list[str]:
        """Select the names of books of the wanted splits."""
        return [name for name in names if re.fullmatch(r"[^/]+/[^/]+\.txt", name) and split_of(name) in self.splits]


class Pg19Mirror(_Books):
    """Options of kind `pg19_mirror`: `splits`, of train (16 books) and test (24 books)."""

    kind: ClassVar[str] = "pg19_mirror"

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        names = [name.removeprefix("pg19/") for name in sorted(mirror_sums(context)) if name.startswith("pg19/")]
        books = self.books(names)
        if not books:
            what = f"missing from the mirror: books of {' or '.join(self.splits)}"
            fix = "complete the mirror, or point HAYMAKER_MIRROR elsewhere"
            raise UnavailableError(what, where="HAYMAKER_MIRROR", fix=fix)
        table = [name for name in names if name == "metadata.csv"]
        return [RawFile(name, f"mirror:pg19/{name}") for name in table + books]


class Pg19Folder(_Books):
    """Options of kind `pg19_folder`, a local copy of the original layout.

    Attributes:
        path: folder with {train,validation,test}/<id>.txt and, optionally, metadata.csv.
        follow_links: allow links that lead out of the folder.
    """

    kind: ClassVar[str] = "pg19_folder"
    path: str
    follow_links: bool = omit_if_default(False)

    def local_inputs(self) -> list[Path]:
        return [expanded(self.path)]

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        folder = self.local_inputs()[0]
        names = self.books(local_files(folder, "*.txt", follow_links=self.follow_links))
        if not names:
            fix = "put books into train/, validation/ or test/"
            raise SourceError(f"no book of {', '.join(self.splits)}", where=str(folder), fix=fix)
        if (folder / "metadata.csv").is_file():
            names[:0] = {"metadata.csv"} & set(local_files(folder, "metadata.csv", follow_links=self.follow_links))
        return [RawFile(name, file_address(folder / name)) for name in names]
