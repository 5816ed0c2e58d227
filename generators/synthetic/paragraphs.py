"""RULER's two tasks over paragraphs (docs/spec/synthetic.md A1, A3)."""

from __future__ import annotations

from typing import Any

from generators.passages.rag import Numbered, NumberedMultiHop
from generators.passages.task import ENDS, SKIPS, TWO_NAMED, PassageTask
from generators.spec import Allowed, TaskSpec

_ALLOWED = {
    "qa_1": {"gold_rank": Allowed(75, "SQuAD's questions were written from their paragraphs, in the words of these")},
    "qa_2": TWO_NAMED,
}
_PART = ("ruler_part@strict", "ruler_part@official")


def _qa(name: str, task: type[PassageTask[Any]], title: str, version: int) -> TaskSpec:
    return TaskSpec(
        name, task, title, "qa", _PART, 32, version, ends=ENDS, wording="rag", defaults={"shots": 0}, skips=SKIPS,
        imitates=title[: title.index(": ")], allows=_ALLOWED[name],
    )  # fmt: skip


TASKS = (
    _qa(
        "qa_1",
        Numbered,
        "RULER QA 1 ({questions:SQuAD}): an answer in one of many numbered passages of an encyclopaedia",
        version=4,
    ),
    _qa(
        "qa_2",
        NumberedMultiHop,
        "RULER QA 2 ({questions:HotpotQA}): an answer that takes two of many numbered passages of an encyclopaedia",
        version=4,
    ),
)
