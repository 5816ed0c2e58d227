"""The project lock, and the snapshot of the parameters that a run and its stages share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import locked
from pipelines.project import Project
from pipelines.stages.table import made_by

RUN_VARIABLE = "HAYMAKER_RUN"
SNAPSHOT_VARIABLE = "HAYMAKER_SNAPSHOT"
_AGAIN = "haymaker run builds what it says now; finished work is kept"


@contextmanager
def run_alone(project: Project, what: str) -> Iterator[None]:
    """Lock the project: no other run, and no stage started by hand or by a plain `dvc repro`.

    Args:
        project: the project.
        what: is done, for whoever must wait.

    Raises:
        EnvironmentProblem: another process is at work; says which, and since when.
    """
    with _held(project, "run", what):
        with _held(project, "stage", what):  # a stage whose run was killed ends within a moment
            pass
        yield


@contextmanager
def stage_alone(project: Project, what: str) -> Iterator[None]:
    """Hold the project for a stage: of the `haymaker run` above it, or by itself.

    Raises:
        EnvironmentProblem: another process is at work.
        ParamsError: the parameters are no longer those that the run began with.
    """
    with ExitStack() as held:
        if run_above() is None:
            held.enter_context(_held(project, "run", what))
        held.enter_context(_held(project, "stage", what))
        if os.environ.get(SNAPSHOT_VARIABLE, project.snapshot) != project.snapshot:
            raise ParamsError("changed while the release was being built", where=project.file, fix=_AGAIN)
        yield


def run_above() -> int | None:
    """Process id of the `haymaker run` that this stage belongs to."""
    given = os.environ.get(RUN_VARIABLE, "")
    return int(given) if given.isdecimal() else None


def check_unchanged(project: Project, stage: str | None = None) -> None:
    """The files that decide what is built are those that were read; for a stage, its own parameters in them.

    Raises:
        ParamsError: names the file that was edited in the meantime.
    """
    now = Project(project.root, project.file)
    if now.snapshot == project.snapshot:
        return
    if stage is None or made_by(now, stage) != made_by(project, stage):
        changed = next(name for name, text in project.texts.items() if now.texts[name] != text)
        raise ParamsError("changed while the release was being built", where=changed, fix=_AGAIN)


@contextmanager
def _held(project: Project, name: str, what: str) -> Iterator[None]:
    owner = f"process {os.getpid()}, {what}, since {time.strftime('%Y-%m-%d %H:%M:%S')}"
    with locked(_folder(project) / name, owner=owner):
        yield


def _folder(project: Project) -> Path:
    return project.work / "locks"
