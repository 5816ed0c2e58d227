"""QMSum: meetings with queries to be answered by a summary (Zhong et al. 2021).

Kinds `qmsum` (the publisher's files, locked at the first download) and `qmsum_mirror` (its test and validation files whole, train of two of the three
fields). A document is a meeting, one turn a paragraph: "Speaker: words", a blank line between turns so that they stay apart. A
turn without words is left out, marks of sounds and pauses ("{vocalsound}") are taken out. The spans of turns that the source names for a query are its evidence, each span one text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from corpora.sources.addressed import Addressed
from corpora.sources.base import Batch, FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import DocumentSource, arranged, arranged_documents, text_id
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import objects, text, text_of, value_of, whole_number
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecordError, OddRecords, sound
from corpora.sources.formats.text_cleanup import without_noises
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import Document, DocumentQuestion, Split
from haymaker.core.text.strings import padded

_URL = "https://raw.githubusercontent.com/Yale-LILY/QMSum/main/data/ALL/jsonl"
_DOCUMENTS = "documents.jsonl"
_MOST_TURNS = 60  # of evidence: what is spread over more is no place to look at
_WRONG = MappingProxyType(
    dict.fromkeys(("d56fc9a20fc1", "615202ab4d7e", "36fce2607537"), "a joke is taken for what was agreed")
)  # hash of an answer -> what is wrong with it, as it was met by reading: no sentence of the source stands here
_AGAIN = "fetch the source again, or mend that record"


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/Yale-LILY/QMSum",
        licence="MIT",
        roles=("documents", "document_questions"),
        download_bytes=size,
        note=note,
    )


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A record, where it stands, and what is said: a line each."""

    part: Split
    where: str
    record: dict[str, Any]
    turns: list[str]


class _QmSum(DocumentSource):
    """What both kinds share: files by part."""

    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("qmsum",)
    parts: ClassVar[dict[str, Split]]

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            arranged(stage / _DOCUMENTS, self._documents(stage))
        return got

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_DOCUMENTS])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return arranged_documents(raw, batch, _DOCUMENTS)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        asked: dict[tuple[str, str], DocumentQuestion] = {}
        queries = (query for meeting in self._meetings(raw) for query in _queries(meeting))
        odd = OddRecords(name)
        for found in sound(odd, queries, _asked):
            key = found.doc_id, padded(found.text)
            asked[key] = _united(asked[key], found) if key in asked else found
        self.left_out_of(name, odd)
        kept = [each for each in asked.values() if _name(each.references[0]) not in _WRONG]
        if left_out := len(asked) - len(kept):
            self._odd[f"{name} (answer known to be wrong)"] = left_out
        yield from kept

    def _meetings(self, raw: Path) -> Iterator[_Meeting]:
        """All meetings in which anybody says anything."""
        records = (
            (part, f"{path}:{number}", record)
            for path, part in self.parts.items()
            for number, record in json_lines(raw, Piece(path, 0, -1))
        )
        odd = OddRecords("meetings")
        yield from sound(odd, records, lambda each: _Meeting(*each, _turns(each[2], each[1])))
        self.left_out_of("meetings", odd)

    def _documents(self, raw: Path) -> Iterator[dict[str, object]]:
        for number, meeting in enumerate(self._meetings(raw), 1):
            whole = _joined(meeting.turns)
            yield {"id": text_id(whole), "part": meeting.part, "title": f"Meeting {number}", "text": whole}


class QmSum(_QmSum, Addressed):
    """Options of kind `qmsum`: `url`."""

    kind: ClassVar[str] = "qmsum"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = _info(
        "QMSum",
        14_000_000,
        "232 meetings, 1,808 queries; the size is an estimate, files are locked at the first download",
    )
    parts: ClassVar[dict[str, Split]] = {"test.jsonl": "test", "val.jsonl": "dev", "train.jsonl": "train"}

    def files(self) -> list[RawFile]:
        return [RawFile(name, f"{_URL}/{name}") for name in self.parts]


