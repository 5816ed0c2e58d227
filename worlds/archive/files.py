"""The archive as files: one text a document in the folders of PG-19, titles in metadata.csv, asks one a line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import link_or_copy, write_text
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import DocumentQuestion, KeyPoint, Split

from .model import Form, Work
from .questions import questions

QUESTIONS = "questions.jsonl"
TITLES = "metadata.csv"
_FIRST: dict[Split, int] = {"test": 0, "dev": 1_000_000, "train": 2_000_000}
_FOLDER: dict[Split, str] = {"test": "test", "dev": "validation", "train": "train"}
_SINGULAR: dict[Form, str] = {"stories": "story", "chronicles": "chronicle"}


def write_document(seed: int, form: Form, index: int, words: int) -> Work:
    """The index-th document of a form, a pure function of its arguments.

    Args:
        seed: names the collection.
        form: which.
        index: position, from 0; parts have ranges of their own.
        words: wished length, white-space separated; kept within 5 %.
    """
    from .chronicles import write_chronicle
    from .stories import write_story

    writers: dict[Form, Callable[[int, int, int], Work]] = {"stories": write_story, "chronicles": write_chronicle}
    return writers[form](seed, index, words)


def numbered(documents: Mapping[Split, int]) -> Iterator[tuple[Split, int]]:
    """Split and index of every document; a document's index does not depend on how many there are."""
    for split, first in _FIRST.items():
        yield from ((split, index) for index in range(first, first + documents.get(split, 0)))


def document_id(form: Form, index: int) -> str:
    """Id of a document: "story-000012"."""
    return f"{_SINGULAR[form]}-{index:06d}"


def write_one(folder: Path, seed: int, form: Form, split: Split, index: int, words: int) -> None:
    """Write a document, the line of its title and its questions to separate files: a part of an archive."""
    doc_id, row = document_id(form, index), io.StringIO(newline="")
    work = write_document(seed, form, index, words)
    write_text(folder / f"{doc_id}.txt", work.text + "\n")
    csv.writer(row, lineterminator="\n").writerow((doc_id, work.title, "", ""))
    write_text(folder / TITLES, row.getvalue())
    made = questions(work, doc_id, split, Stream(seed, "archive", form, index, "asks"))
    write_text(folder / QUESTIONS, "".join(json.dumps(_plain(each), ensure_ascii=False) + "\n" for each in made))


def join(folder: Path, parts: Iterable[tuple[Split, Path]], names: Iterable[str] = (TITLES, QUESTIONS)) -> None:
    """Join an archive: documents in the folders of PG-19, and the files of `names` each in one file.

    `parts` are the split and the folder of `write_one` of each document, in order.
    """
    parts = list(parts)
    for name in names:
        write_text(folder / name, "".join((place / name).read_text("utf-8") for _, place in parts))
    for split, place in parts:
        for path in place.glob("*.txt"):
            link_or_copy(path, folder / _FOLDER[split] / path.name)


def _plain(question: DocumentQuestion) -> dict[str, Any]:
    return {key: value for key, value in asdict(question).items() if value not in ((), "")} | {"text": question.text}


def read_questions(records: Iterable[tuple[int, dict[str, Any]]]) -> list[DocumentQuestion]:
    """All asks of a folder, in file order.

    Args:
        records: line number (from 1) and object of every line of the file QUESTIONS.

    Raises:
        SourceError: damaged; names the line.
    """
    found = []
    for number, record in records:
        try:
            found.append(_question(record))
        except (KeyError, TypeError, ValueError) as error:
            raise SourceError(
                f"not a question: {error!r}", where=f"{QUESTIONS}:{number}", fix="fetch the source again"
            ) from None
    return found


def _question(record: dict[str, Any]) -> DocumentQuestion:
    fields: dict[str, Any] = {
        key: tuple(record.get(key, ())) for key in ("answers", "choices", "evidence", "references", "origins")
    }
    fields["key_points"] = tuple(map(KeyPoint.read, record.get("key_points", ())))
    return DocumentQuestion(**(record | fields))
