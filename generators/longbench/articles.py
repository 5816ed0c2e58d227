"""LongBench's tasks over whole articles: questions that need several of them (docs/spec/longbench.md 2.2).

Rows contain every supporting article at every length, then distractors by rank (the publisher's own first), in one shuffled order of
each question, without worked examples (generators/passages/variants.py). The depth of a row is the depth of the article with the
answer; spans mark all supporting articles (docs/defects/longbench.md D9, D11).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from generators.passages.kinds import NUMBERED, ShortAnswer, published
from generators.passages.task import ENDS, SKIPS
from generators.passages.variants import NaturalTask
from generators.spec import Allowed, TaskSpec

# F1 punishes long right answers (docs/defects/longbench.md D7)
_METRICS = ("longbench_f1@strict", "longbench_f1@official", "subem@strict")
_COMPARED = Allowed(50, "comparisons, about half of the questions, name both things: their own words hold the answer")

_ONE_HOP = Allowed(
    50,
    "a search with the words of about half of the published bridge questions finds the whole article with the answer",
)


def _articles(name: str, title: str, units: int = 10, allows: Mapping[str, Allowed] = {}) -> TaskSpec:
    return TaskSpec(
        name, NaturalTask, title, "multi-doc-qa", _METRICS, 32, version=4, ends=ENDS, wording="articles",
        prompts=Path(__file__).with_name("articles.yaml"), skips=SKIPS, defaults={"natural_units": units}, allows=allows,
        imitates=title.partition(":")[0], kind=partial(ShortAnswer, label=NUMBERED, notes=published, even=units),
    )  # fmt: skip


TASKS: tuple[TaskSpec, ...] = (
    _articles("hotpotqa", "HotpotQA: an answer that takes two of many articles", allows={"single_hop": _ONE_HOP}),
    _articles("wikimqa2", "2WikiMultihopQA: an answer that takes two to five of many articles", allows={"closed_book": _COMPARED}),
    _articles("musique", "MuSiQue: an answer in two to four steps through many articles", 20),
)  # fmt: skip
