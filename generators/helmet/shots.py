"""HELMET's tasks over labelled texts: five of many-shot learning, and one of our own that counts
(docs/spec/helmet.md 2, 9, 12).
"""

from __future__ import annotations

from generators.shots.counting import Counting
from generators.shots.learning import Learning
from generators.spec import Check, TaskSpec

_METRICS = ("label@strict", "label@official")
_CLEAN = {Check.CLEAN: "no distractors: shots of the right label are what the answer is learned from"}
_LEARNING = {**_CLEAN, Check.ORACLE: "no exact solver: which label fits is a matter of meaning"}
_COUNTING = {**_CLEAN, Check.APART: "questions of all parts are about shots of one set; each group draws its own"}


def _icl(name: str, title: str) -> TaskSpec:
    ends = "its labelled texts are used up (without `repeats`)"
    return TaskSpec(
        name, Learning, title, "icl", _METRICS, 20, ends=ends, wording="learning", stop=("\n",), skips=_LEARNING,
        imitates=title.partition(":")[0],
    )  # fmt: skip


TASKS = (
    _icl("icl_trec_coarse", "TREC, 6 labels: learn labels of questions from hundreds of shots"),
    _icl("icl_trec_fine", "TREC, 50 labels: learn fine labels of questions from hundreds of shots"),
    _icl("icl_banking77", "BANKING77, 77 labels: learn labels of a bank's messages from hundreds of shots"),
    _icl("icl_clinc150", "CLINC150, 151 labels: learn labels of requests from hundreds of shots"),
    _icl("icl_nlu", "NLU, 68 labels: learn labels of spoken commands from hundreds of shots"),
    TaskSpec(
        "icl_aggregate", Counting,
        "How often labels occur among many shots: most, least, how many, more or not, how many different",
        "aggregation", _METRICS, 20, ends="its labelled texts are used up at uneven shares", wording="counting",
        stop=("\n",), skips=_COUNTING,
    ),
)  # fmt: skip
