"""Frontier tasks: conversations to search (MRCR) and graphs to walk (GraphWalks), 4k to 1M tokens.

Facts of the published sets: docs/spec/frontier.md; what differs here and why: docs/suites/frontier.md.
"""

from __future__ import annotations

from generators.frontier import graphwalks, mrcr
from generators.suite import Suite

SUITE = Suite("frontier", "Frontier: MRCR and GraphWalks", "docs/defects/frontier.md", (*mrcr.TASKS, *graphwalks.TASKS))
