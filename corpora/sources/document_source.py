"""What sources with role "document_questions" share: documents, and sets of questions or summaries of them, read whole at download once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from pydantic import PrivateAttr

from corpora.sources.addressed import Unpacked
from corpora.sources.base import FetchContext, RawFile
from corpora.sources.formats.batches import Batch, Piece, group
from corpora.sources.formats.bounded import bounded_lines
from corpora.sources.formats.fields import id_of, text, texts, value_of
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecordError, OddRecords
from corpora.sources.question_source import SPLITS
from corpora.sources.user_files import check_ids, is_address, named
from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written
from haymaker.core.files.paths import expanded
from haymaker.core.params import nearest
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document, DocumentQuestion, KeyPoint, Split

_KEY_POINTS = "keypoints.jsonl"
REPLIES, REVIEW = "replies.jsonl", "review.csv"
_AGAIN = "fetch the source again, or check its options"


class DocumentSource(Unpacked):
    """A source of documents and what is asked of them. A subclass names its sets and reads one."""

    sets: ClassVar[tuple[str, ...]] = ()
    _without: OddRecords = PrivateAttr(
        default_factory=lambda: OddRecords("documents")
    )  # documents that `read` left out

    def load(self, raw: Path, name: str) -> Iterable[DocumentQuestion]:
        """Everything asked of a set, in file order."""
        raise NotImplementedError

    def document_sets(self) -> tuple[str, ...]:
        return self.sets

    def document_questions(self, raw: Path, name: str) -> list[DocumentQuestion]:
        known = self.document_sets()
        if name not in known:
            fix = nearest(name, known)
            raise SourceError(f"has no set of document questions {name!r}", where=f"source {self.name}", fix=fix)
        return list(self.load(raw, name))

    def documents(self, raw: Path) -> Iterator[Document]:
        """All documents, in order."""
        for batch in self.batches(raw):
            yield from self.read(raw, batch)

    def check(self, raw: Path) -> None:
        parts: dict[str, Split] = {}
        self._without = OddRecords("documents")
        place = f"source {self.name}"
        for document in self.documents(raw):
            if document.doc_id in parts or not document.text.strip():
                problem = "was used before" if document.text.strip() else "is of a document without text"
                raise SourceError(f"document id {document.doc_id!r:.80} {problem}", where=place, fix=_AGAIN)
            parts[document.doc_id] = document.part
        self.left_out_of("documents", self._without)
        for name in self.document_sets():
            where, found = f"{place}: set {name}", self.document_questions(raw, name)
            check_ids(((question.question_id, where) for question in found), f"{self.name}: set {name}", "question")
            if not any(question.part == "test" for question in found):
                raise SourceError("has no questions of part test", where=where, fix=_AGAIN)
            homeless = OddRecords(where)  # their document was left out
            for question in found:
                with homeless:
                    if parts.get(question.doc_id) != question.part:
                        is_known = question.doc_id in parts or not self._without.count
                        error = SourceError if is_known else OddRecordError
                        raise error(
                            f"question {question.question_id!r:.80} is of no document of its part",
                            where=where,
                            fix=_AGAIN,
                        )
            homeless.check_few()


class WithMadeElsewhere(DocumentSource):
    """Sources to which a user may give files that were made for them elsewhere, besides their publisher's."""

    def made_elsewhere(self) -> dict[str, str | None]:
        """Name of a raw file -> path or address that the user gives; None where there is none."""
        raise NotImplementedError

    def local_inputs(self) -> list[Path]:
        here = [place for place in self.made_elsewhere().values() if place and not is_address(place)]
        return [*super().local_inputs(), *map(expanded, here)]

    def download_bytes(self) -> int:
        return self.info.download_bytes

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        given = [(name, place) for name, place in self.made_elsewhere().items() if place]
        found = (RawFile(name, file.url) for name, place in given for file in named((place,)))
        return [*super().raw_files(context), *found]


