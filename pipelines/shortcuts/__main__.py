"""python -m pipelines.shortcuts: the figures of the project around this folder as a table, measured anew; nothing is written but work files."""

from __future__ import annotations

from pipelines.project import Project
from pipelines.shortcuts.above import lines, table
from pipelines.shortcuts.tables import measured

if __name__ == "__main__":
    found = measured(Project.here())
    print("\n".join([*table(found), "", *lines(found)]))  # noqa: T201
