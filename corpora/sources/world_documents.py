"""Simulated documents: kinds `world_novels` (background texts) and `world_documents` (stories and chronicles with questions and
summaries; docs/spec/helmet.md 8, docs/spec/marathon.md 1). More documents of a part never change the earlier ones.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, Piece, SourceInfo
from corpora.sources.books import book_batches, read_books
from corpora.sources.formats.lines import json_lines
from corpora.sources.simulated import Count, Seed, Simulated, simulated_info, split_and_number
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import link_or_copy, write_text
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from worlds.archive import ARCHIVE_VERSION
from worlds.archive.files import QUESTIONS, join, numbered, read_questions, write_one
from worlds.archive.model import Form
from worlds.novels import NOVELS_VERSION, write_novel

FEWEST_WORDS = 8_000
_FIRST_NOVEL: dict[Split, int] = {"test": 0, "dev": 1_000_000, "train": 2_000_000}
_NOVEL_FOLDER: dict[Split, str] = {"test": "test", "dev": "validation", "train": "train"}
_TITLES = "metadata.csv"
_NOVEL_WORD_BYTES = 5.7
_WORD_BYTES = 6


class _Books(Simulated):
    """Text files in the folders of PG-19."""

    def counts(self) -> dict[Split, int]:
        """Return the number of documents per part."""
        raise NotImplementedError

    def batches(self, raw: Path) -> list[Batch]:
        return book_batches(raw, [part for part, count in self.counts().items() if count], self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return read_books(raw, batch)


class WorldNovels(_Books):
    """Options of kind `world_novels`.

    Attributes:
        seed: of the texts.
        novels: number per part.
        words: length of each novel, in words.
    """

    kind: ClassVar[str] = "world_novels"
    info: ClassVar[SourceInfo] = simulated_info("Novels, simulated", "documents", note="same folders as PG-19")
    world_version: ClassVar[int] = NOVELS_VERSION
    seed: Seed
    novels: Annotated[dict[Split, Annotated[int, Field(ge=0, le=999_999)]], Field(min_length=1)]
    words: Annotated[int, Field(ge=500, le=10_000_000)]

    def counts(self) -> dict[Split, int]:
        return {part: self.novels.get(part, 0) for part in _FIRST_NOVEL}

    def parts(self) -> dict[str, float]:
        size = self.words * _NOVEL_WORD_BYTES
        return {f"{part}-{number:06d}": size for part, count in self.counts().items() for number in range(count)}

    def write_part(self, part: str, folder: Path) -> None:
        split, number = split_and_number(part)
        novel = write_novel(self.seed, _FIRST_NOVEL[split] + number, words=self.words)
        write_text(folder / f"{novel.doc_id}.txt", novel.text)
        row, title = io.StringIO(newline=""), f"{novel.title} by {novel.author}"
        csv.writer(row, lineterminator="\n").writerow((novel.doc_id, title, novel.year, ""))
        write_text(folder / _TITLES, row.getvalue())

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        write_text(stage / _TITLES, "".join((folder / _TITLES).read_text("utf-8") for folder in parts.values()))
        for part, folder in parts.items():
            for path in folder.glob("*.txt"):
                link_or_copy(path, stage / _NOVEL_FOLDER[split_and_number(part)[0]] / path.name)

    def check(self, raw: Path) -> None:
        self.batches(raw)


class WorldDocuments(_Books):
    """Options of kind `world_documents`.

    Attributes:
        form: "stories" or "chronicles"; also the name of its one set of questions.
        seed: of the texts.
        documents: number per part.
        words: length of each document, in words.
    """

    kind: ClassVar[str] = "world_documents"
    version: ClassVar[int] = ARCHIVE_VERSION
    info: ClassVar[SourceInfo] = simulated_info(
        "Documents with questions and summaries, simulated",
        "documents",
        "document_questions",
        note="stories or chronicles; every answer stands in known sentences",
    )
    world_version: ClassVar[int] = ARCHIVE_VERSION
    form: Form
    seed: Seed
    documents: Annotated[dict[Split, Count], Field(min_length=1)]
    words: Annotated[int, Field(ge=FEWEST_WORDS, le=1_000_000)]

    def counts(self) -> dict[Split, int]:
        return self.documents

    def parts(self) -> dict[str, float]:
        return {f"{split}-{index:07d}": float(self.words * _WORD_BYTES) for split, index in numbered(self.documents)}

    def write_part(self, part: str, folder: Path) -> None:
        split, index = split_and_number(part)
        write_one(folder, self.seed, self.form, split, index, self.words)

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        join(stage, ((split_and_number(part)[0], folder) for part, folder in parts.items()))

    def check(self, raw: Path) -> None:
        known = {path.stem for path in raw.glob("*/*.txt")}
        questioned = {question.doc_id for question in self.document_questions(raw, self.form)}
        if known != questioned or len(known) != sum(self.documents.values()):
            what = f"has {len(known)} documents, and questions about {len(questioned)}"
            raise SourceError(what, where=f"source {self.name}", fix="fetch the source again")

    def document_sets(self) -> tuple[str, ...]:
        return (self.form,)

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        if name != self.form:
            raise SourceError(f"has no set {name!r}", where=f"source {self.name}", fix=f"its set is {self.form}")
        return read_questions(json_lines(raw, Piece(QUESTIONS, 0, -1)))
