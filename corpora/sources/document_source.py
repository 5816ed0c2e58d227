"""Shared base of sources with role "document_questions": documents, and sets of questions about them or summaries of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import PrivateAttr

from corpora.sources.addressed import Unpacked
from corpora.sources.base import FetchContext, RawFile
from corpora.sources.formats.batches import Batch
from corpora.sources.formats.fields import id_of, text, texts, value_of
from corpora.sources.formats.lines import distinct, json_file, json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecordError, OddRecords
from corpora.sources.question_source import SPLITS, QuestionSource
from corpora.sources.user_files import check_ids, is_address, named
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written
from haymaker.core.files.paths import expanded
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint, Passage, Split

_PASSAGES = "passages.jsonl"
REPLIES, REVIEW = "replies.jsonl", "review.csv"
AGAIN = "fetch the source again, or correct that record"
_OPTIONS = "fetch the source again, or check its options"
_KEY_POINTS = "keypoints.jsonl"


class DocumentSource(Unpacked):
    """A source of documents with questions. A subclass names its sets (default: one set, named like its kind) and reads one set."""

    sets: ClassVar[tuple[str, ...]] = ()
    _without: OddRecords = PrivateAttr(default_factory=lambda: OddRecords("documents"))  # documents left out by `read`

    def load(self, raw: Path, name: str) -> Iterable[DocumentQuestion]:
        """All questions of a set, in file order."""
        raise NotImplementedError

    def document_sets(self) -> tuple[str, ...]:
        return self.sets or (self.kind.removesuffix("_mirror"),)

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        self.check_set("document questions", name, self.document_sets())
        return self.reviewed(name, self.load(raw, name))

    def document_ids(self, raw: Path, name: str) -> frozenset[str]:
        """Ids of the documents of a set; also of documents whose questions a review leaves out (distractors of other questions)."""
        return frozenset(question.doc_id for question in self.load(raw, name))

    def documents(self, raw: Path) -> Iterator[Document]:
        """All documents, in order."""
        for batch in self.batches(raw):
            yield from self.read(raw, batch)

    def check(self, raw: Path) -> None:
        splits: dict[str, Split] = {}
        self._without = OddRecords("documents")
        for document in self.documents(raw):
            if document.doc_id in splits or not document.text.strip():
                problem = "appears twice" if document.text.strip() else "has no text"
                raise self.error(f"document id {document.doc_id!r:.80} {problem}", fix=_OPTIONS)
            splits[document.doc_id] = document.split
        self.left_out_of("documents", self._without)
        for name in self.document_sets():
            where, found = f"source {self.name}: set {name}", self.document_questions(raw, name)
            check_ids(((question.question_id, where) for question in found), f"{self.name}: set {name}", "question")
            if not any(question.split == "test" for question in found):
                raise SourceError("has no questions of split test", where=where, fix=_OPTIONS)
            self._check_documents_of(found, splits, where)

    def _check_documents_of(self, questions: list[DocumentQuestion], splits: Mapping[str, Split], where: str) -> None:
        odd = OddRecords(where)  # their document was left out
        for question in questions:
            with odd:
                if splits.get(question.doc_id) != question.split:
                    is_known = question.doc_id in splits or not self._without.count
                    what = f"question {question.question_id!r:.80} has no document in its split"
                    raise (SourceError if is_known else OddRecordError)(what, where=where, fix=_OPTIONS)
        odd.check_few()


class ArrangedDocuments(DocumentSource):
    """A source whose documents are written to one file of JSON lines at download (`arranged`)."""

    documents_file: ClassVar[str] = "documents.jsonl"

    def document_records(self, raw: Path, left_out: Counter[str]) -> Iterator[dict[str, object]]:
        """The records of all documents (id, split, title, text), in order; counts what is left out by reason."""
        raise NotImplementedError

    def arrange(self, stage: Path, context: FetchContext) -> None:
        left_out = Counter[str]()
        arranged(stage / self.documents_file, self.document_records(stage, left_out))
        for reason, count in sorted((+left_out).items()):
            context.report(f"{count:,} {reason} are left out")

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [self.documents_file])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return arranged_documents(raw, batch, self.documents_file)


class DistinctPassages(QuestionSource):
    """A source of questions whose passages have no ids: each distinct text is written once at download."""

    def passage_texts(self, raw: Path) -> Iterator[str]:
        """The texts of all passages, in file order."""
        raise NotImplementedError

    def fault(self, passage: str) -> str:
        """Return why a passage is left out, as a plural noun phrase for the download report, or an empty string."""
        return ""

    def arrange(self, stage: Path, context: FetchContext) -> None:
        left_out = Counter[str]()

        def kept() -> Iterator[dict[str, object]]:
            for found in distinct(self.passage_texts(stage), text_id):
                if why := self.fault(found):
                    left_out[why] += 1
                else:
                    yield {"text": found}

        arranged(stage / _PASSAGES, kept())
        for reason, count in sorted(left_out.items()):
            context.report(f"{count:,} {reason} are left out")

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_PASSAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for where, record in json_lines(raw, piece):
                found = text(record, "text", where)
                yield Passage(text_id(found), "", "", "", found)


class WithUserFiles(DocumentSource):
    """Sources that accept files made by the user in addition to the publisher's."""

    user_files: ClassVar[dict[str, str]]  # name of a raw file -> option with its path or address

    def _given(self) -> list[tuple[str, str]]:
        return [(name, place) for name, option in self.user_files.items() if (place := getattr(self, option))]

    def local_inputs(self) -> list[Path]:
        return [*super().local_inputs(), *(expanded(place) for _, place in self._given() if not is_address(place))]

    def download_bytes(self) -> int:
        return self.info.download_bytes

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        found = (RawFile(name, file.url) for name, place in self._given() for file in named((place,)))
        return [*super().raw_files(context), *found]


