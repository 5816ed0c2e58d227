"""Stage sets: which sets of mined questions, labelled texts and readings the release has; what is left of others goes."""

from __future__ import annotations

import shutil

from haymaker.files import remove, write_json
from pipelines.project import Project


def run(project: Project) -> None:
    """Write sets.json into each folder that suites depend on as a whole: it is there even when it holds no set."""
    params = project.params
    for kind, names, pattern in (
        ("mined", params.mined, "*.parquet"),
        ("examples", params.examples, "*.parquet"),
        ("readings", params.readings, "*/"),
    ):
        folder = project.data / kind
        for path in folder.glob(pattern):
            if path.name.removesuffix(".parquet") not in names:
                shutil.rmtree(path) if path.is_dir() else remove(path)
        write_json(folder / "sets.json", {"sets": sorted(names)})
