"""The record interface of raw sources. A source is one class in one file; its fields are the options under `sources.<name>`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from corpora.sources.fetched import Fetched
from corpora.sources.formats.batches import Batch, Piece, group
from corpora.sources.reviews import R, reviewed
from corpora.sources.terms import SourceInfo
from corpora.sources.transport.rawfile import FetchContext, FetchedFile, RawFile
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import (
    Article,
    CodeFile,
    Document,
    DocumentQuestion,
    LabelledText,
    Passage,
    Question,
    Split,
    StoryQuestion,
)

__all__ = ["Batch", "FetchContext", "FetchedFile", "Piece", "RawFile", "Source", "SourceInfo", "group"]


class Source(Fetched):
    """One raw source. A subclass declares options as fields and overrides the methods of its roles.

    Methods that read records raise SourceError for a damaged record, with its file and line, row or byte.
    """

    def _lacks(self, what: str) -> SourceError:
        return self.error(f"kind {self.kind} has no {what}")

    def reviewed(self, name: str, found: Iterable[R], split: Split | None = None) -> list[R]:
        """Apply the verdicts of readers to the questions or texts of a set; those left out are counted."""
        every = list(found)
        kept = reviewed(self.kind, name, every)
        if left_out := len(every) - len(kept):
            self._odd[f"{name} {split or ''}".strip() + " (left out in a review)"] = left_out
        return kept

    def passage_count(self) -> int:
        """Estimate the number of passages for `plan` (roles "articles" and "passages")."""
        return self.info.passages

    def batches(self, raw: Path) -> list[Batch]:
        """Return the documents, articles or passages as batches of work, in a fixed order."""
        raise self._lacks("documents")

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        """Yield the documents of a batch."""
        raise self._lacks("documents")

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        """Yield the articles of a batch."""
        raise self._lacks("articles")

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        """Yield the ready-made passages of a batch."""
        raise self._lacks("passages")

    def stories(self, raw: Path, task: str, split: Split) -> list[StoryQuestion]:
        """Return the bAbI questions of a task and split, in file order."""
        raise self._lacks("questions")

    def vocabulary_name(self) -> str:
        """Return the vocabulary of its bAbI questions, "classic" or "large"."""
        return "classic"

    def question_sets(self) -> tuple[str, ...]:
        """Return the names of its question sets; needs no files."""
        return ()

    def questions(self, raw: Path, name: str, split: Split) -> list[Question]:
        """Return the questions of a set and split, in file order."""
        raise self._lacks("questions to answer")

    def label_sets(self) -> tuple[str, ...]:
        """Return the names of its sets of labelled texts; needs no files."""
        return ()

    def labelled(self, raw: Path, name: str, split: Split) -> list[LabelledText]:
        """Return the labelled texts of a set and split, in file order."""
        raise self._lacks("labelled texts")

    def document_sets(self) -> tuple[str, ...]:
        """Return the names of its sets of questions about documents; needs no files."""
        return ()

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        """Return the questions of a set, from all splits, in file order."""
        raise self._lacks("questions about its documents")

    def document_ids(self, raw: Path, name: str) -> frozenset[str]:
        """Return the ids of the documents that a set asks about."""
        return frozenset(question.doc_id for question in self.document_questions(raw, name))

    def code_files(self, raw: Path) -> list[CodeFile]:
        """Return the files of source code of all splits, in order."""
        raise self._lacks("source code")