class QmSumMirror(_QmSum):
    """Kind `qmsum_mirror`; no options."""

    kind: ClassVar[str] = "qmsum_mirror"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = _info(
        "QMSum (mirror copy: 135 meetings)", 2_821_081, "test and dev are whole; train is that of two fields of three"
    )
    parts: ClassVar[dict[str, Split]] = {
        "all.test.jsonl": "test",
        "all.val.jsonl": "dev",
        "academic.train.jsonl": "train",
        "committee.train.jsonl": "train",
    }

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{name}.gz", f"mirror:qmsum/{name}.gz") for name in self.parts]


def _name(answer: str) -> str:
    """An answer's name here: a hash of its words."""
    return digest("qmsum", " ".join(answer.split()), size=6).hex()


def _queries(meeting: _Meeting) -> Iterator[tuple[_Meeting, int, dict[str, Any], bool]]:
    """Its queries, numbered from 1, and whether they say where they are answered."""
    queries = [(query, False) for query in objects(meeting.record, "general_query_list", meeting.where)]
    queries += [(query, True) for query in objects(meeting.record, "specific_query_list", meeting.where)]
    yield from ((meeting, number, query, placed) for number, (query, placed) in enumerate(queries, 1))


def _asked(found: tuple[_Meeting, int, dict[str, Any], bool]) -> DocumentQuestion:
    meeting, number, query, placed = found
    doc_id, where = text_id(_joined(meeting.turns)), f"{meeting.where}, query {number}"
    return DocumentQuestion(
        f"{doc_id}-{number:02d}",
        doc_id,
        meeting.part,
        "summary",
        text(query, "query", where),
        references=(text(query, "answer", where),),
        evidence=_evidence(query, meeting.turns, where) if placed else (),
    )


def _turns(record: dict[str, Any], where: str) -> list[str]:
    """Every turn on one line, empty where nothing was said.

    Raises:
        OddRecordError: nobody says anything.
        SourceError: another shape.
    """
    found = []
    for number, turn in enumerate(objects(record, "meeting_transcripts", where)):
        at = f"{where}, turn {number}"
        words = without_noises(text_of(value_of(turn, "content", at), "content", at))
        found.append(f"{' '.join(text(turn, 'speaker', at).split())}: {words}" if words else "")
    if not any(found):
        raise OddRecordError("nobody says anything", where=where, fix=_AGAIN)
    return found


def _joined(turns: list[str]) -> str:
    return "\n\n".join(filter(None, turns))


def _united(first: DocumentQuestion, again: DocumentQuestion) -> DocumentQuestion:
    """What is asked of a meeting twice in the same words, about two passages of it: one question with both answers."""
    evidence = first.evidence + again.evidence if first.evidence and again.evidence else ()
    return replace(first, references=first.references + again.references, evidence=evidence)


def _evidence(query: dict[str, Any], turns: list[str], where: str) -> tuple[str, ...]:
    """The spans of a query, first and last turn included; nothing where they are more than 60 turns together.

    Raises:
        SourceError: a span of another shape, or beyond the meeting.
    """
    spans = value_of(query, "relevant_text_span", where)
    if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) == 2 for span in spans):
        raise SourceError("'relevant_text_span' holds no pairs of turns", where=where, fix=_AGAIN)
    pairs = [tuple(whole_number(end, "relevant_text_span", where) for end in span) for span in spans]
    for first, last in pairs:
        if not first <= last < len(turns):
            problem = f"turns {first} to {last} are not in a meeting of {len(turns)}"
            raise SourceError(problem, where=where, fix=_AGAIN)
    if sum(last - first + 1 for first, last in pairs) > _MOST_TURNS:
        return ()
    found = (_joined(turns[first : last + 1]) for first, last in sorted(set(pairs)))
    return tuple(filter(None, found))
