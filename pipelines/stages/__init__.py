"""The six stages, and the one way to run them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from haymaker.core.errors import ParamsError
from haymaker.core.files.disk import remove, sweep
from haymaker.core.params import nearest
from pipelines.execution.executor import shared_workers
from pipelines.execution.signals import signals_wait
from pipelines.stages import records
from pipelines.stages.project_lock import check_unchanged, stage_alone
from pipelines.stages.table import STAGES, outs, record_file

if TYPE_CHECKING:
    from pipelines.project import Project


def run(project: Project, name: str) -> None:
    """Run a stage, alone in the project.

    Raises:
        ParamsError: unknown stage, or the parameters were edited while it ran.
        EnvironmentProblem: another run is at work.
        ReleaseError: what it would read was not made with the parameters in force.
    """
    if name not in STAGES:
        raise ParamsError(f"unknown stage {name!r}", fix=nearest(name, STAGES))
    with stage_alone(project, f"haymaker stage {name}"):
        perform(project, name)


def perform(project: Project, name: str, *, fresh: bool = False) -> None:
    """Run a stage while the project is locked; its record appears when all of its outputs are there.

    Args:
        project: the project.
        name: of the stage.
        fresh: check every file again, also those that were checked before (`validate`).
    """
    for out in outs(project, name):
        sweep(out.parent)
    records.check_params(project, STAGES[name].reads)
    remove(record_file(project, name))
    with signals_wait():
        module = importlib.import_module(f"pipelines.stages.{name}")
    with shared_workers():
        known, facts = module.run(project, **({"fresh": True} if fresh else {}))
    records.write(project, name, known, **facts)
    check_unchanged(project, name)
