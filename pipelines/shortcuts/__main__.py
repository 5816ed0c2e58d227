"""python -m pipelines.shortcuts: the figures of the project around this folder as a table, measured anew; nothing is written but work files."""

from __future__ import annotations

from haymaker.files import read_json
from pipelines.project import Project
from pipelines.shortcuts.above import lines, table
from pipelines.shortcuts.tables import measured

if __name__ == "__main__":
    project = Project.here()
    found = measured(project, read_json(project.reports / "validate.json", "files")["files"], 0, fresh=True)
    print("\n".join([*table(found), "", *lines(found)]))  # noqa: T201
