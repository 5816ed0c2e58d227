"""Store prepared inputs as data/work/inputs/<kind>/<name>-<fingerprint>, hard-linked into the outputs of their stage.

DVC removes the outputs of a stage before it runs the stage. Built and downloaded inputs are therefore stored outside
the outputs, under a fingerprint of everything they were made from.
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
from pipelines.stages.stage_table import outs

STORE = "store"
"""File or folder in a stored input that holds the input; other files next to it are reports."""
Kept = dict[Use, Done]


def key(use: Use, fingerprint: str) -> str:
    """Return the shard name of an input, below data/work."""
    return f"inputs/{use.kind}/{use.name}-{fingerprint}"


def kept_folder(project: Project, use: Use, fingerprint: str) -> Done | None:
    """Return a stored input if it is complete; checks the SHA-256 of every file."""
    return finished_shards(project.work, key(use, fingerprint))


def split_finished(project: Project, fingerprints: Mapping[Use, str]) -> tuple[Kept, list[Use]]:
    """Split inputs into finished inputs and inputs that must be built."""
    found = {use: done for use, mark in fingerprints.items() if (done := kept_folder(project, use, mark))}
    return found, [use for use in fingerprints if use not in found]


def available(project: Project, kinds: Iterable[str]) -> tuple[list[Use], dict[str, str]]:
    """Return the available inputs of some kinds, and kind/name -> reason for those with a missing optional source."""
    uses = [Use(kind, name) for kind in kinds for name in getattr(project.params, kind)]
    why = {use: project.inputs.unavailable(use) for use in uses}
    for use in filter(why.get, uses):
        say(f"  {use.kind} {use.name}: left out ({why[use]})")
    return [use for use in uses if not why[use]], {"/".join(use): why[use] for use in filter(why.get, uses)}


def check(project: Project, uses: Iterable[Use]) -> None:
    """Check that inputs are unchanged since their stages wrote them.

    Raises:
        ReleaseError: names the first file that is missing or changed.
    """
    for use in uses:
        records.check(project, KINDS[use.kind].stage, [KINDS[use.kind].path(project.data, use.name)])


def begin_input(project: Project, stage: str) -> None:
    """Empty the outputs of a stage, as DVC does, in case the stage was started by hand.

    Raises:
        EnvironmentProblem: an output is a file instead of a folder.
    """
    for out in outs(project, stage):
        if out.is_file():
            raise EnvironmentProblem("is a file, not a folder", where=project.name_of(out), fix="move it elsewhere")
        remove(out)
        out.mkdir(parents=True)


def link(project: Project, inputs: Kept) -> dict[str, str]:
    """Link stored inputs into the outputs of their stages, and their reports into data/counts/.

    Returns:
        Path below the project -> SHA-256, for every linked file.
    """
    known: dict[str, str] = {}
    for use, done in inputs.items():
        for name, facts in done.files.items():
            place = _place(project, use, name)
            link_or_copy(done.folder / name, place)
            known[project.name_of(place)] = facts["sha256"]
    return known


def facts(inputs: Kept) -> dict[str, Any]:
    """Return the facts about inputs for a stage record: kind/name -> name and result of the shard."""
    return {"/".join(use): {"key": done.key, "result": done.result} for use, done in inputs.items()}


def adopt(project: Project) -> None:
    """Store inputs fetched with `dvc pull`. Otherwise DVC would remove them at the first change, for a full rebuild."""
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
    """Remove the intermediate shards of an input, in a folder below data/work, after the input itself is stored."""
    for folder in (project.work / work / use.kind).glob(f"{use.name}-*"):
        if folder.name.rpartition("-")[0] == use.name:
            remove(folder)


def _place(project: Project, use: Use, name: str) -> Path:
    """Return the output path of a file of a stored input."""
    kind, (head, _, rest) = KINDS[use.kind], name.partition("/")
    return kind.path(project.data, use.name) / rest if head == STORE else _reports(project, use) / name


def _reports(project: Project, use: Use) -> Path:
    return project.counts / KINDS[use.kind].stage / use.kind / use.name


def _files(project: Project, use: Use) -> dict[str, Path]:
    """Return name in the stored input -> output path, for all linked files."""
    place, reports = KINDS[use.kind].path(project.data, use.name), _reports(project, use)
    found = {STORE: place} if place.is_file() else {}
    found |= {f"{STORE}/{path.relative_to(place).as_posix()}": path for path in place.rglob("*") if path.is_file()}
    return found | {path.name: path for path in reports.glob("*")}
