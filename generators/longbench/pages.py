"""LongBench's tasks over numbered passages: counting and finding them (docs/spec/longbench.md 2.4)."""

from __future__ import annotations

from types import MappingProxyType

from generators.longbench.pages_asked import Summarised, Written
from generators.longbench.pages_count import PassageCount
from generators.spec import Check, TaskSpec

COUNT_METRICS = ("longbench_count@strict", "longbench_count@official")
RETRIEVAL_METRICS = ("longbench_retr@strict", "longbench_retr@official")
_NO_LEAKS = {Check.CLEAN: "every paragraph is a distractor that the answer, a number, cannot stand in"}
_ENDS = "where the passages of a part end, or 32,768 of a larger corpus"

TASKS: tuple[TaskSpec, ...] = (
    TaskSpec(
        "passage_count", PassageCount, "How many different paragraphs there are among copies", "synthetic",
        COUNT_METRICS, 32, ends=_ENDS, wording="count", skips=MappingProxyType(_NO_LEAKS),
    ),
    TaskSpec(
        "passage_retrieval_en", Summarised, "Which paragraph a summary was written from (words that both share find nearly all)", "synthetic",
        RETRIEVAL_METRICS, 32, ends=_ENDS, wording="find",
        skips=MappingProxyType({**_NO_LEAKS, Check.ORACLE: "the summary is in other words than its paragraph"}),
    ),
    TaskSpec(
        "passage_retrieval_extractive", Written, "Which paragraph some sentences were taken out of (words that both share find all)", "synthetic",
        RETRIEVAL_METRICS, 32, ends=_ENDS, wording="extract", variant="extractive", skips=MappingProxyType(_NO_LEAKS),
    ),
)  # fmt: skip
