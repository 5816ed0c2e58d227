"""LongBench's few-shot tasks: kinds of questions, classes of news, questions on passages, summaries of dialogues (docs/spec/longbench.md 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from generators.shots.examples import Examples
from generators.shots.learning import DISTINCT, Learning
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
    name: str, task: type[Any], kind: str, title: str, metrics: tuple[str, ...], tokens: int, ends: str,
    skips: Mapping[Check, str], **given: Any,
) -> TaskSpec:  # fmt: skip
    """Return a text to be continued, in the words of shots.yaml, to the end of a line."""
    return TaskSpec(
        name, task, title, "few-shot", metrics, tokens, ends=ends, wording=name, prompts=Path(__file__).with_suffix(".yaml"),
        stop=("\n",), use_chat_template=False, skips=skips, imitates=title.partition(":")[0], kind=kind, **given,
    )  # fmt: skip


def _labels(name: str, title: str, shots: tuple[int, int], **given: Any) -> TaskSpec:
    """Return a task whose labels are shown by name; no text repeats."""
    defaults = {"labels": "natural", "repeats": False, "natural_shots": shots}
    ends = "its labelled texts are used up (without `repeats`)"
    return _spec(name, Learning, DISTINCT, title, _CLASS_METRICS, 64, ends, _LABELS, defaults=defaults, **given)


TASKS: tuple[TaskSpec, ...] = (
    _labels(
        "trec", "TREC, kinds by name: what kind of thing a question asks for, after hundreds that are labelled{again}",
        (100, 600), version=3,
    ),
    _labels(
        "lsht", "LSHT: which of 24 classes a Chinese news text is of, after others with theirs{again}", (24, 40), version=2, language="zh"
    ),
    _spec(
        "triviaqa", Examples, "qa", "TriviaQA: a question on a passage, after passages with questions that are answered",
        _TRIVIAQA_METRICS, 32, "its passages of split train are used up", _PROSE, version=4,
        defaults={"natural_shots": (2, 24), "words_below": 1000},
    ),
    _spec(
        "samsum", Examples, "summary", "SAMSum: a summary of a dialogue, after dialogues with their summaries",
        _SAMSUM_METRICS, 128, "its dialogues of split train are used up", _PROSE, version=2, defaults={"natural_shots": (10, 100)},
    ),
)  # fmt: skip
