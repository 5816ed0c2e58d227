"""MuSiQue: questions composed of two to four hops (Trivedi et al. 2022). Kinds `musique` (the Hub) and `musique_mirror` (100 of train).

The publisher's dev is part test, its test has no answers. Evidence is the paragraph that answers each hop: by title and text in the
mirror, whose slice of Wikipedia holds it, by the article's title in production, where articles come whole from KILT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.batches import Piece
from corpora.sources.formats.fields import answers, id_of, json_array, objects, text, texts, value_of, whole
from corpora.sources.formats.lines import json_lines
from corpora.sources.formats.odd_records import OddRecordError, OddRecords, sound
from corpora.sources.open_qa import pieces_with_answer
from corpora.sources.question_source import QuestionSource, Shared
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import words

_MIRROR_FILE = "musique_train_100.json"
_TORN = re.compile(r"(?<=\w) - (?=\w)")  # "his then - girlfriend": joined it is accepted too, as readers write it
_FILES: dict[Split, str] = {"test": "musique_ans_v1.0_dev.jsonl", "train": "musique_ans_v1.0_train.jsonl"}


def _info(title: str, size: int, note: str) -> SourceInfo:
    return SourceInfo(
        title=title,
        homepage="https://github.com/StonyBrookNLP/musique",
        licence="CC BY 4.0",
        roles=("questions",),
        download_bytes=size,
        note=note,
    )


class MusiqueMirror(Shared):
    """Options of kind `musique_mirror`: `parts`."""

    kind: ClassVar[str] = "musique_mirror"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = _info(
        "MuSiQue (mirror copy: 100 questions of train)", 1_179_088, "questions of train, split here by their words"
    )
    sets: ClassVar[tuple[str, ...]] = ("musique",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(_MIRROR_FILE, f"mirror:multihop/{_MIRROR_FILE}")]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        for where, record in json_array(raw / _MIRROR_FILE):
            if self.part_of(text(record, "question", where)) == part:
                yield musique_question(record, part, where, whole_text=True)


class Musique(QuestionSource, OnHub):
    """Options of kind `musique`.

    Attributes:
        parts: test (dev of the publisher), train (241 MB).
        revision, url: as of every source on the Hub.
    """

    kind: ClassVar[str] = "musique"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = _info(
        "MuSiQue (answerable)",
        30_000_000,
        "2,417 questions of dev as part test, 19,938 of train; the size is an estimate",
    )
    repo: ClassVar[str] = "dgslibisey/MuSiQue"
    names: ClassVar[tuple[str, ...]] = tuple(_FILES.values())
    sets: ClassVar[tuple[str, ...]] = ("musique",)
    parts: Annotated[tuple[Literal["test", "train"], ...], Field(min_length=1)] = ("test",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        wanted = {_FILES[part] for part in self.parts}
        return [file for file in super().raw_files(context) if file.path in wanted]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        lines = json_lines(raw, Piece(_FILES[part], 0, -1)) if part in self.parts else ()
        file, odd = _FILES.get(part, ""), OddRecords(name)
        yield from sound(
            odd, lines, lambda line: musique_question(line[1], part, f"{file}:{line[0]}", whole_text=False)
        )
        self.left_out_of(f"{name} {part}", odd)


def musique_question(record: dict[str, Any], part: Split, where: str, *, whole_text: bool) -> Question:
    """A record of MuSiQue.

    Args:
        record: id, question, answer, answer_aliases, question_decomposition, paragraphs (title, paragraph_text).
        part: of the question.
        where: for errors.
        whole_text: evidence is a passage of the slice for each hop; else the titles alone.

    Raises:
        SourceError: another shape, or no hop.
    """
    listed = [text(record, "answer", where), *texts(record, "answer_aliases", where)]
    given = answers([*listed, *(_TORN.sub("-", each) for each in listed)], where)
    key, paragraphs = id_of(value_of(record, "id", where), "id", where), objects(record, "paragraphs", where)
    hops = objects(record, "question_decomposition", where)
    if not hops:
        raise OddRecordError("'question_decomposition' is empty", where=where, fix="fetch the source again")
    found = tuple(dict.fromkeys(_evidence(hop, paragraphs, where, whole_text=whole_text) for hop in hops))
    every = dict.fromkeys(
        each for paragraph in paragraphs for each in _passages(paragraph, where, whole_text=whole_text)
    )
    shown = tuple(each for each in every if each not in found)
    return Question(key, part, text(record, "question", where), "bridge", answers=given, evidence=found, shown=shown)


def _passages(paragraph: dict[str, Any], where: str, *, whole_text: bool) -> list[Evidence]:
    """What a paragraph is in the corpus: passages of the slice, or an article."""
    title = text(paragraph, "title", where)
    if not whole_text:
        return [Evidence(title=title)]
    return [Evidence(title=title, text=piece) for piece in slice_pieces(text(paragraph, "paragraph_text", where))]


def _evidence(hop: dict[str, Any], paragraphs: list[dict[str, Any]], where: str, *, whole_text: bool) -> Evidence:
    """Where a hop is answered. Of a paragraph that is several passages, the one that holds the hop's answer and, of these, most
    words of its question: MuSiQue marks whole paragraphs.
    """
    at = whole(hop, "paragraph_support_idx", where)
    if at >= len(paragraphs):
        raise SourceError(
            f"a hop is supported by paragraph {at} of {len(paragraphs)}", where=where, fix="mend that record"
        )
    title = text(paragraphs[at], "title", where)
    if not whole_text:
        return Evidence(title=title)
    asked = set(words(text(hop, "question", where)))
    pieces = pieces_with_answer(text(paragraphs[at], "paragraph_text", where), (text(hop, "answer", where),))
    return Evidence(title=title, text=max(pieces, key=lambda piece: len(asked & set(words(piece)))))
