"""Stage records: the parameters of a stage run, and the SHA-256 of every file it wrote.

DVC records parameters when a stage ends and compares files by time and size. A stage record holds the parameters read
at the start. It allows checking every byte, and outputs made with different parameters are never combined in a release.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from haymaker.core.errors import EnvironmentProblem, ReleaseError
from haymaker.core.files.disk import read_json, sha256_once, write_json
from haymaker.core.rng import digest
from pipelines.project import Project
from pipelines.stages.stage_table import STAGES, made_by, outs, record_file

AGAIN = "haymaker run builds it again"
OTHER_PARAMETERS = "not made with the parameters in force"


def write(project: Project, stage: str, known: Mapping[str, str], **facts: Any) -> None:
    """Write the record of a stage that has just run.

    Args:
        project: the project.
        stage: name of the stage.
        known: path below the project -> SHA-256 of files hashed already; other files are hashed here.
        facts: additional JSON values for the record.
    """
    names = [project.name_of(path) for path in _files(project, stage)]
    unknown = [name for name in names if name not in known]
    hashed = dict(zip(unknown, _hashes([project.root / name for name in unknown]), strict=True))
    content = {
        "made_by": made_by(project, stage),
        "files": {**hashed, **{n: known[n] for n in names if n in known}},
        **facts,
    }
    write_json(record_file(project, stage), {**content, "digest": _seal(content)})


def read(project: Project, stage: str) -> dict[str, Any] | None:
    """Return the record of a stage, or None if it is missing or damaged."""
    try:
        found: dict[str, Any] = read_json(record_file(project, stage), "made_by", "files", "digest")
    except EnvironmentProblem:
        return None
    return found if found.pop("digest") == _seal(found) else None


def changed(project: Project, stage: str, record: Mapping[str, Any], below: Iterable[Path] | None = None) -> list[Path]:
    """Return the files of a stage that differ from its record: changed, missing, or not written by the stage.

    Args:
        project: the project.
        stage: name of the stage.
        record: record returned by `read`.
        below: folders to check; None = all outputs.
    """
    folders = None if below is None else list(below)
    here = set(_files(project, stage)) if folders is None else {file for each in folders for file in _below(each)}
    noted = {project.root / name: sha256 for name, sha256 in record["files"].items()}
    wanted = (
        noted.keys()
        if folders is None
        else [file for file in noted if any(file.is_relative_to(each) for each in folders)]
    )
    files = sorted(here | set(wanted))
    return [file for file, sha256 in zip(files, _hashes(files), strict=True) if sha256 != noted.get(file)]


def check(project: Project, stage: str, below: Iterable[Path] | None = None) -> None:
    """Check that a stage was run with the current parameters and its files are unchanged; without a record, do nothing.

    Raises:
        ReleaseError: names the first outdated record, or the first changed, missing or foreign file.
    """
    check_params(project, [stage])
    if record := read(project, stage):
        for file in changed(project, stage, record, below):
            name = project.name_of(file)
            if name not in record["files"]:
                raise ReleaseError("not written by a stage", where=name, fix="haymaker run removes it")
            what = "changed since it was built" if file.exists() else "missing"
            raise ReleaseError(what, where=name, fix=AGAIN)


def check_params(project: Project, stages: Iterable[str]) -> None:
    """Check that the existing records of stages match the current parameters.

    Raises:
        ReleaseError: names the first record that does not match or is damaged.
    """
    for stage in stages:
        place = record_file(project, stage)
        record = read(project, stage)
        if place.is_file() and (record is None or record["made_by"] != made_by(project, stage)):
            what = f"{OTHER_PARAMETERS} ({', '.join(STAGES[stage].params)})" if record else "damaged"
            raise ReleaseError(what, where=project.name_of(place), fix=AGAIN)


def _files(project: Project, stage: str) -> Iterator[Path]:
    for out in outs(project, stage):
        yield from _below(out)


def _below(place: Path) -> list[Path]:
    """Return the files below a folder, or the file itself; `.gitignore` files are excluded."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and path.name != ".gitignore")


def _hashes(files: list[Path]) -> list[str]:
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(sha256_once, files))


def _seal(content: Mapping[str, Any]) -> str:
    return digest(json.dumps(content, sort_keys=True)).hex()
