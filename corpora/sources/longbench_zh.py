"""LongBench's Chinese sets on one document: multifieldqa_zh (a question) and vcsum (a summary of a meeting), as released.

Kinds `longbench_zh` (the archive on the Hub) and `longbench_zh_mirror` (all of multifieldqa_zh, six items of vcsum). A document is a
distinct context, known by a hash of its text; each of its lines is a paragraph (in vcsum a turn).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.bare_answers import bare
from corpora.sources.base import Batch, FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import DocumentSource, arranged, arranged_documents, text_id
from corpora.sources.formats.fields import answers, id_of, text, texts, value_of
from corpora.sources.formats.lines import line_batches
from corpora.sources.formats.text_cleanup import unspaced
from corpora.sources.longbench_items import items, keep_files, longbench_info, parted
from corpora.sources.transport.staging import checking
from haymaker.core.rows.source_records import Document, DocumentQuestion

_DOCUMENTS = "documents.jsonl"
_READ, _SUMMED = "multifieldqa_zh", "vcsum"
_TITLES = {_READ: "文本", _SUMMED: "会议"}
_JUDGEMENTS = frozenset(
    {"是", "是的", "不是", "否", "有", "没有", "能", "不能", "可以", "不可以", "会", "不会"}
)  # said in many ways
_ASKS_WHETHER = re.compile(r"是否|吗[？?]?$")
_WRONG = MappingProxyType(  # as they were met by reading
    {
        "38604562": "the number stands nowhere in the text",
        "248582e1": "the name of the country hangs on that of the company",
        "451a5fb3": "the text ends in the second speech, the summary is of all of them",
    }
)  # beginning of a question's id, or of a summed up text's -> what is wrong with the answer
_SHORT = MappingProxyType(
    {"25256db5": "庾亮", "e2a95333": "湖南省"}
)  # beginning of a question's id -> what no rule finds
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_ROLES = ("documents", "document_questions")


class _LongBenchZh(DocumentSource):
    """What both kinds share."""

    version: ClassVar[int] = 6
    sets: ClassVar[tuple[str, ...]] = (_READ, _SUMMED)

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        with checking(stage, context):
            keep_files(stage, list(self.sets))
            arranged(stage / _DOCUMENTS, _distinct(stage))
        return got

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_DOCUMENTS])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return arranged_documents(raw, batch, _DOCUMENTS)

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        left_out = Counter[str]()
        for where, record in items(raw, name):
            key, doc_id = id_of(value_of(record, "_id", where), "_id", where), _doc_id(record, where)
            given = answers(texts(record, "answers", where), where)
            question = "" if name == _SUMMED else text(record, "input", where)
            if why := _unfit(key, doc_id, question, given):
                left_out[f"{name} ({why})"] += 1
            elif question:
                short = [_SHORT[key[:8]]] if key[:8] in _SHORT else [bare(question, each) for each in given]
                accepted = answers([*given, *filter(None, short)], where)
                yield DocumentQuestion(key, doc_id, "test", "qa", question, answers=accepted)
            else:
                yield DocumentQuestion(key, doc_id, "test", "summary", "", references=given)
        self._odd.update(left_out)


class LongBenchZh(_LongBenchZh, OnHub):
    """Options of kind `longbench_zh`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_zh"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench: the Chinese sets on one document, as released",
        _ROLES,
        114_000_000,
        0,
        "one archive; the files of other sets are removed after unpacking",
        language="zh",
    )
    repo: ClassVar[str] = "zai-org/LongBench"
    names: ClassVar[tuple[str, ...]] = ("data.zip",)


class LongBenchZhMirror(_LongBenchZh):
    """Kind `longbench_zh_mirror`; no options."""

    kind: ClassVar[str] = "longbench_zh_mirror"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench (mirror copy: multifieldqa_zh complete, six items of vcsum)",
        _ROLES,
        1_448_919,
        0,
        "200 questions on 141 texts, 6 meetings; ids of vcsum are the mirror's own",
        language="zh",
    )

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        folders = {_READ: "original", _SUMMED: "mini"}
        return [RawFile(f"{key}.jsonl.gz", f"mirror:longbench/{folders[key]}/{key}.jsonl.gz") for key in self.sets]


def _unfit(key: str, doc_id: str, question: str, given: Sequence[str]) -> str:
    """Why a question is not asked, or a text not summed up (no question); empty when it is."""
    if _ASKS_WHETHER.search(question.strip()) or all(each.strip("。 ") in _JUDGEMENTS for each in given):
        return "answer yes or no"
    return "answer known to be wrong" if {key[:8], doc_id[:8]} & _WRONG.keys() else ""


def _doc_id(record: dict[str, Any], where: str) -> str:
    return text_id(text(record, "context", where))


def _plain(context: str) -> str:
    r"""A context that was written as a Python literal ('...', \uf06e) as the text that it is, without letter-spacing."""
    if context[:1] == context[-1:] == "'":
        context = context[1:-1]
    return unspaced(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), context).replace("\r", "\n"))


def _distinct(raw: Path) -> Iterator[dict[str, object]]:
    """Every document once, with a title that prompts name it by."""
    seen: set[str] = set()
    for name, title in _TITLES.items():
        for where, record in items(raw, name):
            if (doc_id := _doc_id(record, where)) not in seen:
                seen.add(doc_id)
                whole = parted(_plain(text(record, "context", where)))
                yield {"id": doc_id, "part": "test", "title": f"{title} {len(seen)}", "text": whole}
