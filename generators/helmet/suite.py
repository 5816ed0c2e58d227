"""HELMET (arXiv 2410.02694): tasks over passages, many-shot ICL, questions on long documents, summaries.

Facts of the reference: docs/spec/helmet.md; what differs here and why: docs/suites/helmet.md. The four tasks of its category
Recall are tasks of the suite `synthetic`.
"""

from __future__ import annotations

from generators.helmet import documents, passages, shots
from generators.suite import Suite

SUITE = Suite(
    "helmet",
    "HELMET: passages, many-shot labels, long documents, summaries",
    "docs/defects/helmet.md",
    tasks=(*passages.TASKS, *shots.TASKS, *documents.TASKS),
)
