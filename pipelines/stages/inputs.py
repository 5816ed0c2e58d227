"""Prepared inputs: each is a shard of its own, data/work/inputs/<kind>/<name>-<fingerprint>, hard-linked into the outputs of its stage.

DVC removes the outputs of a stage before it runs the stage. So what was built, or downloaded, is kept where DVC does not look, under a
fingerprint of everything that it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from generators.inputs import KINDS, Use
from haymaker.core.errors import EnvironmentProblem
from haymaker.core.files.disk import link_or_copy, remove
from haymaker.core.progress import say
from pipelines.execution.executor import Done, complete, finished_shards
from pipelines.project import Project
from pipelines.stages import records
from pipelines.stages.table import outs

STORE = "store"
"""The file or folder of a kept input that is the input; what lies beside it are reports on it."""
Kept = dict[Use, Done]


def key(use: Use, fingerprint: str) -> str:
    """Name of the shard of an input, below data/work."""
    return f"inputs/{use.kind}/{use.name}-{fingerprint}"


def kept_folder(project: Project, use: Use, fingerprint: str) -> Done | None:
    """The input where it is kept whole; every byte of it is hashed."""
    return finished_shards(project.work, key(use, fingerprint))


def split_finished(project: Project, fingerprints: Mapping[Use, str]) -> tuple[Kept, list[Use]]:
    """Inputs that are kept, and those that are still to be made."""
    found = {use: done for use, mark in fingerprints.items() if (done := kept_folder(project, use, mark))}
    return found, [use for use in fingerprints if use not in found]


def available(project: Project, kinds: Iterable[str]) -> tuple[list[Use], dict[str, str]]:
    """Inputs of some kinds, and those that cannot be had since an optional source is missing: kind/name -> why."""
    uses = [Use(kind, name) for kind in kinds for name in getattr(project.params, kind)]
    why = {use: project.inputs.unavailable(use) for use in uses}
    for use in filter(why.get, uses):
        say(f"  {use.kind} {use.name}: left out ({why[use]})")
    return [use for use in uses if not why[use]], {"/".join(use): why[use] for use in filter(why.get, uses)}


def check(project: Project, uses: Iterable[Use]) -> None:
    """Inputs that are here are as their stages left them.

    Raises:
        ReleaseError: names the first file that is not.
    """
    for use in uses:
        records.check(project, KINDS[use.kind].stage, [KINDS[use.kind].path(project.data, use.name)])


def begin_input(project: Project, stage: str) -> None:
    """Empty outputs, as DVC leaves them; the stage may have been called by hand.

    Raises:
        EnvironmentProblem: a file lies where a folder must be.
    """
    for out in outs(project, stage):
        if out.is_file():
            raise EnvironmentProblem("is a file, not a folder", where=project.name_of(out), fix="move it away")
        remove(out)
        out.mkdir(parents=True)


def link(project: Project, inputs: Kept) -> dict[str, str]:
    """Give kept inputs their places in the outputs of their stages, and reports on them theirs in data/counts/.

    Returns:
        Path below the project -> SHA-256 of every file that was linked.
    """
    known: dict[str, str] = {}
    for use, done in inputs.items():
        for name, facts in done.files.items():
            place = _place(project, use, name)
            link_or_copy(done.folder / name, place)
            known[project.name_of(place)] = facts["sha256"]
    return known


def facts(inputs: Kept) -> dict[str, Any]:
    """What the record of a stage says of its inputs: kind/name -> name of the shard, and what it returned."""
    return {"/".join(use): {"key": done.key, "result": done.result} for use, done in inputs.items()}


def adopt(project: Project) -> None:
    """Keep inputs that came by `dvc pull`: without that, DVC would remove them at the first change and all would be made again."""
    for stage in ("download", "prepare", "retrieve"):
        record = records.read(project, stage) or {"inputs": {}, "files": {}}
        for name, noted in record["inputs"].items():
            files = _files(project, Use(*name.split("/", 1)))
            if not (project.work / noted["key"]).exists() and not records.changed(
                project, stage, record, files.values()
            ):
                complete(noted["key"], project.work, partial(_adopted, noted["result"], files))


def _adopted(result: Any, files: Mapping[str, Path], folder: Path) -> Any:
    for name, place in files.items():
        link_or_copy(place, folder / name)
    return result


def forget_old(project: Project, work: str, use: Use) -> None:
    """Remove finished and unfinished shards of an input, in a folder below data/work, once the input itself is kept."""
    for folder in (project.work / work / use.kind).glob(f"{use.name}-*"):
        if folder.name.rpartition("-")[0] == use.name:
            remove(folder)


def _place(project: Project, use: Use, name: str) -> Path:
    """Where a file of a kept input goes."""
    kind, (head, _, rest) = KINDS[use.kind], name.partition("/")
    return kind.path(project.data, use.name) / rest if head == STORE else _reports(project, use) / name


def _reports(project: Project, use: Use) -> Path:
    return project.counts / KINDS[use.kind].stage / use.kind / use.name


def _files(project: Project, use: Use) -> dict[str, Path]:
    """Name in the kept input -> its place, of everything that is linked."""
    place, reports = KINDS[use.kind].path(project.data, use.name), _reports(project, use)
    found = {STORE: place} if place.is_file() else {}
    found |= {f"{STORE}/{path.relative_to(place).as_posix()}": path for path in place.rglob("*") if path.is_file()}
    return found | {path.name: path for path in reports.glob("*")}
