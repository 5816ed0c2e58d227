"""Open questions of the mirror: Natural Questions with their gold passage, TriviaQA without (docs/spec/helmet.md 5).

Kinds `nq_mirror` and `triviaqa_mirror`; they stand in for tasks of KILT, without its provenance.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import answers, objects, text, texts
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.tsv import plain_file
from corpora.sources.question_source import Shared
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import filter_aliases, holds, padded

_NQ = "nq-open-oracle.jsonl"
TRIVIA = "topics.dpr.trivia.dev.txt"


class NqMirror(Shared):
    """Options of kind `nq_mirror`: `parts`."""

    kind: ClassVar[str] = "nq_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="Natural Questions (mirror copy: 2,655 questions with their gold passage)",
        homepage="https://github.com/nelson-liu/lost-in-the-middle",
        licence="MIT (carrier); CC BY-SA 3.0 (Natural Questions, Wikipedia)",
        licences=("mit", "cc-by-sa-3.0"),
        roles=("questions",),
        download_bytes=900_334,
        note="questions of NQ-open dev; split here into test and worked examples",
    )
    sets: ClassVar[tuple[str, ...]] = ("nq",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{_NQ}.gz", f"mirror:nq/{_NQ}.gz")]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        for number, record in json_lines(raw, Piece(_NQ, 0, -1)):
            where = f"{_NQ}:{number}"
            question = text(record, "question", where)
            accepted = answers(texts(record, "answers", where), where)
            gold = [item for item in objects(record, "ctxs", where) if item.get("isgold")]
            evidence = tuple(
                Evidence(title=text(item, "title", where).replace("_", " "), text=piece)
                for item in gold
                for piece in pieces_with_answer(text(item, "text", where), accepted)
            )
            if self.part_of(question) == part:
                yield Question(f"{number:05d}", part, question, "single", answers=accepted, evidence=evidence)


class TriviaQaMirror(Shared):
    """Options of kind `triviaqa_mirror`: `parts`."""

    kind: ClassVar[str] = "triviaqa_mirror"
    info: ClassVar[SourceInfo] = SourceInfo(
        title="TriviaQA (mirror copy: 8,837 dev questions of the DPR split)",
        homepage="https://nlp.cs.washington.edu/triviaqa",
        licence="Apache-2.0",
        roles=("questions",),
        download_bytes=1_087_435,
        note="no provenance and no canonical answer: no passage is known to be gold",
    )
    sets: ClassVar[tuple[str, ...]] = ("triviaqa",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{TRIVIA}.gz", f"mirror:triviaqa/{TRIVIA}.gz")]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        for number, (where, (question, listed)) in enumerate(plain_file(raw, TRIVIA, 2), 1):
            if self.part_of(question) == part:  # before answers are read: of each question once for all parts
                accepted = answers(_python_list(listed, where), where)
                yield Question(f"{number:05d}", part, unquoted(question), "trivia", answers=accepted)


def trivia_answers(raw: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Questions, as the file has them, with all their accepted answers.

    Raises:
        SourceError: a line of another shape.
    """
    for where, (question, listed) in plain_file(raw, TRIVIA, 2):
        yield question, answers(_python_list(listed, where), where)


def pieces_with_answer(paragraph: str, accepted: tuple[str, ...]) -> list[str]:
    """The passages of a paragraph that hold an answer; all of them where none does (an answer cut in two, or one character)."""
    pieces, aliases = slice_pieces(paragraph), filter_aliases(accepted)
    return [piece for piece in pieces if holds(padded(piece), aliases)] or pieces


def unquoted(cell: str) -> str:
    """A question or answer without csv quotes; those that hold quotation marks went through csv twice."""
    bare = cell.strip()
    while len(bare) > 1 and bare[0] == bare[-1] == '"' and '"' not in bare[1:-1].replace('""', ""):
        bare = bare[1:-1].replace('""', '"').strip()
    return bare


def _python_list(listed: str, where: str) -> list[str]:
    """A list of texts as Python writes it, inside csv quotes where it holds double quotes."""
    try:
        (cell,) = next(csv.reader([listed], delimiter="\t"))
        found = ast.literal_eval(cell)
    except (ValueError, SyntaxError, csv.Error, RecursionError, MemoryError, StopIteration) as error:
        raise SourceError(f"no list of answers: {error}", where=where, fix="mend that line") from None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise SourceError("no list of texts", where=where, fix="mend that line")
    return found
