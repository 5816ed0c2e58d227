"""Simulated documents with questions and summaries as a source: stories, chronicles (docs/spec/helmet.md 8, docs/spec/marathon.md 1)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from corpora.sources.base import Batch, FetchContext, FetchedFile, Piece, RawFile, Source, SourceInfo
from corpora.sources.formats.lines import json_lines
from haymaker.errors import SourceError
from haymaker.records import Document, DocumentQuestion, Split
from worlds.archive import ARCHIVE_VERSION
from worlds.archive.model import Form

FEWEST_WORDS = 8_000
_WORD_BYTES = 6


class WorldDocuments(Source):
    """Options of kind `world_documents`.

    Attributes:
        form: "stories" or "chronicles"; also the name of its one set of questions.
        seed: of the texts.
        documents: how many of each part.
        words: length of each document, in words.
    """

    kind: ClassVar[str] = "world_documents"
    version: ClassVar[int] = ARCHIVE_VERSION
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Documents with questions and summaries, simulated",
        homepage="",
        licence="CC0-1.0",
        licences=("cc0-1.0",),
        redistribution=True,
        edition="world",
        roles=("documents", "document_questions"),
        languages=("en",),
        download_bytes=0,
        note="stories or chronicles; every answer stands in known sentences",
    )
    form: Form
    seed: Annotated[int, Field(ge=0)]
    documents: Annotated[dict[Split, Annotated[int, Field(ge=0, le=100_000)]], Field(min_length=1)]
    words: Annotated[int, Field(ge=FEWEST_WORDS, le=1_000_000)]

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        from worlds.archive.files import write_archive

        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        context.report(f"writing {sum(self.documents.values())} {self.form} of {self.words:,} words")
        write_archive(stage, self.seed, self.form, self.documents, self.words)
        return []

    def check(self, raw: Path) -> None:
        known = {path.stem for path in raw.glob("*/*.txt")}
        questioned = {question.doc_id for question in self.document_questions(raw, self.form)}
        if known != questioned or len(known) != sum(self.documents.values()):
            raise SourceError(
                f"has {len(known)} documents, and questions about {len(questioned)}",
                where=f"source {self.name}",
                fix="fetch the source again",
            )

    def batches(self, raw: Path) -> list[Batch]:
        from corpora.sources.books import book_batches

        return book_batches(raw, [part for part, count in self.documents.items() if count], self.name)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        from corpora.sources.books import read_books

        return read_books(raw, batch)

    def document_sets(self) -> tuple[str, ...]:
        return (self.form,)

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        from worlds.archive.files import QUESTIONS, read_questions

        if name != self.form:
            raise SourceError(f"has no set {name!r}", where=f"source {self.name}", fix=f"its set is {self.form}")
        return read_questions(json_lines(raw, Piece(QUESTIONS, 0, -1)))

    def download_bytes(self) -> int:
        """Nothing is downloaded: bytes that are written."""
        return sum(self.documents.values()) * self.words * _WORD_BYTES

    def facts(self) -> dict[str, Any]:
        return {"world_version": ARCHIVE_VERSION}
