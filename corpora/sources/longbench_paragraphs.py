"""LongBench's numbered paragraphs: what its sets passage_retrieval_en and passage_count, and passage_retrieval_zh, are made of.

Kinds `longbench_paragraphs`, `longbench_paragraphs_mirror`, and those with `_zh` for the Chinese set: the same files as `longbench`, apart because a source of passages
cannot be one of articles. A passage is a distinct paragraph of either set; a question is the summary of one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import arranged, text_id
from corpora.sources.formats.fields import id_of, text, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.longbench_items import items, keep_files, longbench_info, numbered
from corpora.sources.question_source import QuestionSource
from corpora.sources.transport.staging import checking
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Passage, Question, Split

_PASSAGES = "passages.jsonl"
_RETRIEVAL, _COUNT = "passage_retrieval_en", "passage_count"
_RETRIEVAL_ZH = "passage_retrieval_zh"
_ANSWER = re.compile(r"(?:Paragraph |段落)(\d{1,6})")
_LOST = re.compile(r"\?#\d{3,5};")  # an entity of a web page that took a byte of the character before it: both are lost
_GOLD = 3  # the grade of the paragraph that was summarised


class _Paragraphs(QuestionSource):
    """What both kinds share."""

    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = (_RETRIEVAL,)
    keys: ClassVar[tuple[str, ...]] = (_RETRIEVAL, _COUNT)
    header: ClassVar[str] = "Paragraph {}: "

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            keep_files(stage, list(self.keys))
            arranged(stage / _PASSAGES, self._distinct(stage))
        return got

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_PASSAGES])

    def passages(self, raw: Path, batch: Batch) -> Iterator[Passage]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece):
                where = f"{_PASSAGES}:{number}"
                found = text(record, "text", where)
                yield Passage(text_id(found), "", "", "", found)

    def load(self, raw: Path, name: str, part: Split) -> Iterator[Question]:
        for where, record in items(raw, name) if part == "test" else ():
            listed, named = self._paragraphs(record, where), _named(record, where)
            if not 0 < named <= len(listed):
                raise SourceError(f"there is no paragraph {named}", where=where, fix="mend that record")
            if _LOST.search(listed[named - 1]):
                continue
            evidence = Evidence(passage_id=text_id(listed[named - 1]), grade=_GOLD)
            key = id_of(value_of(record, "_id", where), "_id", where)
            yield Question(key, part, text(record, "input", where), "search", evidence=(evidence,))

    def _paragraphs(self, record: dict[str, Any], where: str) -> list[str]:
        found = numbered(text(record, "context", where), self.header, where)
        if not all(found):
            raise SourceError("a paragraph is empty", where=where, fix="mend that record")
        return found

    def _distinct(self, raw: Path) -> Iterator[dict[str, object]]:
        """Every paragraph once, known by its words with white space folded; none with lost characters."""
        seen: set[str] = set()
        for key in self.keys:
            for where, record in items(raw, key):
                for paragraph in self._paragraphs(record, where):
                    if (name := text_id(paragraph)) not in seen and not _LOST.search(paragraph):
                        seen.add(name)
                        yield {"text": paragraph}


class LongBenchParagraphs(_Paragraphs, OnHub):
    """Options of kind `longbench_paragraphs`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_paragraphs"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench: paragraphs of its synthetic sets, as released",
        ("passages", "questions"),
        114_000_000,
        10_000,
        "the same archive as longbench; number of passages is an estimate",
    )
    repo: ClassVar[str] = "zai-org/LongBench"
    names: ClassVar[tuple[str, ...]] = ("data.zip",)


class LongBenchParagraphsMirror(_Paragraphs):
    """Kind `longbench_paragraphs_mirror`; no options."""

    kind: ClassVar[str] = "longbench_paragraphs_mirror"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench (mirror copy: paragraphs of 19 items of its synthetic sets)",
        ("passages", "questions"),
        400_523,
        512,
        "15 items of passage_retrieval_en, 4 of passage_count",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{key}.jsonl.gz", f"mirror:longbench/mini/{key}.jsonl.gz") for key in self.keys]


class _ParagraphsZh(_Paragraphs):
    """The Chinese set, all of whose paragraphs are Chinese."""

    sets: ClassVar[tuple[str, ...]] = (_RETRIEVAL_ZH,)
    keys: ClassVar[tuple[str, ...]] = (_RETRIEVAL_ZH,)
    header: ClassVar[str] = "段落{}："


class LongBenchParagraphsZh(_ParagraphsZh, OnHub):
    """Options of kind `longbench_paragraphs_zh`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_paragraphs_zh"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench: paragraphs of passage_retrieval_zh, as released",
        ("passages", "questions"),
        114_000_000,
        1_894,
        "the same archive as longbench",
        language="zh",
    )
    repo: ClassVar[str] = "zai-org/LongBench"
    names: ClassVar[tuple[str, ...]] = ("data.zip",)


class LongBenchParagraphsZhMirror(_ParagraphsZh):
    """Kind `longbench_paragraphs_zh_mirror`; no options."""

    kind: ClassVar[str] = "longbench_paragraphs_zh_mirror"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench (mirror copy: passage_retrieval_zh, complete)",
        ("passages", "questions"),
        1_800_887,
        1_886,
        "199 items of 30 paragraphs; 1,886 of these differ",
        language="zh",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        return [RawFile(f"{key}.jsonl.gz", f"mirror:longbench/original/{key}.jsonl.gz") for key in self.keys]


def _named(record: dict[str, Any], where: str) -> int:
    """The paragraph that the answer names."""
    given = texts(record, "answers", where)
    match = _ANSWER.fullmatch(given[0].strip()) if len(given) == 1 else None
    if not match:
        raise SourceError(f"the answer is {given!r:.60}, not ['Paragraph 7']", where=where, fix="mend that record")
    return int(match[1])
