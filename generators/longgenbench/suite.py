"""LongGenBench: outputs of thousands of tokens, entry by entry, with events that must stand in some of them.

Facts of the reference: docs/spec/longgenbench.md; what differs here and why: docs/suites/longgenbench.md.
"""

from __future__ import annotations

from generators.suite import Suite

SUITE = Suite(
    "longgenbench",
    "LongGenBench: long outputs with events that must stand where they belong",
    "docs/defects/longgenbench.md",
    tasks=(),
)
