"""HELMET's tasks over labelled texts: five of many-shot learning, and our own counting task (docs/spec/helmet.md 2, 9, 12)."""

from __future__ import annotations

from generators.shots import oracle
from generators.shots.counting import Counting
from generators.shots.learning import Learning
from generators.spec import TaskSpec
from haymaker.core.rows.row_checks import Check

_METRICS = ("label@strict", "label@official")
_CLEAN = {Check.CLEAN: "no distractors: shots of the right label are what the answer is learned from"}
_LEARNING = {**_CLEAN, Check.ORACLE: "no exact solver: which label fits is a matter of meaning"}
_COUNTING = {**_CLEAN, Check.APART: "questions of all splits are about shots of one set; each group draws its own"}


def _icl(name: str, data: str, kinds: str) -> TaskSpec:
    """Return a task; `kinds` describes the texts of the published set and of its simulated version."""
    title = f"{data}: learn the {{labels}} that stand for kinds of {kinds} from hundreds of labelled texts{{once}}"
    return TaskSpec(
        name, Learning, title, "icl", _METRICS, 20, version=3, ends="its labelled texts are used up (with `repeats: false`)",
        wording="learning", stop=("\n",), skips=_LEARNING, imitates=data,
    )  # fmt: skip


TASKS = (
    _icl("icl_trec_coarse", "TREC, coarse", "questions"),
    _icl("icl_trec_fine", "TREC, fine", "questions"),
    _icl("icl_banking77", "BANKING77", "customers' messages"),
    _icl("icl_clinc150", "CLINC150", "requests"),
    _icl("icl_nlu", "NLU", "spoken commands"),
    TaskSpec(
        "icl_aggregate", Counting,
        "How often labels occur among many shots: most, least, how many, more or not, how many different",
        "aggregation", _METRICS, 20, version=3, ends="the texts of a label are used up", wording="counting",
        stop=("\n",), skips=_COUNTING, solver=oracle.solve,
    ),
)  # fmt: skip
