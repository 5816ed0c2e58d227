"""LongBench's tasks over many worked examples: kinds of questions, questions on passages, summaries of dialogues (docs/spec/longbench.md 2.3)."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

from generators.shots.examples import Reading, Summing
from generators.shots.named import Named
from generators.spec import TaskSpec
from haymaker.core.rows.row_checks import Check

_CLASS_METRICS = ("longbench_cls@strict", "longbench_cls@official", "label@strict")
_TRIVIAQA_METRICS = ("longbench_f1@strict", "longbench_f1@official", "subem@strict")
_SAMSUM_METRICS = ("longbench_rouge_l@strict", "longbench_rouge_l@official", "rouge_l@strict")

_LABELS = MappingProxyType({
    Check.ORACLE: "no exact solver: which label fits is a matter of meaning",
    Check.CLEAN: "no distractors: shots of the right label are what the answer is learned from",
})  # fmt: skip
_PROSE = MappingProxyType({
    Check.ORACLE: "no exact solver: the answer stands in prose",
    Check.CLEAN: "no distractors: a check of the task holds that no example has an answer that would be right",
})  # fmt: skip


def _spec(
    name: str, task: type[Any], title: str, metrics: tuple[str, ...], tokens: int, ends: str, **given: Any
) -> TaskSpec:
    """One of them: a text to be continued, in the words of shots.yaml, to the end of a line."""
    texts = Path(__file__).with_suffix(".yaml")
    return TaskSpec(
        name, task, title, "few-shot", metrics, tokens, ends=ends, wording=name, prompts=texts, stop=("\n",), chat=False,
        imitates=title.partition(":")[0], **given,
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _spec(
        "trec", Named, "TREC, kinds by name: what kind of thing a question asks for, after hundreds that are labelled{again}",
        _CLASS_METRICS, 64, "its labelled texts are used up (without `repeats`)", version=2,
        defaults={"natural_shots": (100, 600)}, skips=_LABELS,
    ),
    _spec(
        "lsht", Named, "LSHT: which of 24 classes a Chinese news text is of, after others with theirs{again}",
        _CLASS_METRICS, 64, "its labelled texts are used up (without `repeats`)", language="zh",
        defaults={"natural_shots": (24, 40)}, skips=_LABELS,
    ),
    _spec(
        "triviaqa", Reading, "TriviaQA: a question on a passage, after passages with questions that are answered",
        _TRIVIAQA_METRICS, 32, "its passages of part train are used up",
        defaults={"natural_shots": (2, 24), "words_below": 1000}, version=3, skips=_PROSE,
    ),
    _spec(
        "samsum", Summing, "SAMSum: a summary of a dialogue, after dialogues with their summaries",
        _SAMSUM_METRICS, 128, "its dialogues of part train are used up",
        defaults={"natural_shots": (10, 100)}, skips=_PROSE,
    ),
)  # fmt: skip
