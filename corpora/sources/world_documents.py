"""Simulated documents with questions and summaries as a source: stories, chronicles (docs/spec/helmet.md 8, docs/spec/marathon.md 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from corpora.sources.base import Batch, Piece, SourceInfo
from corpora.sources.formats.lines import json_lines
from corpora.sources.simulated import Simulated
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from worlds.archive import ARCHIVE_VERSION
from worlds.archive.model import Form

FEWEST_WORDS = 8_000
_WORD_BYTES = 6


class WorldDocuments(Simulated):
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
        edition="world",
        roles=("documents", "document_questions"),
        download_bytes=0,
        note="stories or chronicles; every answer stands in known sentences",
    )
    form: Form
    seed: Annotated[int, Field(ge=0)]
    documents: Annotated[dict[Split, Annotated[int, Field(ge=0, le=100_000)]], Field(min_length=1)]
    words: Annotated[int, Field(ge=FEWEST_WORDS, le=1_000_000)]

    def parts(self) -> dict[str, float]:
        from worlds.archive.files import numbered

        return {f"{split}-{index:07d}": float(self.words * _WORD_BYTES) for split, index in numbered(self.documents)}

    def write_part(self, part: str, folder: Path) -> None:
        from worlds.archive.files import write_one

        split, index = _document(part)
        write_one(folder, self.seed, self.form, split, index, self.words)

    def join_parts(self, parts: Mapping[str, Path], stage: Path) -> None:
        from worlds.archive.files import join

        join(stage, ((_document(part)[0], folder) for part, folder in parts.items()))

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


def _document(part: str) -> tuple[Split, int]:
    """Split and index of a part's document."""
    split, _, index = part.partition("-")
    return cast("Split", split), int(index)
