"""Simulated sources, written part by part side by side: what `haymaker run` does of all of them before DVC asks for the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.sources.simulated import Simulated
from haymaker.files import remove
from pipelines import executor, lockfile
from pipelines.executor import Job
from pipelines.project import Project
from pipelines.workers import inputs_of, payload


def write(project: Project, names: Sequence[str]) -> dict[str, dict[str, Path]]:
    """Have the parts of simulated sources written, as far as an earlier run has not: source -> part -> its folder."""
    sources = {name: source for name in names if isinstance(source := project.inputs.source(name), Simulated)}
    jobs = {
        (name, part): Job(
            f"{_mark(name, source)}-{part}",
            "pipelines.simulating:shard",
            payload(project, source=name, part=part),
            cost,
        )
        for name, source in sources.items()
        for part, cost in source.parts().items()
    }
    if not jobs:
        return {}
    done = executor.run(  # here, on Ray too: to write a text takes less than to send it
        list(jobs.values()), _place(project), title="simulate", unit="bytes", workers=executor.worker_count()
    )
    found: dict[str, dict[str, Path]] = {name: {} for name in sources}
    for (name, part), shard in zip(jobs, done, strict=True):
        found[name][part] = shard.folder
    return found


def shard(sent: dict[str, Any], folder: Path) -> None:
    """One part of one source."""
    source = inputs_of(sent).source(sent["source"])
    assert isinstance(source, Simulated)
    source.write_part(sent["part"], folder)


def forget(project: Project, name: str) -> None:
    """Remove the parts of a source: those of other parameters too, left by a run that was stopped."""
    for folder in _place(project).glob(f"{name}-*"):
        if folder.name.split("-")[0] == name:
            remove(folder)


def wanted(project: Project, *, force: bool) -> list[str]:
    """Sources that DVC will have written: what is noted of them is not as they are declared, or they are not here."""
    noted = lockfile.read(project)
    return [name for name in project.params.sources if force or not _is_here(project, noted, name)]


def _is_here(project: Project, noted: Mapping[str, lockfile.Entry], name: str) -> bool:
    entry, declared = noted.get(f"download@{name}"), project.stages.get(f"download@{name}")
    same = entry is not None and declared is not None and entry.is_of(declared)
    return same and (project.data / "raw" / name).is_dir()


def _place(project: Project) -> Path:
    return project.work / "simulated"


def _mark(name: str, source: Simulated) -> str:
    return f"{name}-{source.made_by()}"
