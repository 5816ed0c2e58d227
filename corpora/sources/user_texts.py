"""A corpus of the user's own, declared in the parameters alone: kinds `text_folder`, `jsonl`, `parquet`, `hub`.

Parts: `part: test` (all), or `parts: {test: 80, dev: 5, train: 15}` (by the document's id), or for folders without
either the sub-folders test, dev (or validation) and train. Local files are copied, so that DVC tracks what was used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, FetchContext, Piece, RawFile, SourceInfo, group
from corpora.sources.books import natural, part_of, read_text
from corpora.sources.formats.bounded import LINE_MB, check_text
from corpora.sources.formats.fields import id_of, text_of, value_of
from corpora.sources.local_folder import Pattern, local_files
from corpora.sources.splits import WithSplits
from corpora.sources.user_files import DATA, LineMB, Listed, Own, Records, check_ids, file_id, named, user_info
from haymaker.core.errors import SourceError
from haymaker.core.files.paths import expanded, file_address
from haymaker.core.params import omit_if_default
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document, Split


class TextFolder(Own, WithSplits):
    """Options of kind `text_folder`: one UTF-8 file, one document; its id is its path without the suffix.

    Attributes:
        path: a local folder.
        urls: or addresses, one per file.
        pattern: which files of the folder, at any depth.
        follow_links: links may lead out of the folder; without it they are refused.
        max_line_mb: longest line that is read, in MB.
    """

    kind: ClassVar[str] = "text_folder"
    info: ClassVar[SourceInfo] = user_info("Text files", "documents")
    path: str | None = None
    urls: tuple[str, ...] = ()
    pattern: Pattern = "*.txt"
    follow_links: bool = omit_if_default(False)
    max_line_mb: LineMB = omit_if_default(LINE_MB)

    def lock_key(self) -> str | None:
        return f"{self.kind}@{digest(*self.urls, size=6).hex()}" if self.urls else None

    def local_inputs(self) -> list[Path]:
        return [expanded(self.path)] if self.path else []

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        if bool(self.path) == bool(self.urls):
            raise SourceError("needs either `path` or `urls`", where=f"source {self.name}", fix="give one of them")
        if self.urls:
            return named(self.urls)
        folder = self.local_inputs()[0]
        names = local_files(folder, self.pattern, follow_links=self.follow_links)
        return [RawFile(f"{DATA}/{name}", file_address(folder / name)) for name in names]

    def check(self, raw: Path) -> None:
        names = [piece.path for batch in self.batches(raw) for piece in batch.pieces]
        for name in names:
            self._part(name)
            check_text(raw / name, name.removeprefix(f"{DATA}/"), self.max_line_mb)
        check_ids(((file_id(name), name.removeprefix(f"{DATA}/")) for name in names), self.name)

    def batches(self, raw: Path) -> list[Batch]:
        found = ((path.relative_to(raw).as_posix(), path) for path in (raw / DATA).rglob("*") if path.is_file())
        files = sorted(found, key=lambda entry: natural(entry[0]))
        if not files:
            raise SourceError("holds no file", where=f"source {self.name}", fix="fetch the source again")
        return group((Piece(name, 0, path.stat().st_size), path.stat().st_size) for name, path in files)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for piece in batch.pieces:
            text = read_text(raw / piece.path, piece.path)
            yield Document(file_id(piece.path), PurePosixPath(piece.path).stem, self._part(piece.path), text)

    def _part(self, path: str) -> Split:
        if self.part or self.parts:
            return self.split_for(file_id(path))
        name = path.removeprefix(f"{DATA}/")
        part = part_of(name)
        if part is None:
            fix = "set `part: test`, or `parts`, or put it into test/, dev/ or train/"
            raise SourceError("lies in no folder that names a part", where=f"source {self.name}: {name}", fix=fix)
        return part


class Jsonl(Listed, Records):
    """Options of kind `jsonl`: one object per line; .gz and .zst are read too.

    Attributes:
        path: local paths or addresses.
        text_key: key of the text.
        id_key: key of the document's id; None: file name and line number.
        title_key: key of the title, if any.
        max_line_mb: longest line that is read, in MB.
    """

    kind: ClassVar[str] = "jsonl"
    info: ClassVar[SourceInfo] = user_info("JSON Lines", "documents")
    text_key: str
    id_key: str | None = None
    title_key: str | None = None
    max_line_mb: LineMB = omit_if_default(LINE_MB)

    def batches(self, raw: Path) -> list[Batch]:
        from corpora.sources.formats.lines import line_batches

        return line_batches(raw, self.paths(raw), self.max_line_mb)

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, str, str, str]]:
        from corpora.sources.formats.lines import json_lines

        for piece in batch.pieces:
            for number, record in json_lines(raw, piece, self.max_line_mb):
                where = f"{piece.path}:{number}"
                text = text_of(value_of(record, self.text_key, where), self.text_key, where)
                doc_id = f"{piece.path.removeprefix(DATA)[1:]}:{number}"
                if self.id_key:
                    doc_id = id_of(value_of(record, self.id_key, where), self.id_key, where)
                title = value_of(record, self.title_key, where) if self.title_key else ""
                yield where, doc_id, "" if title is None else text_of(title, self.title_key or "", where), text


class ParquetRecords(Records):
    """What `parquet` and `hub` share.

    Attributes:
        text_column: column of the text.
        id_column: column of the document's id; None: file name and row number.
    """

    text_column: str
    id_column: str | None = None

    def check(self, raw: Path) -> None:
        from corpora.sources.formats.parquet import check_columns, rows

        identity = [self.id_column] if self.id_column else []
        for path in self.paths(raw):
            check_columns(raw, path, texts=[self.text_column], others=identity)
        pieces = [piece for batch in self.batches(raw) for piece in batch.pieces]
        if not self.id_column:
            return check_ids(((f"{piece.path}:{piece.first}", piece.path) for piece in pieces), self.name)
        places = ((f"{p.path}: row {number:,}", value) for p in pieces for number, (value,) in rows(raw, p, identity))
        check_ids(((id_of(value, self.id_column, where), where) for where, value in places), self.name)

    def batches(self, raw: Path) -> list[Batch]:
        from corpora.sources.formats.parquet import parquet_batches

        return parquet_batches(raw, self.paths(raw), self.text_column)

    def records(self, raw: Path, batch: Batch) -> Iterator[tuple[str, str, str, str]]:
        from corpora.sources.formats.parquet import rows

        columns = [self.text_column, *([self.id_column] if self.id_column else [])]
        for piece in batch.pieces:
            for number, values in rows(raw, piece, columns):
                where = f"{piece.path}: row {number:,}"
                doc_id = f"{piece.path.removeprefix(DATA)[1:]}:{number}"
                if self.id_column:
                    doc_id = id_of(values[1], self.id_column, where)
                yield where, doc_id, "", text_of(values[0], self.text_column, where)


class Parquet(Listed, ParquetRecords):
    """Options of kind `parquet`: `path` (local paths or addresses), `text_column`, `id_column`."""

    kind: ClassVar[str] = "parquet"
    info: ClassVar[SourceInfo] = user_info("Parquet", "documents")


class Hub(Own, ParquetRecords):
    """Options of kind `hub`: Parquet files of a Hub dataset.

    Attributes:
        repo: "owner/name".
        revision: commit, tag or branch; None is resolved at the first download and locked.
        files: glob over paths in the repository; must choose Parquet files.
    """

    kind: ClassVar[str] = "hub"
    info: ClassVar[SourceInfo] = user_info("Hub dataset", "documents")
    repo: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: str | None = None
    files: str = "data/*.parquet"

    def lock_key(self) -> str | None:
        return f"hub:{self.repo}" + (f"@{self.revision}" if self.revision else "")

    def resolve(self, context: FetchContext) -> str | None:
        from corpora.sources.transport.hub import resolve_revision

        return resolve_revision(self.repo, self.revision, self.lock_key() or "", context)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        from corpora.sources.transport.hub import list_files

        files = list_files(self.repo, self.resolve(context) or "", [self.files])
        odd = [file.path for file in files if not file.path.endswith(".parquet")]
        if odd:
            raise SourceError(
                f"{odd[0]!r} is not Parquet", where=f"source {self.name}: files", fix="choose *.parquet files"
            )
        return [RawFile(f"{DATA}/{file.path}", file.url, file.size_bytes, file.sha256) for file in files]

    def paths(self, raw: Path) -> list[str]:
        return sorted((path.relative_to(raw).as_posix() for path in (raw / DATA).rglob("*.parquet")), key=natural)
