"""Background texts of a user: kinds `text_folder`, `jsonl`, `parquet`, `hub` (docs/reference/own-corpus.md).

Local files are copied, so that DVC tracks the files that were used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar

from pydantic import Field, PrivateAttr

from corpora.sources.base import Batch, FetchContext, Piece, RawFile, group
from corpora.sources.books import read_text, split_of
from corpora.sources.formats.fields import own_id, own_text, own_title
from corpora.sources.formats.lines import LINE_MB, check_text
from corpora.sources.formats.packing import plain_name, refuse_packing
from corpora.sources.formats.parquet import check_columns, parquet_batches, rows
from corpora.sources.local_folder import Pattern, local_files
from corpora.sources.transport.hub import list_files, resolve_revision
from corpora.sources.user_files import (
    ANY,
    DATA,
    JsonLines,
    LineMB,
    Listed,
    OwnFiles,
    OwnRecords,
    WithSplits,
    base_names,
    check_ids,
    named,
)
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rows.source_records import Document, Split


class TextFolder(OwnFiles, WithSplits):
    """Options of kind `text_folder`: each UTF-8 file is one document; its id is its path without the suffix.

    Attributes:
        path: a local folder.
        urls: addresses, one per file, instead of `path`.
        pattern: pattern of the files to read, at any depth.
        follow_links: allow links that lead out of the folder.
        max_line_mb: maximum length of a line, in MB.
    """

    kind: ClassVar[str] = "text_folder"
    path: str | None = None
    urls: tuple[str, ...] = ()
    pattern: Pattern = "*.txt"
    follow_links: bool = omit_if_default(False)
    max_line_mb: LineMB = omit_if_default(LINE_MB)

    def places(self) -> tuple[str, ...]:
        return self.urls or ((self.path,) if self.path else ())

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        if bool(self.path) == bool(self.urls):
            raise self.error("needs either `path` or `urls`", fix="give one of them")
        if self.urls:
            return named(self.urls)
        folder = expanded(str(self.path))
        names = local_files(folder, self.pattern, follow_links=self.follow_links, packed=True)
        return [RawFile(f"{DATA}/{name}", file_address(folder / name)) for name in names]

    def check(self, raw: Path) -> None:
        names = {path: path.removeprefix(f"{DATA}/") for path in self.paths(raw)}
        for path, name in names.items():
            self._part(path)
            check_text(raw / path, name, self.max_line_mb)
        check_ids(((_file_id(path), name) for path, name in names.items()), self.name)

    def batches(self, raw: Path) -> list[Batch]:
        sizes = {name: (raw / name).stat().st_size for name in self.paths(raw)}
        return group((Piece(name, 0, size), size) for name, size in sizes.items())

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            text = read_text(raw / piece.path, piece.path)
            yield Document(_file_id(piece.path), PurePosixPath(piece.path).stem, self._part(piece.path), text)

    def _part(self, path: str) -> Split:
        if self.split or self.splits:
            return self.split_for(_file_id(path))
        name = path.removeprefix(f"{DATA}/")
        split = split_of(name)
        if split is None:
            fix = "set `split: test`, or `splits`, or move it to test/, dev/ or train/"
            raise SourceError("is not in the folder of a split", where=f"source {self.name}: {name}", fix=fix)
        return split


def _file_id(path: str) -> str:
    return str(PurePosixPath(path.removeprefix(f"{DATA}/")).with_suffix(""))


class Records(OwnRecords, WithSplits):
    """Sources of one document per record."""

    _titled: bool = PrivateAttr(default=False)

    def fields(self) -> tuple[str, str | None, str | None]:
        """Return the fields with the text, the id and the title."""
        raise NotImplementedError

    def place_id(self, where: str) -> str:
        """Return the id of a record without id: its file and line number."""
        return where.removeprefix(f"{DATA}/")

    def check(self, raw: Path) -> None:
        found = self.usable("documents", self.all_records(raw), self._document)
        check_ids(((document.doc_id, where) for where, document in found), self.name)
        if (key := self.fields()[2]) and not self._titled:
            raise self.error(f"no record has a title in {key!r}", fix="correct the name of the key, or leave it out")

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for _, document in self.usable("documents", self.records(raw, batch), self._document, few=ANY):
            yield document

    def _document(self, record: dict[str, Any], where: str) -> Document:
        text_key, id_key, title_key = self.fields()
        doc_id = own_id(record, id_key, where) if id_key else self.place_id(where)
        title = own_title(record, title_key, where) if title_key else ""
        self._titled = self._titled or bool(title)
        return Document(doc_id, title, self.split_for(doc_id), own_text(record, text_key, where))


class ListedRecords(Records, Listed):
    """Records of files that the user lists, in the order of the list."""

    def paths(self, raw: Path) -> list[str]:
        order = {f"{DATA}/{plain_name(name)}": place for place, name in enumerate(base_names(self.path))}
        return sorted(super().paths(raw), key=lambda path: order.get(path, len(order)))


class Jsonl(ListedRecords, JsonLines):
    """Options of kind `jsonl`: one object per line.

    Attributes:
        text_key: key of the text.
        id_key: key of the document's id; None: file name and line number.
        title_key: key of the title, if any.
    """

    kind: ClassVar[str] = "jsonl"
    version: ClassVar[int] = 2
    text_key: str
    id_key: str | None = None
    title_key: str | None = None

    def fields(self) -> tuple[str, str | None, str | None]:
        return self.text_key, self.id_key, self.title_key


class ParquetRecords(Records):
    """Options of `parquet` and `hub`.

    Attributes:
        text_column: column of the text.
        id_column: column of the document's id; None: file name and row number.
    """

    text_column: str
    id_column: str | None = None

    def place_id(self, where: str) -> str:
        path, _, number = super().place_id(where).rpartition(": row ")
        return f"{path}:{number.replace(',', '')}"

    def fields(self) -> tuple[str, str | None, str | None]:
        return self.text_column, self.id_column, None

    def check(self, raw: Path) -> None:
        for path in self.paths(raw):
            check_columns(raw, path, texts=[self.text_column], others=[self.id_column] if self.id_column else [])
        super().check(raw)

    def batches(self, raw: Path) -> list[Batch]:
        return parquet_batches(raw, self.paths(raw), self.text_column)

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, dict[str, Any]]]:
        columns = [self.text_column, *([self.id_column] if self.id_column else [])]
        for piece in batch.pieces:
            for number, values in rows(raw, piece, columns):
                yield f"{piece.path}: row {number:,}", dict(zip(columns, values, strict=True))


class Parquet(ListedRecords, ParquetRecords):
    """Options of kind `parquet`."""

    kind: ClassVar[str] = "parquet"
    pattern: ClassVar[str] = "*.parquet"


class Hub(ParquetRecords):
    """Options of kind `hub`: Parquet files of a Hub dataset.

    Attributes:
        repo: Hub repository, as "owner/name".
        revision: commit, tag or branch; None is resolved at the first download and locked.
        files: pattern of the Parquet files in the repository.
    """

    kind: ClassVar[str] = "hub"
    repo: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: str | None = None
    files: str = "data/*.parquet"

    def lock_key(self) -> str | None:
        return f"hub:{self.repo}" + (f"@{self.revision}" if self.revision else "")

    def resolve(self, context: FetchContext) -> str | None:
        return resolve_revision(self.repo, self.revision, self.lock_key() or "", context)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        files = list_files(self.repo, self.resolve(context) or "", [self.files])
        for file in files:
            refuse_packing(file.path)
            if not plain_name(file.path).lower().endswith(".parquet"):
                raise self.error(f"files: {file.path!r} is not Parquet", fix="choose *.parquet files")
        return [RawFile(f"{DATA}/{file.path}", file.url, file.size_bytes, file.sha256) for file in files]
