"""LongBench's tasks over one document: what each asks for and what an answer may cost (docs/spec/longbench.md 2, 2.1, 4).

A natural row is the document alone and whole; a row of a number of tokens shows it among others of its collection. Questions are
scored by F1, which takes marks off right answers that are long, so columns that find the answer in the output stand beside it.
Summaries whose key points have terms (all simulated ones) are scored by these first, as in HELMET: what one simulated document's
summary gets for another's under ROUGE-L is twice what real ones get.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from generators.documents.items import ItemQuestions, ItemSummaries
from generators.documents.kinds import SKIPS
from generators.documents.stock import KEYPOINTS
from generators.spec import TaskSpec

_F1 = ("longbench_f1@strict", "longbench_f1@official")
_ROUGE = ("longbench_rouge_l@strict", "longbench_rouge_l@official")
_ANSWER = (*_F1, "subem@strict", "judge_qa@strict")
_SUMMARY = tuple(dict.fromkeys((KEYPOINTS, *_ROUGE, "rouge_l@strict")))

_ANSWER_ZH = ("longbench_f1_zh@strict", "longbench_f1_zh@official", *_ANSWER[2:])
_SUMMARY_ZH = ("longbench_rouge_l_zh@strict", "longbench_rouge_l_zh@official")

_spec = partial(
    TaskSpec, ends="the documents of its collection", prompts=Path(__file__).with_suffix(".yaml"), skips=SKIPS,
    defaults={"embedded": True, "shots": 0},
)  # fmt: skip


def _question(name: str, title: str, metrics: tuple[str, ...] = _ANSWER, **given: Any) -> TaskSpec:
    origin = title.partition(":")[0]
    return _spec(name, ItemQuestions, title, "single-doc-qa", metrics, imitates=origin, version=5, **given)


def _summary(
    name: str, title: str, metrics: tuple[str, ...] = _SUMMARY, max_new_tokens: int = 512, **given: Any
) -> TaskSpec:
    return _spec(
        name, ItemSummaries, title, "summaries", metrics, max_new_tokens, imitates=title.partition(":")[0], **given
    )


TASKS: tuple[TaskSpec, ...] = (
    _question(
        "narrativeqa", title="NarrativeQA: a question on one novel or film script",
        max_new_tokens=128, wording="story",
    ),
    _question("qasper", title="Qasper: a question on one research paper", max_new_tokens=128, wording="paper"),
    _question("multifieldqa_en", title="MultiFieldQA: a question on one document of any field",
              max_new_tokens=64, wording="field"),
    _question("multifieldqa_zh", title="MultiFieldQA-zh: a question on one Chinese document of any field",
              metrics=_ANSWER_ZH, max_new_tokens=64, wording="field_zh", language="zh"),
    _summary("gov_report", title="GovReport: a page that sums up one government report",
             max_new_tokens=1536, wording="report", version=3),  # the longest reference of 12 items has 1,269; the paper gives 512
    _summary("qmsum", title="QMSum: what a meeting said to a query", wording="meeting", version=3),
    _summary("vcsum", title="VCSum: a summary of one Chinese meeting", metrics=_SUMMARY_ZH, wording="meeting_zh", language="zh", version=2),
    _summary("multi_news", title="Multi-News: a summary of several articles on one event",
             max_new_tokens=800, wording="news", version=4),  # the longest of 200 has 787
)  # fmt: skip
