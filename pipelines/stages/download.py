"""Stage download: raw files of one source, verified; the only stage that may touch the network."""

from __future__ import annotations

from dataclasses import replace

from haymaker.errors import UnavailableError
from pipelines import missing, simulating
from pipelines.progress import say
from pipelines.project import Project


def run(project: Project, name: str) -> None:
    """Fetch source `name` into data/raw/<name>/; partial downloads wait outside, so a killed stage resumes.

    An optional source that cannot be had leaves a note there instead.

    Raises:
        SourceError: out of reach, damaged; or it cannot be had and is not optional.
        BuildError: without it nothing is left of a suite.
    """
    source = project.inputs.source(name)
    target = project.data / "raw" / name
    parts = simulating.write(project, [name]).get(name, {})
    try:
        source.fetch(target, replace(project.fetch_context(), parts=parts))
    except UnavailableError as error:
        if not project.params.sources[name].optional:
            fix = f"{error.fix or 'get its files'}; or set sources.{name}.optional: true, to go without what needs it"
            raise UnavailableError(error.what, where=error.where, fix=fix) from None
        missing.leave_source_out(project, name, error)
        return
    simulating.forget(project, name)
    files = [path for path in target.rglob("*") if path.is_file()]
    say(f"download {name}: {len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB")
