"""Prepared inputs: each is a shard of its own, data/work/inputs/<kind>/<name>-<fingerprint>, hard-linked into the outputs of its stage.

DVC removes the outputs of a stage before it runs the stage. So what was built, or downloaded, is kept where DVC does not look, under a
fingerprint of everything that it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from generators.inputs import KINDS, Use
from haymaker.files import link_or_copy, remove, write_json
from pipelines.executor import Done, complete, finished
from pipelines.progress import say
from pipelines.project import Project
from pipelines.stages import records
from pipelines.stages.table import outs

STORE = "store"
"""The file or folder of a kept input that is the input; what lies beside it are reports on it."""
STAGES_OF_INPUTS = ("download", "prepare", "retrieve")
Kept = dict[Use, Done]


def key(use: Use, fingerprint: str) -> str:
    """Name of the shard of an input, below data/work."""
    return f"inputs/{use.kind}/{use.name}-{fingerprint}"


def kept(project: Project, use: Use, fingerprint: str) -> Done | None:
    """The input where it is kept whole; every byte of it is hashed."""
    return finished(project.work, key(use, fingerprint))


def available(project: Project, kinds: Iterable[str]) -> tuple[list[Use], dict[str, str]]:
    """Inputs of some kinds, and those that cannot be had since an optional source is missing: kind/name -> why."""
    uses = [Use(kind, name) for kind in kinds for name in getattr(project.params, kind)]
    why = {use: project.inputs.unavailable(use) for use in uses}
    for use in filter(why.get, uses):
        say(f"  {use.kind} {use.name}: left out ({why[use]})")
    return [use for use in uses if not why[use]], {f"{use.kind}/{use.name}": why[use] for use in filter(why.get, uses)}


def link(project: Project, stage: str, inputs: Kept) -> dict[str, str]:
    """Give kept inputs their places in the outputs of a stage.

    Args:
        project: the project.
        stage: that made them.
        inputs: what to link; the `counts` of their results go to data/counts/<stage>/.

    Returns:
        Path below the project -> SHA-256 of every file that was linked.
    """
    known: dict[str, str] = {}
    for use, done in inputs.items():
        remove(KINDS[use.kind].path(project.data, use.name))
        for name, facts in done.files.items():
            place = _place(project, stage, use, name)
            link_or_copy(done.folder / name, place)
            known[project.name_of(place)] = facts["sha256"]
        if counts := (done.result or {}).get("counts"):
            write_json(_place(project, stage, use, "counts.json"), counts)
    return known


def begin(project: Project, stage: str) -> None:
    """Empty outputs, as DVC leaves them; the stage may have been called by hand."""
    for out in outs(project, stage):
        remove(out)
        out.mkdir(parents=True)


def facts(inputs: Kept) -> dict[str, Any]:
    """What the record of a stage says of its inputs: kind/name -> name of the shard, and what it returned."""
    return {
        f"{use.kind}/{use.name}": {"key": _key_of(use, done), "result": done.result} for use, done in inputs.items()
    }


def adopt(project: Project) -> None:
    """Keep inputs that came by `dvc pull`: without that, DVC would remove them at the first change and all would be made again."""
    for stage in STAGES_OF_INPUTS:
        record = records.read(project, stage)
        for name, noted in (record["inputs"] if record else {}).items():
            use = Use(*name.split("/", 1))
            if (project.work / noted["key"]).exists():
                continue
            files = dict(_files(project, stage, use))
            if record and not records.changed(project, stage, record, files.values()):
                complete(noted["key"], project.work, lambda folder, n=noted, f=files: _adopted(folder, n, f))  # type: ignore[misc]


def _adopted(folder: Path, noted: Mapping[str, Any], files: Mapping[str, Path]) -> Any:
    for name, place in files.items():
        link_or_copy(place, folder / name)
    return noted["result"]


def forget_old(project: Project, work: str, use: Use) -> None:
    """Remove finished and unfinished shards of an input, in a folder below data/work, once the input itself is kept."""
    for folder in (project.work / work / use.kind).glob(f"{use.name}-*"):
        if folder.name.rpartition("-")[0] == use.name:
            remove(folder)


def _place(project: Project, stage: str, use: Use, name: str) -> Path:
    """Where a file of a kept input goes."""
    kind = KINDS[use.kind]
    head, _, rest = name.partition("/")
    if head == STORE:
        return kind.path(project.data, use.name) / rest
    return (
        project.counts
        / stage
        / f"{kind.stage}-{use.name}{'' if name == 'counts.json' else '-' + Path(name).stem}{Path(name).suffix}"
    )


def _files(project: Project, stage: str, use: Use) -> Iterator[tuple[str, Path]]:
    """Name in the kept input -> its place, of everything that is linked."""
    place = KINDS[use.kind].path(project.data, use.name)
    if place.is_file():
        yield STORE, place
    for path in sorted(path for path in place.rglob("*") if path.is_file()):
        yield f"{STORE}/{path.relative_to(place).as_posix()}", path
    for path in sorted((project.counts / stage).glob(f"{KINDS[use.kind].stage}-{use.name}-*.csv")):
        yield path.name.rpartition("-")[2], path


def _key_of(use: Use, done: Done) -> str:
    return f"inputs/{use.kind}/{done.folder.name}"
