"""Names of dataset configs: one task at one length."""

from __future__ import annotations

SIMULATED_SUFFIX = "_sim"
"""Name suffix of tasks whose rows are built from simulated sources."""
FULL_SUFFIX = "_full"
"""Name suffix of configs that read all columns of a row."""


def config_name(suite: str, task: str, length: str, *, simulated: bool) -> str:
    """Return the config name of one task at one length; simulated rows have the suffix SIMULATED_SUFFIX once."""
    return f"{suite}_{task}{SIMULATED_SUFFIX if simulated and not task.endswith(SIMULATED_SUFFIX) else ''}_{length}"
