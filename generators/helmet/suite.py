"""HELMET (arXiv 2410.02694): tasks over passages, many-shot ICL, questions on long documents, summaries.

Facts and defects of the reference: spec/helmet.md; what differs here and why: docs/helmet.md. The four tasks of its category
Recall are tasks of the suite `synthetic`.
"""

from __future__ import annotations

from generators.composite import Composite
from generators.helmet.catalogue import KINDS
from generators.helmet.reading.suite import ReadingTasks
from generators.helmet.shots.suite import ShotTasks
from generators.passages.suite import PassageTasks

_TITLE = "HELMET: passages, many-shot labels, long documents, summaries"
_DEFECTS = "docs/defects/helmet.md"


class Passages(PassageTasks):
    """The nine tasks over passages."""

    name, version, title, defects = "helmet", 1, _TITLE, _DEFECTS
    kinds = KINDS


class HELMET(Composite):
    """The suite (params key `suites.helmet`)."""

    name, version, title, defects = "helmet", 2, _TITLE, _DEFECTS
    branches = (Passages, ShotTasks, ReadingTasks)
