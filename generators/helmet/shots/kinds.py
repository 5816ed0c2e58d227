"""What a task over labelled texts is (spec/helmet.md 2, 9, 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from generators.task import Check

_METRICS = ("label@strict", "label@official")
_CLEAN = {Check.CLEAN: "no distractors: shots of the right label are what the answer is learned from"}
_LEARNING = {**_CLEAN, Check.ORACLE: "no exact solver: which label fits is a matter of meaning"}
_COUNTING = {**_CLEAN, Check.APART: "questions of all parts are about shots of one set; each group draws its own"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a task is.

    Attributes:
        title: one line.
        family: shots to learn from, or shots to count.
        category: ability asked for.
        ends: what ends its longest honest bucket.
        skips: rules that its rows are not held to, and why.
        metrics: ids, the primary one first.
        max_new_tokens: room for the answer (section 12).
        stop: what ends a base model's answer.
    """

    title: str
    family: Literal["label", "aggregate"]
    category: str
    ends: str
    skips: Mapping[Check, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = _METRICS
    max_new_tokens: int = 20
    stop: tuple[str, ...] = ("\n",)


def _icl(title: str) -> Kind:
    return Kind(title, "label", "icl", "its labelled texts are used up (without `repeats`)", _LEARNING)


KINDS = {
    "icl_trec_coarse": _icl("TREC, 6 labels: learn labels of questions from hundreds of shots"),
    "icl_trec_fine": _icl("TREC, 50 labels: learn fine labels of questions from hundreds of shots"),
    "icl_banking77": _icl("BANKING77, 77 labels: learn labels of a bank's messages from hundreds of shots"),
    "icl_clinc150": _icl("CLINC150, 151 labels: learn labels of requests from hundreds of shots"),
    "icl_nlu": _icl("NLU, 68 labels: learn labels of spoken commands from hundreds of shots"),
    "icl_aggregate": Kind(
        "How often labels occur among many shots: most, least, how many, more or not, how many different",
        "aggregate", "aggregation", "its labelled texts are used up at uneven shares", _COUNTING,
    ),
}  # fmt: skip
