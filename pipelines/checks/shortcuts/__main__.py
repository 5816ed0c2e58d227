"""python -m pipelines.checks.shortcuts: measure the current project again and print a table; writes only work files."""

from __future__ import annotations

from haymaker.core.files.disk import read_json
from haymaker.releases.shortcut_limits import lines, table
from pipelines.checks.shortcuts.measure_tables import measured
from pipelines.project import Project

if __name__ == "__main__":
    project = Project.here()
    found = measured(project, read_json(project.reports / "validate.json", "files")["files"], 0, fresh=True)
    print("\n".join([*table(found), "", *lines(found)]))  # noqa: T201
