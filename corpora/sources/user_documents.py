"""Documents of a user with questions about each, in JSON Lines: kind `documents_jsonl` (docs/reference/own-corpus.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import Batch, Source
from corpora.sources.document_source import WithChoices
from corpora.sources.formats.fields import answers, content, objects, own_id, own_text, own_title
from corpora.sources.user_files import ANY, JsonLines, WithSplits
from corpora.sources.user_questions import USER_SET, only_keys, optional_texts
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion

_DOCUMENT = ("id", "title", "text", "questions")
_QUESTION = ("id", "question", "answers", "choices", "evidence", "sort")
_Asked = tuple[str, dict[str, Any]]  # document id and question


class DocumentsJsonl(WithChoices, JsonLines, WithSplits):
    """Options of kind `documents_jsonl`: `path`; `split` or `splits`; `replies`, `review`. One set: "user".

    A line is {id, title, text, questions}; a document without questions is not used.
    """

    kind: ClassVar[str] = "documents_jsonl"
    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = (USER_SET,)

    def download_bytes(self) -> int:
        return Source.download_bytes(self)

    def check(self, raw: Path) -> None:
        for _ in self._parsed(raw):
            pass
        counts = dict(self._odd)
        super().check(raw)
        self._odd.update(counts)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for _, (document, _) in self.usable("documents", self.records(raw, batch), self._document, few=ANY):
            yield document

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        return (question for _, question in self.usable("questions", self._asked(raw), self._question))

    def _parsed(self, raw: Path) -> Iterator[tuple[str, tuple[Document, list[dict[str, Any]]]]]:
        return self.usable("documents", self.all_records(raw), self._document)

    def _asked(self, raw: Path) -> Iterator[tuple[str, _Asked]]:
        for where, (document, questions) in self._parsed(raw):
            for record in questions:
                yield f"{where}: question", (document.doc_id, record)

    def _document(self, given: dict[str, Any], where: str) -> tuple[Document, list[dict[str, Any]]]:
        only_keys(given, _DOCUMENT, where)
        doc_id, title = own_id(given, "id", where), " ".join(own_title(given, "title", where).split())
        document = Document(doc_id, title, self.split_for(doc_id), own_text(given, "text", where))
        return document, objects(given, "questions", where) if given.get("questions") is not None else []

    def _question(self, asked: _Asked, where: str) -> DocumentQuestion:
        doc_id, record = asked[0], content(asked[1], where)
        only_keys(record, _QUESTION, where)
        given = answers(optional_texts(record, "answers", where), where)
        choices = optional_texts(record, "choices", where)
        if choices and given[0] not in choices:
            raise SourceError("the first of `answers` is not one of `choices`", where=where, fix="add it to `choices`")
        return DocumentQuestion(
            own_id(record, "id", where),
            doc_id,
            self.split_for(doc_id),
            "choice" if choices else "qa",
            own_text(record, "question", where).strip(),
            answers=given,
            choices=choices,
            evidence=optional_texts(record, "evidence", where),
            sort=own_text(record, "sort", where).strip() if "sort" in record else "",
        )
