"""RULER's two tasks over paragraphs (docs/spec/synthetic.md A1, A3)."""

from __future__ import annotations

from typing import Any

from generators.passages.rag import Numbered, NumberedMultiHop
from generators.passages.task import ENDS, SKIPS, PassageTask
from generators.spec import TaskSpec

_METRICS = ("ruler_part@strict", "ruler_part@official", "subem@strict")


def _qa(name: str, task: type[PassageTask[Any]], title: str) -> TaskSpec:
    return TaskSpec(
        name, task, title, "qa", _METRICS, 32, ends=ENDS, wording="rag", defaults={"shots": 0}, skips=SKIPS,
        imitates=title.partition(":")[0], version=2,
    )  # fmt: skip


TASKS = (
    _qa("qa_1", Numbered, "RULER QA 1 (SQuAD): an answer in one of many paragraphs"),
    _qa("qa_2", NumberedMultiHop, "RULER QA 2 (HotpotQA): an answer that takes two of many paragraphs"),
)
