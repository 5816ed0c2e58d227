"""Stage sets: which sets of mined questions the release has; what is left of others goes."""

from __future__ import annotations

from generators.task import mined_file
from haymaker.files import remove, write_json
from pipelines.project import Project


def run(project: Project) -> None:
    """Write data/mined/sets.json: suites depend on that folder, which is there even when nothing is mined."""
    folder, wanted = project.data / "mined", sorted(project.params.mined)
    for path in folder.glob("*.parquet"):
        if path != mined_file(project.data, path.stem) or path.stem not in wanted:
            remove(path)
    write_json(folder / "sets.json", {"sets": wanted})
