"""Documents of the user's own with what is asked of each, in JSON lines: kind `documents_jsonl` (docs/reference/own-corpus.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import Batch, Source, SourceInfo
from corpora.sources.document_source import WithChoices, document
from corpora.sources.formats.fields import answers, id_of, objects, text, text_of, texts, value_of
from corpora.sources.splits import WithSplits
from corpora.sources.user_files import user_info
from corpora.sources.user_questions import USER_SET, UserLines, only_keys
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Document, DocumentQuestion

_DOCUMENT = ("id", "title", "text", "questions")
_QUESTION = ("id", "question", "answers", "choices", "evidence", "sort")


class DocumentsJsonl(WithChoices, UserLines, WithSplits):
    """Options of kind `documents_jsonl`: `path`; `part` or `parts`; `replies`, `review`. One set: "user".

    A line is {id, title, text, questions}; a document without questions is not used.
    """

    kind: ClassVar[str] = "documents_jsonl"
    info: ClassVar[SourceInfo] = user_info("Documents with questions in JSON Lines", "documents", "document_questions")
    sets: ClassVar[tuple[str, ...]] = (USER_SET,)

    def download_bytes(self) -> int:
        return Source.download_bytes(self)

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        for where, record in self.lines(raw, batch):
            only_keys(record, _DOCUMENT, where)
            doc_id = id_of(value_of(record, "id", where), "id", where)
            title = " ".join(text_of(record.get("title", ""), "title", where).split())
            yield document(record, "text", doc_id, title, self.split_for(doc_id), where)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        for batch in self.batches(raw):
            for where, record in self.lines(raw, batch):
                doc_id = id_of(value_of(record, "id", where), "id", where)
                for asked in objects(record, "questions", where) if "questions" in record else ():
                    yield self._question(asked, doc_id, f"{where}: question")

    def _question(self, record: dict[str, Any], doc_id: str, where: str) -> DocumentQuestion:
        only_keys(record, _QUESTION, where)
        given = answers(texts(record, "answers", where), where)
        choices = tuple(texts(record, "choices", where)) if "choices" in record else ()
        if choices and given[0] not in choices:
            raise SourceError("the first of `answers` is none of `choices`", where=where, fix="write it there as well")
        return DocumentQuestion(
            id_of(value_of(record, "id", where), "id", where),
            doc_id,
            self.split_for(doc_id),
            "choice" if choices else "qa",
            text(record, "question", where),
            answers=given,
            choices=choices,
            evidence=tuple(texts(record, "evidence", where)) if "evidence" in record else (),
            sort=text(record, "sort", where) if "sort" in record else "",
        )
