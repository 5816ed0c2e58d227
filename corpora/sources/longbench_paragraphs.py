"""LongBench's numbered paragraphs: the sets passage_retrieval_en, passage_count and passage_retrieval_zh.

Kinds `longbench_paragraphs` and `longbench_paragraphs_mirror`, and `..._zh` for the Chinese set: the same files as `longbench`, in kinds of
their own because a source has passages or articles. A passage is a distinct paragraph; a question is the summary of one paragraph. Left out and counted:
paragraphs with lost characters, and Chinese paragraphs that are no prose (formats/web_pages.py), with their questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import Mirrored
from corpora.sources.document_source import DistinctPassages, record_id, text_id
from corpora.sources.formats.fields import text, texts
from corpora.sources.formats.web_pages import no_prose
from corpora.sources.longbench_items import InArchive, items, numbered
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split

_ANSWER = re.compile(r"(?:Paragraph |段落)(\d{1,6})")
_LOST = re.compile(r"\?#\d{3,5};")  # an HTML entity that replaced a byte of the character before it: both are lost
_GOLD = 3  # grade of the summarized paragraph
_FIX = "correct that record"


class _Paragraphs(DistinctPassages):
    version = 2
    sets: ClassVar[tuple[str, ...]] = ("passage_retrieval_en",)
    keys: ClassVar[tuple[str, ...]] = ("passage_retrieval_en", "passage_count")
    header: ClassVar[str] = "Paragraph {}: "

    def fault(self, paragraph: str) -> str:
        return "texts with lost characters" if _LOST.search(paragraph) else ""

    def passage_texts(self, raw: Path) -> Iterator[str]:
        for key in self.keys:
            for where, record in items(raw, key):
                yield from self._paragraphs(record, where)

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        left_out = Counter[str]()
        for where, record in items(raw, name) if split == "test" else ():
            listed, gold = self._paragraphs(record, where), _gold(record, where)
            if not 0 < gold <= len(listed):
                raise SourceError(f"there is no paragraph {gold}", where=where, fix=_FIX)
            if why := self.fault(listed[gold - 1]):
                left_out[f"{name} ({why})"] += 1
            else:
                evidence = (Evidence(passage_id=text_id(listed[gold - 1]), grade=_GOLD),)
                key = record_id(record, "_id", where)
                yield Question(key, split, text(record, "input", where), "search", evidence=evidence)
        self._odd.update(left_out)

    def _paragraphs(self, record: dict[str, Any], where: str) -> list[str]:
        found = numbered(text(record, "context", where), self.header, where)
        if not all(found):
            raise SourceError("a paragraph is empty", where=where, fix=_FIX)
        return found


class _ParagraphsZh(_Paragraphs):
    version = 3
    sets: ClassVar[tuple[str, ...]] = ("passage_retrieval_zh",)
    keys: ClassVar[tuple[str, ...]] = ("passage_retrieval_zh",)
    header = "段落{}："

    def fault(self, paragraph: str) -> str:
        return super().fault(paragraph) or no_prose(paragraph)


class LongBenchParagraphs(InArchive, _Paragraphs):
    """Options of kind `longbench_paragraphs`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_paragraphs"


class LongBenchParagraphsMirror(Mirrored, _Paragraphs):
    """Kind `longbench_paragraphs_mirror`; no options."""

    kind: ClassVar[str] = "longbench_paragraphs_mirror"


class LongBenchParagraphsZh(InArchive, _ParagraphsZh):
    """Options of kind `longbench_paragraphs_zh`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_paragraphs_zh"


class LongBenchParagraphsZhMirror(Mirrored, _ParagraphsZh):
    """Kind `longbench_paragraphs_zh_mirror`; no options."""

    kind: ClassVar[str] = "longbench_paragraphs_zh_mirror"


def _gold(record: dict[str, Any], where: str) -> int:
    """The number of the paragraph in the answer."""
    given = texts(record, "answers", where)
    match = _ANSWER.fullmatch(given[0].strip()) if len(given) == 1 else None
    if not match:
        raise SourceError(f"the answer is {given!r:.60}, not ['Paragraph 7']", where=where, fix=_FIX)
    return int(match[1])
