"""LongBench's tasks over numbered passages: counting and finding them (docs/spec/longbench.md 2.4)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType

from generators.pages import oracle
from generators.pages.count import PassageCount
from generators.pages.find import FindKind, FindParagraph
from generators.pages.search import SearchPageQA
from generators.spec import TaskSpec
from haymaker.core.rows.row_checks import Check

COUNT_METRICS = ("longbench_count@strict", "longbench_count@official")
RETRIEVAL_METRICS = ("longbench_retr@strict", "longbench_retr@official")
DUREADER_METRICS = ("longbench_rouge_l_zh@strict", "longbench_rouge_l_zh@official", "judge_qa@strict")
_NO_LEAKS = MappingProxyType({
    Check.CLEAN: "every paragraph is a distractor that the answer, a number, cannot stand in"
})  # fmt: skip
_SUMMARIES = MappingProxyType({**_NO_LEAKS, Check.ORACLE: "the summary is in other words than its paragraph"})
_ENDS = "where the passages of a split end, or 32,768 of a larger corpus"
_spec = partial(
    TaskSpec, category="synthetic", max_new_tokens=32, ends=_ENDS, prompts=Path(__file__).with_suffix(".yaml")
)

TASKS: tuple[TaskSpec, ...] = (
    _spec(
        "passage_count", PassageCount, "How many different paragraphs there are among copies", metrics=COUNT_METRICS,
        version=2, wording="count", solver=oracle.count, skips=_NO_LEAKS,
    ),
    _spec(
        "passage_retrieval_en", FindParagraph, "Which paragraph a summary was written from (words that both share find nearly all)",
        metrics=RETRIEVAL_METRICS, version=2, wording="find", kind=FindKind(), imitates="LongBench", skips=_SUMMARIES,
    ),
    _spec(
        "passage_retrieval_zh", FindParagraph, "Which Chinese paragraph a summary was written from (characters that both share find nearly all)",
        metrics=RETRIEVAL_METRICS, version=3, wording="find_zh", kind=FindKind(), imitates="LongBench", language="zh",
        defaults={"set": "passage_retrieval_zh"}, skips=_SUMMARIES,
    ),
    _spec(
        "dureader", SearchPageQA, "DuReader: a question on the pages of a search, among pages of others", category="multi-doc-qa",
        metrics=DUREADER_METRICS, max_new_tokens=128, version=2, wording="search_zh", imitates="DuReader", language="zh",
        skips=MappingProxyType({
            Check.ORACLE: "no exact solver: the answer stands in prose",
            Check.CLEAN: "pages of other searches are on other questions; pages that may answer this one are left out",
        }),
    ),
    _spec(
        "passage_retrieval_extractive", FindParagraph, "Which paragraph a quotation is from (words that both share find all)",
        metrics=RETRIEVAL_METRICS, wording="extract", kind=FindKind(quoted=True), variant="extractive", version=3,
        solver=oracle.find, skips=_NO_LEAKS,
    ),
)  # fmt: skip