class WithKeyPoints(WithUserFiles):
    """Option of sources whose summaries have key points in another file (docs/spec/helmet.md 8).

    Attributes:
        keypoints: path or address of the released file (from HELMET's archive, docs/spec/helmet.md 2; written by a language model).
    """

    keypoints: str | None = None
    keypoints_key: ClassVar[str] = "keypoints"
    user_files: ClassVar = {_KEY_POINTS: "keypoints"}

    def key_points(self, raw: Path) -> dict[str, tuple[KeyPoint, ...]]:
        """Id of a summary -> its key points; empty without the file."""
        found: dict[str, tuple[KeyPoint, ...]] = {}
        for where, record in json_file(raw, _KEY_POINTS) if self.keypoints else ():
            points = (point.strip() for point in texts(record, self.keypoints_key, where))
            key = record_id(record, "id", where)
            found[key] = tuple(KeyPoint(point, origin="judge") for point in dict.fromkeys(points) if point)
        return found


class WithChoices(WithUserFiles):
    """Options of sources whose questions need wrong options (corpora/choices).

    Attributes:
        replies: path or address of a file with replies to requests for wrong options (haymaker/core/rows/model_requests.py).
        review: path or address of a sheet (CSV) in which people judged options.
        published: name of the options that are published with the code, for sources without `replies` (corpora/choices/data).
    """

    replies: str | None = None
    review: str | None = None
    user_files: ClassVar = {REPLIES: "replies", REVIEW: "review"}
    published: ClassVar[str] = ""


@cache
def known_faults(source: str) -> Mapping[str, str]:
    """Id or hash -> reason, of the records of a source that readers found to be wrong (known_faults.yaml)."""
    return dict(read_yaml(Path(__file__).with_name("known_faults.yaml"))[source])


def document(record: dict[str, object], key: str, doc_id: str, title: str, split: Split, where: str) -> Document:
    """A document with the text of a field, unchanged; the text may not be blank."""
    text(record, key, where)
    return Document(doc_id, title, split, str(record[key]))


def record_id(record: dict[str, Any], key: str, where: str) -> str:
    """The id of a record: text or a whole number."""
    return id_of(value_of(record, key, where), key, where)


def summary_question(
    doc_id: str, split: Split, *references: str, key_points: tuple[KeyPoint, ...] = ()
) -> DocumentQuestion:
    """The request for a summary of a document; it has the document's id."""
    return DocumentQuestion(doc_id, doc_id, split, "summary", "", references=references, key_points=key_points)


def text_id(text: str) -> str:
    """An id for a text without one: a hash of the text with white space folded."""
    return digest("text", " ".join(text.split()), size=8).hex()


def arranged(path: Path, records: Iterable[Mapping[str, object]]) -> int:
    """Write records as JSON lines, so that later stages can start at any line; return their number."""
    count = 0
    with written(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    return count


def arranged_documents(raw: Path, batch: Batch, path: str) -> Iterator[Document]:
    """Documents that `arranged` wrote to a file (id, split, title, text); pieces of other files are skipped."""
    for piece in batch.pieces:
        for where, record in json_lines(raw, piece) if piece.path == path else ():
            doc_id, title = text(record, "id", where), str(record.get("title") or "")
            yield document(record, "text", doc_id, title, split_of(record, where), where)


def split_of(record: Mapping[str, object], where: str) -> Split:
    """The split of a record that `arranged` wrote."""
    for split in SPLITS:
        if split == record.get("split"):
            return split
    raise SourceError("has no split", where=where, fix=_OPTIONS)
