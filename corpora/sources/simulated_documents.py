"""Simulated documents: kinds `simulated_novels` (background texts) and `simulated_documents` (stories and chronicles with questions and
summaries; docs/spec/helmet.md 8, docs/spec/marathon.md 1). More documents of a split never change the earlier ones.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from corpora.sources.base import Batch
from corpora.sources.books import book_batches, read_books
from corpora.sources.formats.lines import json_file
from corpora.sources.simulated import Count, Seed, Simulated, split_and_number
from haymaker.core.files.disk import write_text
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from worlds.archive import ARCHIVE_VERSION
from worlds.archive.files import QUESTIONS, TITLES, join, numbered, read_questions, write_one
from worlds.archive.model import Form
from worlds.novels import NOVELS_VERSION, write_novel

FEWEST_WORDS = 8_000


class _Books(Simulated):
    """Text files in the folders of PG-19, one per part.

    Attributes:
        word_bytes: mean bytes of a word.
        files: names of files with one or more lines per document.
        words: length of each document, in words.
    """

    word_bytes: ClassVar[float]
    files: ClassVar[tuple[str, ...]]
    words: int

    def counts(self) -> dict[Split, int]:
        """Return the number of documents per part."""
        raise NotImplementedError

    def parts(self) -> dict[str, float]:
        return {f"{split}-{index:07d}": self.words * self.word_bytes for split, index in numbered(self.counts())}

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        join(stage, ((split_and_number(part)[0], folder) for part, folder in parts.items()), self.files)

    def batches(self, raw: Path) -> list[Batch]:
        return book_batches(raw, [split for split, count in self.counts().items() if count], self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return read_books(raw, batch)


class SimulatedNovels(_Books):
    """Options of kind `simulated_novels`.

    Attributes:
        seed: seed of the texts.
        novels: number of novels per split.
        words: length of each novel, in words.
    """

    kind: ClassVar[str] = "simulated_novels"
    generator_version: ClassVar[int] = NOVELS_VERSION
    word_bytes: ClassVar[float] = 5.7
    files: ClassVar[tuple[str, ...]] = (TITLES,)
    seed: Seed
    novels: Annotated[dict[Split, Annotated[int, Field(ge=0, le=999_999)]], Field(min_length=1)]
    words: Annotated[int, Field(ge=500, le=10_000_000)]

    def counts(self) -> dict[Split, int]:
        return self.novels

    def write_part(self, part: str, folder: Path) -> None:
        novel = write_novel(self.seed, split_and_number(part)[1], words=self.words)
        write_text(folder / f"{novel.doc_id}.txt", novel.text)
        row, title = io.StringIO(newline=""), f"{novel.title} by {novel.author}"
        csv.writer(row, lineterminator="\n").writerow((novel.doc_id, title, novel.year, ""))
        write_text(folder / TITLES, row.getvalue())

    def check(self, raw: Path) -> None:
        self.batches(raw)


class SimulatedDocuments(_Books):
    """Options of kind `simulated_documents`.

    Attributes:
        form: form of the documents; also the name of the question set.
        seed: seed of the texts.
        documents: number of documents per split.
        words: length of each document, in words.
    """

    kind: ClassVar[str] = "simulated_documents"
    version: ClassVar[int] = ARCHIVE_VERSION
    generator_version: ClassVar[int] = ARCHIVE_VERSION
    word_bytes: ClassVar[float] = 6.0
    files: ClassVar[tuple[str, ...]] = (TITLES, QUESTIONS)
    form: Form
    seed: Seed
    documents: Annotated[dict[Split, Count], Field(min_length=1)]
    words: Annotated[int, Field(ge=FEWEST_WORDS, le=1_000_000)]

    def counts(self) -> dict[Split, int]:
        return self.documents

    def write_part(self, part: str, folder: Path) -> None:
        split, index = split_and_number(part)
        write_one(folder, self.seed, self.form, split, index, self.words)

    def check(self, raw: Path) -> None:
        known = {path.stem for path in raw.glob("*/*.txt")}
        questioned = {question.doc_id for question in self.document_questions(raw, self.form)}
        if known != questioned or len(known) != sum(self.documents.values()):
            what = f"has {len(known)} documents, and questions about {len(questioned)}"
            raise self.error(what, fix="fetch the source again")

    def document_sets(self) -> tuple[str, ...]:
        return (self.form,)

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        self.check_set("document questions", name, self.document_sets())
        return read_questions(enumerate((record for _, record in json_file(raw, QUESTIONS)), 1))
