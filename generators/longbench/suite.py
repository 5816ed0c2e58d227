"""LongBench (arXiv 2308.14508) and LongBench-E: fourteen English sets, five Chinese and two of code, natural, in ranges of words, at any number of tokens.

Facts of the reference: docs/spec/longbench.md; what differs here and why: docs/suites/longbench.md.
"""

from __future__ import annotations

from generators.longbench import articles, code, documents, pages, shots
from generators.longbench.compressed import compressed
from generators.suite import Suite

SUITE = Suite(
    "longbench",
    "LongBench: one document, several articles, shots, passages",
    "docs/defects/longbench.md",
    tasks=(
        *documents.TASKS,
        *articles.TASKS,
        *shots.TASKS,
        *pages.TASKS,
        *code.TASKS,
        *compressed((*documents.TASKS, *articles.TASKS, *pages.TASKS)),
    ),
)
