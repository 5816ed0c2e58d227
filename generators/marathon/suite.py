"""Marathon (ACL 2024): questions with four options on long texts, at natural length and any number of tokens.

Facts of the reference: docs/spec/marathon.md; what differs here and why: docs/suites/marathon.md.
"""

from __future__ import annotations

from generators.marathon import choices, passages
from generators.suite import Suite

TASKS = (*choices.TASKS, *passages.TASKS)
SUITE = Suite("marathon", "Marathon: four options on long texts", "docs/defects/marathon.md", tasks=TASKS)
