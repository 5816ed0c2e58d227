"""LongBench's tasks on one document: metrics and token budgets of answers (docs/spec/longbench.md 2, 2.1, 4).

A natural row has one whole document; other rows show it among documents of its collection. F1 lowers the score of long right answers,
so questions have further metrics that find the answer in the output. Summaries whose key points have terms (all simulated ones) are
scored by these first, as in HELMET: ROUGE-L gives the summary of another simulated document twice the score of another real one.
"""

from __future__ import annotations

from pathlib import Path

from generators.documents.kinds import SKIPS, Asks, Kind, Questions, Summaries
from generators.documents.stock import KEYPOINTS
from generators.documents.task import DocumentTask
from generators.spec import TaskSpec

_F1 = ("longbench_f1@strict", "longbench_f1@official")
_ROUGE = ("longbench_rouge_l@strict", "longbench_rouge_l@official")
_ANSWER = (*_F1, "subem@strict", "judge_qa@strict")
_SUMMARY = tuple(dict.fromkeys((KEYPOINTS, *_ROUGE, "rouge_l@strict")))

_ANSWER_ZH = ("longbench_f1_zh@strict", "longbench_f1_zh@official", *_ANSWER[2:])
_SUMMARY_ZH = ("longbench_rouge_l_zh@strict", "longbench_rouge_l_zh@official")


def _spec(
    name: str,
    kind: type[Kind],
    title: str,
    metrics: tuple[str, ...],
    max_new_tokens: int,
    wording: str,
    version: int = 6,
    language: str = "",
) -> TaskSpec:
    return TaskSpec(
        name, DocumentTask, title, "single-doc-qa" if kind is Questions else "summaries", metrics, max_new_tokens, version,
        "the documents of its collection", wording, Path(__file__).with_suffix(".yaml"), defaults={"distractor_documents": True, "shots": 0},
        skips=SKIPS, imitates=title.partition(":")[0], language=language, kind=Asks(kind, item=True),
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _spec("narrativeqa", Questions, "NarrativeQA: a question on one novel or film script", _ANSWER, 128, "story"),
    _spec("qasper", Questions, "Qasper: a question on one research paper", _ANSWER, 128, "paper"),
    _spec("multifieldqa_en", Questions, "MultiFieldQA: a question on one document of any field", _ANSWER, 64, "field"),
    _spec(
        "multifieldqa_zh", Questions, "MultiFieldQA-zh: a question on one Chinese document of any field", _ANSWER_ZH, 64, "field_zh",
        language="zh",
    ),
    # The longest reference of 12 items of gov_report has 1,269 tokens; the paper gives 512. The longest of 200 of multi_news has 787.
    _spec("gov_report", Summaries, "GovReport: a page that sums up one government report", _SUMMARY, 1536, "report", 5),
    _spec("qmsum", Summaries, "QMSum: what a meeting said to a query", _SUMMARY, 512, "meeting", 4),
    _spec("vcsum", Summaries, "VCSum: a summary of one Chinese meeting", _SUMMARY_ZH, 512, "meeting_zh", 3, "zh"),
    _spec("multi_news", Summaries, "Multi-News: a summary of several articles on one event", _SUMMARY, 800, "news", 6),
)  # fmt: skip
