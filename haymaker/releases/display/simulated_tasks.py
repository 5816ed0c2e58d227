"""Note on simulated rows for score tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

BEGINS = "simulated rows"
"""First words of the note."""
_FEW = 4  # maximum tasks named individually if all tasks of a suite are simulated


def simulated_note(manifest: Mapping[str, Any], scored: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield one line that names the simulated tasks, if there are any.

    Args:
        manifest: manifest of the release; older ones lack this information.
        scored: (suite, task) of the rows that have a score.
    """
    named = []
    for suite, facts in manifest.get("suites", {}).items():
        tasks = [task["name"] for task in facts.get("tasks", ()) if task.get("simulated")]
        if told := [name for name in tasks if (suite, name) in scored]:
            is_whole = len(told) > _FEW and len(told) == sum(1 for of, _ in scored if of == suite)
            named.append(f"{suite}, all {len(told)} tasks" if is_whole else f"{suite} {', '.join(told)}")
    if named:
        yield f"{BEGINS}, not comparable with the data sets that they imitate: {'; '.join(named)}"
