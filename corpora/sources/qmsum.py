"""QMSum: meetings with queries to be answered by a summary (Zhong et al. 2021).

Kinds: `qmsum` (the publisher's files, locked at the first download) and `qmsum_mirror` (its test and validation files, and train files of
two of the three fields). A document is a meeting, one turn per paragraph: "Speaker: words", with a blank line between turns. Turns without
words are left out, and marks of sounds and pauses ("{vocalsound}") are removed. The evidence of a query is the spans of turns that the
source lists for it, one text per span.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from corpora.sources.addressed import Addressed, Mirrored
from corpora.sources.document_source import AGAIN, ArrangedDocuments, known_faults, text_id
from corpora.sources.formats.fields import objects, text, text_of, value_of, whole_number
from corpora.sources.formats.lines import json_file
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.formats.text_cleanup import without_noises
from haymaker.core.errors import SourceError
from haymaker.core.rng import digest
from haymaker.core.rows.source_records import DocumentQuestion, Split
from haymaker.core.text.strings import padded

_SPLITS: dict[str, Split] = {"test": "test", "val": "dev", "train": "train"}  # of files
_MOST_TURNS = 60  # of evidence: more turns do not point at any place


class _Meeting(NamedTuple):
    """A record with its split, place and turns, one line per turn."""

    split: Split
    where: str
    record: dict[str, Any]
    turns: list[str]


class _QmSum(ArrangedDocuments):
    version = 4
    data: ClassVar[tuple[str, ...]] = ("test.jsonl", "val.jsonl", "train.jsonl")

    def document_records(self, raw: Path, left_out: Counter[str]) -> Iterator[dict[str, object]]:
        for number, found in enumerate(self._meetings(raw), 1):
            whole = _joined(found.turns)
            yield {"id": text_id(whole), "split": found.split, "title": f"Meeting {number}", "text": whole}

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        asked: dict[tuple[str, str], DocumentQuestion] = {}
        queries = (query for meeting in self._meetings(raw) for query in _queries(meeting))
        for found in self.sound(name, queries, _asked):
            key = found.doc_id, padded(found.text)
            asked[key] = _united(asked[key], found) if key in asked else found
        kept = [each for each in asked.values() if _name(each.references[0]) not in known_faults("qmsum")]
        if left_out := len(asked) - len(kept):
            self._odd[f"{name} (answer known to be wrong)"] = left_out
        yield from kept

    def _meetings(self, raw: Path) -> Iterator[_Meeting]:
        """All meetings with words."""
        records = (
            (_SPLITS[path.split(".")[-2]], where, record)
            for path in self.data
            for where, record in json_file(raw, path)
        )
        return self.sound("meetings", records, lambda each: _Meeting(*each, _turns(each[2], each[1])))


class QmSum(_QmSum, Addressed):
    """Options of kind `qmsum`: `url`."""

    kind: ClassVar[str] = "qmsum"


class QmSumMirror(Mirrored, _QmSum):
    """Kind `qmsum_mirror`; no options."""

    kind: ClassVar[str] = "qmsum_mirror"
    data = ("all.test.jsonl", "all.val.jsonl", "academic.train.jsonl", "committee.train.jsonl")


def _name(answer: str) -> str:
    """A hash of an answer's words."""
    return digest("qmsum", " ".join(answer.split()), size=6).hex()


def _queries(meeting: _Meeting) -> Iterator[tuple[_Meeting, int, dict[str, Any], bool]]:
    """The queries of a meeting, numbered from 1, and whether they list evidence."""
    keys = (("general_query_list", False), ("specific_query_list", True))
    queries = [(query, placed) for key, placed in keys for query in objects(meeting.record, key, meeting.where)]
    yield from ((meeting, number, query, placed) for number, (query, placed) in enumerate(queries, 1))


def _asked(found: tuple[_Meeting, int, dict[str, Any], bool]) -> DocumentQuestion:
    meeting, number, query, placed = found
    key, where = text_id(_joined(meeting.turns)), f"{meeting.where}, query {number}"
    asked, answer = text(query, "query", where), text(query, "answer", where)
    evidence = _evidence(query, meeting.turns, where) if placed else ()
    given = f"{key}-{number:02d}", key, meeting.split
    return DocumentQuestion(*given, "summary", asked, references=(answer,), evidence=evidence)


def _turns(record: dict[str, Any], where: str) -> list[str]:
    """Every turn on one line; empty for a turn without words."""
    found = []
    for number, turn in enumerate(objects(record, "meeting_transcripts", where)):
        at = f"{where}, turn {number}"
        words = without_noises(text_of(value_of(turn, "content", at), "content", at))
        found.append(f"{' '.join(text(turn, 'speaker', at).split())}: {words}" if words else "")
    if not any(found):
        raise OddRecordError("all turns contain only sounds", where=where, fix=AGAIN)
    return found


def _joined(turns: list[str]) -> str:
    return "\n\n".join(filter(None, turns))


def _united(first: DocumentQuestion, again: DocumentQuestion) -> DocumentQuestion:
    """One question with both answers, for the same words asked twice about two passages of a meeting."""
    evidence = first.evidence + again.evidence if first.evidence and again.evidence else ()
    return replace(first, references=first.references + again.references, evidence=evidence)


def _evidence(query: dict[str, Any], turns: list[str], where: str) -> tuple[str, ...]:
    """The spans of a query, from first to last turn; none if they have more than 60 turns together."""
    spans = value_of(query, "relevant_text_span", where)
    if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) == 2 for span in spans):
        raise SourceError("'relevant_text_span' is not a list of pairs of turns", where=where, fix=AGAIN)
    pairs = [tuple(whole_number(end, "relevant_text_span", where) for end in span) for span in spans]
    for first, last in pairs:
        if not first <= last < len(turns):
            problem = f"turns {first} to {last} are not in a meeting of {len(turns)}"
            raise SourceError(problem, where=where, fix=AGAIN)
    if sum(last - first + 1 for first, last in pairs) > _MOST_TURNS:
        return ()
    found = (_joined(turns[first : last + 1]) for first, last in sorted(set(pairs)))
    return tuple(filter(None, found))
