"""Stage download: verified raw files of every source, and the tokenizers. No other stage may use the network."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpora.sources.base import FetchContext
from corpora.sources.simulated import Simulated
from generators.inputs import Use
from haymaker.core.errors import UnavailableError
from haymaker.core.files.disk import remove, sha256_file, write_json
from haymaker.core.progress import say
from pipelines.execution import executor
from pipelines.execution.executor import Done, Job
from pipelines.execution.worker_state import inputs_of, payload
from pipelines.project import Project
from pipelines.stages import inputs, optional_sources, tokenizers


def run(project: Project) -> tuple[dict[str, str], dict[str, Any]]:
    """Fetch every source into data/raw/<name>/ and the tokenizers into data/tokenizers/.

    Partial downloads are kept in data/work/downloads, so a killed stage resumes there. For an unavailable optional
    source, a note is written in its place.

    Raises:
        SourceError: a source cannot be reached or is damaged, or a required source is unavailable.
        BuildError: a suite has no tasks left without an unavailable source.
    """
    facts = tokenizers.load_all(project)  # the fastest step first
    names = list(project.params.sources)
    found: inputs.Kept = {Use("sources", name): done for name in names if (done := _kept(project, name))}
    found |= _simulated(project, [name for name in names if Use("sources", name) not in found])
    lacking: dict[str, UnavailableError] = {}
    for name in (name for name in names if Use("sources", name) not in found):
        try:
            found[Use("sources", name)] = _fetched(project, name)
        except UnavailableError as error:
            if not project.params.sources[name].optional:
                fix = f"{error.fix or 'get its files'}; or set sources.{name}.optional: true, to leave out the tasks that need it"
                raise UnavailableError(error.what, where=error.where, fix=fix) from None
            lacking[name] = error
    inputs.begin_input(project, "download")
    known = inputs.link(project, found)
    for name, why in lacking.items():
        optional_sources.leave_source_out(project, name, why)
    write_json(project.data / "tokenizers" / "tokenizers.json", facts)
    return known, {"inputs": inputs.facts(found)}


def _kept(project: Project, name: str) -> Done | None:
    """Return the source as fetched by an earlier run, if its settings, revision and local files are unchanged."""
    source, context = project.inputs.source(name), project.fetch_context()
    for folder in sorted((project.work / "inputs" / "sources").glob(f"{name}-*")):
        mark = folder.name.removeprefix(f"{name}-")
        if "-" not in mark and source.is_current(folder / inputs.STORE, context):
            return inputs.kept_folder(project, Use("sources", name), mark)
    return None


def _fetched(project: Project, name: str) -> Done:
    """Fetch a source and store it under a fingerprint of its files."""
    use, folder = Use("sources", name), project.work / "fetched" / name
    remove(folder)
    project.inputs.source(name).fetch(folder, project.fetch_context())
    key = inputs.key(use, sha256_file(folder / "SOURCE.json")[:12])
    done = executor.complete(key, project.work, lambda target: _moved(folder, target))
    _say(name, done)
    return done


def _moved(folder: Path, target: Path) -> None:
    folder.rename(target / inputs.STORE)


def _say(name: str, done: Done) -> None:
    size = sum(facts["bytes"] for facts in done.files.values())
    say(f"  {name}: {len(done.files):,} files, {size / 1e6:,.1f} MB")


# ----------------------------------------------------------------------------------------------------------- simulated


def _simulated(project: Project, names: Iterable[str]) -> inputs.Kept:
    """Write the simulated sources: first the parts of all sources, then join the parts of each source."""
    sources = {name: source for name in names if isinstance(source := project.inputs.source(name), Simulated)}
    parts = {(name, part): cost for name, source in sources.items() for part, cost in source.parts().items()}
    jobs = [
        Job(
            f"simulated/sources/{name}-{sources[name].made_by()}/{part}",
            "pipelines.stages.download:part",
            payload(project, source=name, part=part),
            cost,
        )
        for (name, part), cost in parts.items()
    ]
    count = executor.worker_count()  # always on this machine: writing a text is faster than sending it to a Ray node
    done = executor.run(jobs, project.work, title="simulate", unit="bytes", workers=count)
    folders: dict[str, dict[str, Path]] = {name: {} for name in sources}
    for (name, part), shard in zip(parts, done, strict=True):
        folders[name][part] = shard.folder
    joins = [
        Job(
            inputs.key(Use("sources", name), source.made_by()),
            "pipelines.stages.download:joined",
            payload(project, source=name, parts=folders[name]),
            sum(cost for (other, _), cost in parts.items() if other == name),
        )
        for name, source in sources.items()
    ]
    joined = executor.run(joins, project.work, title="simulate: join", workers=count)
    found = {Use("sources", name): done for name, done in zip(sources, joined, strict=True)}
    for use, kept in found.items():
        _say(use.name, kept)
        inputs.forget_old(project, "simulated", use)
    return found


def part(sent: dict[str, Any], folder: Path) -> None:
    """Write one part of a simulated source."""
    source = inputs_of(sent).source(sent["source"])
    assert isinstance(source, Simulated)
    source.write_part(sent["part"], folder)


def joined(sent: dict[str, Any], folder: Path) -> None:
    """Join all parts of a simulated source."""
    cache = folder / "cache"
    context = FetchContext(mirror=None, cache=cache, lock_file=cache / "none.json", report=say, parts=sent["parts"])
    inputs_of(sent).source(sent["source"]).fetch(folder / inputs.STORE, context)
    remove(cache)
