"""LongBench's tasks over whole articles: questions that need several of them (docs/spec/longbench.md 2.2).

Rows are those of generators/passages/natural.py: every supporting article at every length, distractors in the order of their rank (the
publisher's own first), one shuffled order of each question, no worked examples. The question's depth is that of the article that says the
answer; spans name all of them (docs/defects/longbench.md D9, D11).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from generators.passages.natural import Natural
from generators.passages.task import ENDS, SKIPS
from generators.spec import Allowed, TaskSpec

_F1 = ("longbench_f1@strict", "longbench_f1@official")
_METRICS = (
    *_F1,
    "subem@strict",
)  # F1 punishes long right answers (docs/defects/longbench.md D7)


_COMPARED = {
    "closed_book": Allowed(
        50, "comparisons, about half of the questions, name both things: their own words hold the answer"
    )
}


def _articles(name: str, title: str, units: int = 10, allows: Mapping[str, Allowed] = {}) -> TaskSpec:
    return TaskSpec(
        name, Natural, title, "multi-doc-qa", _METRICS, 32, version=3, ends=ENDS, wording="articles",
        prompts=Path(__file__).with_name("articles.yaml"), skips=SKIPS, defaults={"natural_units": units}, allows=allows,
        imitates=title.partition(":")[0],
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _articles("hotpotqa", "HotpotQA: an answer that takes two of many articles"),
    _articles("wikimqa2", "2WikiMultihopQA: an answer that takes two to five of many articles", allows=_COMPARED),
    _articles("musique", "MuSiQue: an answer in two to four steps through many articles", 20),
)
