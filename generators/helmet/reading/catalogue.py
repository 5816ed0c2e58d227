"""HELMET's five tasks on long documents: what each asks for and what an answer may cost (spec/helmet.md 1, 8, 12).

Differs from the reference: infbench_qa_eng may take 32 tokens and infbench_choice_eng 16 where it gives 10, which cuts off
accepted answers. The first metric of a task that the reference leaves to a judge is one that needs none: f1; of summaries the
share of key points told, and in rows whose key points have no terms rouge_l (such rows do not list keypoints).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Kind:
    """What a task is.

    Attributes:
        title: one line.
        category: ability asked for.
        asks: which questions of a collection it asks (corpora/records.Ask.kind).
        prompt: key of prompts.yaml.
        metrics: ids, the primary one first; rows without terms of key points lack KEYPOINTS.
        max_new_tokens: room for the answer.
    """

    title: str
    category: str
    asks: Literal["qa", "choice", "summary"]
    prompt: str
    metrics: tuple[str, ...]
    max_new_tokens: int


_F1 = ("f1@strict", "f1@official", "rouge_l@strict", "judge_qa@strict", "judge_qa@official")
_ROUGE = ("rouge_l@strict", "rouge_l@official", "f1@strict")
_MC = ("mc@strict", "mc@official")
KEYPOINTS = "keypoints@strict"
_SUMMARY = (KEYPOINTS, "rouge_l@strict", "rouge_l@official", "judge_summary@strict", "judge_summary@official")

KINDS = {
    "narrativeqa": Kind("NarrativeQA: a question on one long story", "longqa", "qa", "qa", _F1, 100),
    "infbench_qa_eng": Kind("InfiniteBench: a question on one book", "longqa", "qa", "qa", _ROUGE, 32),
    "infbench_choice_eng": Kind(
        "InfiniteBench: a question on one book, four answers to choose from", "longqa", "choice", "choice", _MC, 16
    ),
    "infbench_sum_eng": Kind("InfiniteBench: a summary of one book", "summ", "summary", "summary", _SUMMARY, 1200),
    "multi_lexsum": Kind("Multi-LexSum: a summary of one lawsuit", "summ", "summary", "case", _SUMMARY, 400),
}
