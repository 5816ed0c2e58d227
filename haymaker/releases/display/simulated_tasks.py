"""Note on simulated rows for score tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

BEGINS = "simulated rows"
"""First words of the note."""
_FEW = 4  # maximum tasks of a suite that are named individually


def simulated_tasks(manifest: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return suite and task of the simulated tasks of a release."""
    every = ((suite, task) for suite, facts in manifest.get("suites", {}).items() for task in facts.get("tasks", ()))
    return {(suite, task["name"]) for suite, task in every if task.get("simulated")}


def simulated_note(manifest: Mapping[str, Any], scored: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield one line that names the simulated tasks, if there are any.

    Args:
        manifest: manifest of the release; older ones lack this information.
        scored: (suite, task) of the rows that have a score.
    """
    named = []
    for suite, facts in manifest.get("suites", {}).items():
        simulated = [task["name"] for task in facts.get("tasks", ()) if task.get("simulated")]
        if names := [name for name in simulated if (suite, name) in scored]:
            count = sum(of == suite for of, _ in scored)
            share = f"{suite}, {'all' if len(names) == count else f'{len(names)} of'} {count} tasks"
            named.append(share if len(names) > _FEW else f"{suite} {', '.join(names)}")
    if named:
        yield f"{BEGINS}, not comparable with the data sets that they imitate: {'; '.join(named)}"
