"""Project lock, and the parameter snapshot shared by a run and its stages."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import locked
from pipelines.project import Project
from pipelines.stages.stage_table import made_by

RUN_VARIABLE = "HAYMAKER_RUN"
SNAPSHOT_VARIABLE = "HAYMAKER_SNAPSHOT"
_AGAIN = "run haymaker run to build the current version; finished work is kept"


@contextmanager
def run_alone(project: Project, what: str) -> Iterator[None]:
    """Lock the project against other runs and against stages started by hand or by a plain `dvc repro`.

    Args:
        project: the project.
        what: description of this process, shown to processes that find the lock.

    Raises:
        EnvironmentProblem: another process holds the lock; the message contains its id and start time.
    """
    with _held(project, "run", what):
        with _held(project, "stage", what):  # the stage of a killed run ends within a moment
            pass
        yield


@contextmanager
def stage_alone(project: Project, what: str) -> Iterator[None]:
    """Lock the project for a stage, started by `haymaker run` or by hand.

    Raises:
        EnvironmentProblem: another process holds the lock.
        ParamsError: the parameters have changed since the run started.
    """
    with ExitStack() as held:
        if run_above() is None:
            held.enter_context(_held(project, "run", what))
        held.enter_context(_held(project, "stage", what))
        if os.environ.get(SNAPSHOT_VARIABLE, project.snapshot) != project.snapshot:
            raise ParamsError("changed while the release was being built", where=project.file, fix=_AGAIN)
        yield


def run_above() -> int | None:
    """Return the process id of the `haymaker run` that started this stage, or None."""
    given = os.environ.get(RUN_VARIABLE, "")
    return int(given) if given.isdecimal() else None


def check_unchanged(project: Project, stage: str | None = None) -> None:
    """Check that the parameter files are unchanged; for a stage, only its own parameters.

    Raises:
        ParamsError: names the file that was edited during the run.
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
