"""Stage download: raw files of one source, verified; the only stage that may touch the network."""

from __future__ import annotations

from pipelines.progress import say
from pipelines.project import Project


def run(project: Project, name: str) -> None:
    """Fetch source `name` into data/raw/<name>/; partial downloads wait outside, so a killed stage resumes."""
    source = project.inputs.source(name)
    target = project.data / "raw" / name
    source.fetch(target, project.fetch_context())
    files = [path for path in target.rglob("*") if path.is_file()]
    say(f"download {name}: {len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB")
