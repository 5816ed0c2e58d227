"""Names of dataset configs: one task at one length."""

from __future__ import annotations

WORLD = "_world"
"""Name suffix of tasks whose rows are built from simulated sources."""


def config_name(suite: str, task: str, length: str, *, simulated: bool) -> str:
    """Return the config name of one task at one length; simulated rows have the suffix WORLD once."""
    return f"{suite}_{task}{WORLD if simulated and not task.endswith(WORLD) else ''}_{length}"
