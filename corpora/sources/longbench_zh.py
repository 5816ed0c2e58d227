"""LongBench's Chinese sets with one document: multifieldqa_zh (a question) and vcsum (a summary of a meeting), as released.

Kinds: `longbench_zh` (the archive on the Hub) and `longbench_zh_mirror` (all of multifieldqa_zh, six items of vcsum). A document is a
distinct context; each of its lines is a paragraph, or a turn in vcsum.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from corpora.sources.addressed import Mirrored
from corpora.sources.bare_answers import bare
from corpora.sources.document_source import described, known_faults
from corpora.sources.formats.text_cleanup import unspaced
from corpora.sources.longbench_items import InArchive, ItemDocuments, parted
from haymaker.core.rows.source_records import DocumentQuestion

_JUDGEMENTS = frozenset("是 是的 不是 否 有 没有 能 不能 可以 不可以 会 不会".split())  # many ways to say yes or no
_ASKS_WHETHER = re.compile(r"是否|吗[？?]?$")
_SHORT = {"25256db5": "庾亮", "e2a95333": "湖南省"}  # beginning of a question's id -> a short form that no rule finds
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


class _LongBenchZh(ItemDocuments):
    version = 6
    titles: ClassVar = {"multifieldqa_zh": "文本", "vcsum": "会议"}
    summaries = ("vcsum",)
    sets = ("multifieldqa_zh", "vcsum")

    def cleaned(self, name: str, context: str, where: str) -> str:
        r"""A context that was written as a Python literal ('...', \uf06e) as text, without letter-spacing."""
        if context[:1] == context[-1:] == "'":
            context = context[1:-1]
        return parted(unspaced(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), context).replace("\r", "\n")))

    def short_forms(self, key: str, question: str, given: Sequence[str]) -> Iterable[str]:
        return [_SHORT[key[:8]]] if key[:8] in _SHORT else [bare(question, each) for each in given]

    def rejection_reason(self, name: str, item: DocumentQuestion, whole: str) -> str:
        judged = item.answers and all(each.strip("。 ") in _JUDGEMENTS for each in item.answers)
        if judged or _ASKS_WHETHER.search(item.text):
            return "answer yes or no"
        ids = {item.question_id[:8], item.doc_id[:8]}
        return "answer known to be wrong" if ids & known_faults("longbench_zh").keys() else ""


class LongBenchZh(InArchive, _LongBenchZh):
    """Options of kind `longbench_zh`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_zh"
    info = described("longbench_zh")
    keys = _LongBenchZh.sets


class LongBenchZhMirror(Mirrored, _LongBenchZh):
    """Kind `longbench_zh_mirror`; no options."""

    kind: ClassVar[str] = "longbench_zh_mirror"
    info = described("longbench_zh_mirror")
    mirror_files = ("longbench/original/multifieldqa_zh.jsonl.gz", "longbench/mini/vcsum.jsonl.gz")
