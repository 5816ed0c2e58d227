"""RULER's two tasks over paragraphs (docs/spec/synthetic.md A1, A3)."""

from __future__ import annotations

from functools import partial
from typing import Any

from generators.passages.kinds import NUMBERED, ShortAnswer, hops
from generators.passages.task import ENDS, SKIPS, TWO_NAMED, PassageTask
from generators.passages.variants import PlacedTask
from generators.spec import Allowed, TaskSpec

_ALLOWED = {
    "qa_1": {"gold_rank": Allowed(75, "SQuAD's questions were written from their paragraphs, in the words of these")},
    "qa_2": TWO_NAMED,
}
_PART = ("ruler_part@strict", "ruler_part@official")


def _qa(name: str, task: type[PassageTask[Any]], kind: partial[ShortAnswer], title: str) -> TaskSpec:
    return TaskSpec(
        name, task, title, "qa", _PART, 32, version=5, ends=ENDS, wording="rag", defaults={"shots": 0}, skips=SKIPS,
        imitates=title[: title.index(": ")], allows=_ALLOWED[name], kind=kind,
    )  # fmt: skip


TASKS = (
    _qa("qa_1", PlacedTask, partial(ShortAnswer, label=NUMBERED),
        "RULER QA 1 ({questions:SQuAD}): an answer in one of many numbered passages of an encyclopaedia"),
    _qa("qa_2", PassageTask, partial(ShortAnswer, label=NUMBERED, notes=hops),
        "RULER QA 2 ({questions:HotpotQA}): an answer that takes two of many numbered passages of an encyclopaedia"),
)  # fmt: skip
