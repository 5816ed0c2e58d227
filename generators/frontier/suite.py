"""Frontier tasks: conversations to search (MRCR) and graphs to walk (GraphWalks), 4k to 1M tokens.

Facts and defects of the published sets: docs/defects/frontier.md; what differs here: docs/suites/frontier.md.
"""

from __future__ import annotations

from generators.frontier import graphwalks, mrcr
from generators.suite import Suite

SUITE = Suite("frontier", "Frontier: MRCR and GraphWalks", "docs/defects/frontier.md", (*mrcr.TASKS, *graphwalks.TASKS))
