"""HELMET's five tasks on long documents, and two similar tasks on LooGLE (docs/spec/helmet.md 1, 8, 12).

Differs from the reference: infbench_qa_eng has 32 output tokens and infbench_choice_eng 16 instead of 10, which cut off accepted
answers. The first metric never needs a judge: it is f1 for questions; for summaries the share of key points, or rouge_l if the key points
of a row have no terms (such rows do not list keypoints).
"""

from __future__ import annotations

from generators.documents.kinds import SKIPS, Asks, Choices, Kind, Questions, Summaries
from generators.documents.stock import KEYPOINTS
from generators.documents.task import DocumentTask
from generators.spec import TaskSpec

_F1 = ("f1@strict", "f1@official", "rouge_l@strict", "judge_qa@strict", "judge_qa@official")
_ROUGE = ("rouge_l@strict", "rouge_l@official", "f1@strict", "infbench_f1@official")
_MC = ("mc@strict", "mc@official", "infbench_choice@official")
_SUMMARY = (KEYPOINTS, "rouge_l@strict", "rouge_l@official", "judge_summary@strict", "judge_summary@official")


def _spec(
    name: str, kind: type[Kind], title: str, metrics: tuple[str, ...], max_new_tokens: int, wording: str, version: int
) -> TaskSpec:
    return TaskSpec(
        name, DocumentTask, title, "summ" if kind is Summaries else "longqa", metrics, max_new_tokens, version, "the longest document",
        wording, skips=SKIPS, imitates=title.partition(":")[0], kind=Asks(kind),
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _spec("narrativeqa", Questions, "NarrativeQA: a question on one long story", _F1, 100, "qa", 7),
    _spec("infbench_qa_eng", Questions, "InfiniteBench: a question on one book", _ROUGE, 32, "qa", 8),
    _spec("infbench_choice_eng", Choices, "InfiniteBench: a question on one book, four answers to choose from", _MC, 16, "choice", 7),
    _spec("infbench_sum_eng", Summaries, "InfiniteBench: a summary of one book", _SUMMARY, 1200, "summary", 7),
    _spec("multi_lexsum", Summaries, "Multi-LexSum: a summary of one lawsuit", _SUMMARY, 400, "case", 7),
    _spec("loogle_qa", Questions, "LooGLE: a question on one long article", _F1, 100, "article", 7),
    _spec("loogle_summary", Summaries, "LooGLE: the abstract of one research paper", _SUMMARY, 400, "paper", 5),
)  # fmt: skip
