"""Records of LooGLE's files, in both forms that it was released in (docs/spec/marathon.md 2).

First form: a document a line (`input`, `title`), its questions in `qa_pairs`, a list as Python writes it. Later form: a question a line
(`context`, `title`, `question`, `answer`, `evidence`), which repeats its document.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.sources.base import Piece
from corpora.sources.document_source import text_id
from corpora.sources.formats.fields import text, text_of, texts, value_of
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.text_cleanup import unglued, without_wiki_marks
from corpora.sources.loogle_papers import abstract, paper
from haymaker.core.errors import SourceError

AGAIN = "fetch the source again, or mend that record"
_LATER_KEYS = {"Q": "question", "A": "answer", "S": "evidence", "type": "type"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a file has it.

    Attributes:
        where: file, line and pair, for error lines.
        question, answer: not blank.
        sort: its `type`, None where the file has none.
        evidence: pieces of text that are said to stand in the document.
    """

    where: str
    question: str
    answer: str
    sort: str | None
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: a document and what is asked of it there."""

    doc_id: str
    title: str
    text: str
    asked: tuple[Asked, ...]


def lines(
    raw: Path, piece: Piece, *, questions: bool, papers: bool = False, odd: OddRecords | None = None
) -> Iterator[Line]:
    """The lines of a piece of a file, in order.

    Args:
        raw: folder of the source.
        piece: of a file in either form.
        questions: whether its questions are read; those of the cloze file are none that can be read.
        papers: whether its documents are papers with their abstracts.
        odd: counts documents and questions that are blank; nobody judges here how many they are.

    Raises:
        SourceError: a record of another shape; names file, line and pair.
    """
    seen = odd or OddRecords(piece.path)

    def read(numbered: tuple[int, dict[str, Any]]) -> Line:
        number, record = numbered
        where = f"{piece.path}:{number}"
        title, whole = text(record, "title", where), text(record, text_key(record), where)
        asked = sound(seen, _asked(record, where), _one) if questions else ()
        shown = paper(whole, summary_of(record, where)) if papers else whole
        return Line(text_id(whole), title, parted(shown), tuple(asked))

    return sound(seen, json_lines(raw, piece), read)


def text_key(record: dict[str, Any]) -> str:
    """The key under which a record has its document."""
    return "context" if "context" in record and "input" not in record else "input"


def summary_of(record: dict[str, Any], where: str) -> str:
    """The abstract of a paper; the later form has it under `answer`."""
    return abstract(text(record, "answer" if "answer" in record else "output", where))


def pairs(record: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """Questions of a document in the first form: a list of objects as Python writes it.

    Raises:
        SourceError: it is anything else.
    """
    try:
        found = ast.literal_eval(text(record, "qa_pairs", where))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise SourceError(f"'qa_pairs' is no list as Python writes it: {error}", where=where, fix=AGAIN) from None
    if not isinstance(found, list) or not all(isinstance(pair, dict) for pair in found):
        raise SourceError("'qa_pairs' holds other things than objects", where=where, fix=AGAIN)
    return found


def parted(text: str) -> str:
    """An article without marks of its wiki, a blank line wherever a paragraph ended; papers and scripts, which have line breaks, as they are."""
    return text if "\n" in text else unglued(without_wiki_marks(text), "\n\n")


def folded(text: str) -> str:
    """With single spaces for white space."""
    return " ".join(text.split())


def _asked(record: dict[str, Any], where: str) -> list[tuple[str, dict[str, Any]]]:
    """Place and fields of each question of a record."""
    if "qa_pairs" in record or "question" not in record:
        return [(f"{where}, pair {count}", pair) for count, pair in enumerate(pairs(record, where), 1)]
    return [(where, {old: record[new] for old, new in _LATER_KEYS.items() if new in record})]


def _one(placed: tuple[str, dict[str, Any]]) -> Asked:
    place, pair = placed
    sort = text_of(pair["type"], "type", place).strip() if "type" in pair else None
    evidence = value_of(pair, "S", place)
    pieces = [text_of(evidence, "S", place)] if isinstance(evidence, str) else texts(pair, "S", place)
    return Asked(place, text(pair, "Q", place), text(pair, "A", place), sort, tuple(filter(str.strip, pieces)))
