"""HotpotQA: questions that need two paragraphs (Yang et al. 2018; docs/spec/helmet.md 5.3). Kind `hotpotqa_mirror`.

Two files of 100 records: dev in the Hub's columns (part test), train in the form of the original release (part train). The
mirror's third file, 300 dev questions with their paragraphs joined to one text, does not say which paragraphs support the
answer and is not used.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.base import FetchContext, RawFile, SourceInfo
from corpora.sources.formats.fields import answers, json_array, text, text_of, texts, value_of, whole_number
from corpora.sources.question_source import QuestionSource
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_FILES: dict[Split, str] = {"test": "hotpot_dev_distractor_first100.json", "train": "hotpotqa_train_100.json"}


class HotpotQaMirror(QuestionSource):
    """Kind `hotpotqa_mirror`; no options."""

    kind: ClassVar[str] = "hotpotqa_mirror"
    version: ClassVar[int] = 2
    info: ClassVar[SourceInfo] = SourceInfo(
        title="HotpotQA (mirror copy: 100 dev and 100 train questions)",
        homepage="https://hotpotqa.github.io",
        licence="CC BY-SA 4.0",
        roles=("questions",),
        download_bytes=1_535_606,
        note="dev is part test; evidence is the passages that hold the supporting sentences",
    )
    sets: ClassVar[tuple[str, ...]] = ("hotpotqa",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(name, f"mirror:hotpotqa/{name}") for name in _FILES.values()]

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        file = _FILES.get(part)
        for number, (where, record) in enumerate(json_array(raw / file) if file else [], 1):
            kind = text(record, "type", where)
            if kind not in ("bridge", "comparison"):
                raise SourceError(f"'type' is {kind!r}, not bridge or comparison", where=where)
            evidence = tuple(dict.fromkeys(_evidence(record, where)))
            yield Question(
                f"{part}-{number:05d}",
                part,
                text(record, "question", where),
                kind,
                answers=answers([text(record, "answer", where)], where),
                evidence=evidence,
                shown=tuple(each for each in dict.fromkeys(_pieces(record, where)) if each not in evidence),
            )


def _context(record: dict[str, Any], where: str) -> dict[str, list[str]]:
    """Title -> sentences of every paragraph, in the order of the record."""
    found = _pairs(record, "context", ("title", "sentences"), where)
    return {text_of(title, "title", where): texts({title: listed}, title, where) for title, listed in found}


def _pieces(record: dict[str, Any], where: str) -> Iterator[Evidence]:
    """Every passage of every paragraph, in the order of the record."""
    for title, sentences in _context(record, where).items():
        for piece in slice_pieces("".join(sentences)):
            yield Evidence(title=html.unescape(title), text=piece)


def _evidence(record: dict[str, Any], where: str) -> Iterator[Evidence]:
    """The passages that hold the supporting sentences, in the order of the record."""
    context = _context(record, where)
    for title, number in _pairs(record, "supporting_facts", ("title", "sent_id"), where):
        sentences, at = context.get(text_of(title, "title", where), []), whole_number(number, "sentence number", where)
        if at >= len(sentences):
            raise SourceError(f"no sentence {at} in a paragraph {title!r:.60}", where=where, fix="mend that record")
        first, last = len("".join(sentences[:at]).split()), len("".join(sentences[: at + 1]).split())
        end = 0
        for piece in slice_pieces("".join(sentences)):
            start, end = end, end + len(piece.split())
            if start < last and end > first:
                yield Evidence(title=html.unescape(title), text=piece)


def _pairs(record: dict[str, Any], key: str, columns: tuple[str, str], where: str) -> list[tuple[Any, Any]]:
    """Pairs of a list of pairs (original release) or of two lists of equal length (the Hub)."""
    found = value_of(record, key, where)
    if isinstance(found, dict):
        left, right = (value_of(found, column, where) for column in columns)
        lists = isinstance(left, list) and isinstance(right, list) and len(left) == len(right)
        found = list(zip(left, right, strict=True)) if lists else None
    if not isinstance(found, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in found):
        raise SourceError(f"{key!r} holds no pairs", where=where, fix="mend that record")
    return [(left, right) for left, right in found]