class WithKeyPoints(WithMadeElsewhere):
    """Option of sources whose summaries have key points apart (docs/spec/helmet.md 8).

    Attributes:
        keypoints: path or address of the released file, one JSON object a line; without it summaries have none. It lies
            in HELMET's archive of 11 GB (docs/spec/helmet.md 2) and was made by a language model.
    """

    keypoints: str | None = None
    keypoints_key: ClassVar[str] = "keypoints"

    def made_elsewhere(self) -> dict[str, str | None]:
        return {_KEY_POINTS: self.keypoints}

    def key_points(self, raw: Path) -> dict[str, tuple[KeyPoint, ...]]:
        """Id of what was summarised -> its key points; empty without the file.

        Raises:
            SourceError: a line of another shape.
        """
        found: dict[str, tuple[KeyPoint, ...]] = {}
        for number, record in json_lines(raw, Piece(_KEY_POINTS, 0, -1)) if self.keypoints else ():
            where = f"{_KEY_POINTS}:{number}"
            points = (point.strip() for point in texts(record, self.keypoints_key, where))
            key = id_of(value_of(record, "id", where), "id", where)
            found[key] = tuple(KeyPoint(point, origin="judge") for point in dict.fromkeys(points) if point)
        return found


class WithChoices(WithMadeElsewhere):
    """Options of sources whose questions need wrong options (corpora/choices).

    Attributes:
        replies: path or address of a file of replies to requests for wrong options (haymaker/core/rows/model_requests.py).
        review: path or address of a sheet (CSV) in which people judged options.
    """

    replies: str | None = None
    review: str | None = None

    def made_elsewhere(self) -> dict[str, str | None]:
        return {REPLIES: self.replies, REVIEW: self.review}


def document(record: dict[str, object], key: str, doc_id: str, title: str, part: Split, where: str) -> Document:
    """A document whose text is a field of a record, as it stands there.

    Raises:
        SourceError: no such field, no text, or blank.
    """
    text(record, key, where)
    return Document(doc_id, title, part, str(record[key]))


def first_lines(raw: Path, paths: Iterable[str], name_of: Callable[[dict[str, Any], str], str]) -> list[Batch]:
    """Batches of the lines at which a document stands first, in files that repeat it.

    Args:
        raw: folder of the source.
        paths: of its files, in order.
        name_of: the document of a record, which stands at a place (for error lines).

    Raises:
        SourceError: a file is missing, or a line has no document.
    """
    seen: set[str] = set()
    found: list[tuple[Piece, int]] = []
    for path in paths:
        at = 0
        for number, size in enumerate(_line_sizes(raw, path)):
            piece, at = Piece(path, at, at + size, number), at + size
            for line, record in json_lines(raw, piece):  # none where the line is blank
                try:
                    name = name_of(record, f"{path}:{line}")
                except OddRecordError:
                    continue  # without a document; whoever reads the questions counts it
                if name not in seen:
                    seen.add(name)
                    found.append((piece, size))
    return group(found)


def _line_sizes(raw: Path, path: str) -> Iterator[int]:
    try:
        with (raw / path).open("rb") as file:
            yield from (len(line) for _, line in bounded_lines(file, path))
    except FileNotFoundError:
        raise SourceError("is missing", where=path, fix="fetch the source again") from None


def text_id(text: str) -> str:
    """An id for a text that has none: a hash of it with white space folded."""
    return digest("text", " ".join(text.split()), size=8).hex()


def arranged(path: Path, records: Iterable[dict[str, object]]) -> int:
    """Write what was read at download again, one JSON object a line, so that later stages can enter anywhere; how many."""
    count = 0
    with written(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    return count


def arranged_documents(raw: Path, batch: Batch, path: str) -> Iterator[Document]:
    """Documents of a batch that `arranged` wrote: id, part, title, text; lines of other files are passed over."""
    for piece in batch.pieces:
        for number, record in json_lines(raw, piece) if piece.path == path else ():
            where = f"{path}:{number}"
            part = next((part for part in SPLITS if part == record.get("part")), None)
            if part is None:
                raise SourceError("has no part", where=where, fix=_AGAIN)
            yield document(record, "text", text(record, "id", where), str(record.get("title") or ""), part, where)
