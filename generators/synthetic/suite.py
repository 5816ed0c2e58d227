"""Synthetic tasks: RULER's thirteen, the needle grid, JSON-KV, InfiniteBench's six; every length, one oracle each.

Facts of the references: docs/spec/synthetic.md; what differs here and why: docs/suites/synthetic.md.
"""

from __future__ import annotations

from generators.suite import Suite
from generators.synthetic import chains, code, counting, needles, numbers, pairs, paragraphs

SUITE = Suite(
    "synthetic",
    "Synthetic: RULER, needle in a haystack, JSON-KV, InfiniteBench",
    "docs/defects/synthetic.md",
    (*needles.TASKS, *chains.TASKS, *counting.TASKS, *pairs.TASKS, *numbers.TASKS, *code.TASKS, *paragraphs.TASKS),
)
