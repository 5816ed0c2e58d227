"""Run pipeline stages: locking, parameter checks and stage records."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from haymaker.core.choices import check_choice
from haymaker.core.files.disk import remove, sweep
from pipelines.execution.executor import shared_workers
from pipelines.execution.signals import signals_wait
from pipelines.stages import records
from pipelines.stages.project_lock import check_unchanged, stage_alone
from pipelines.stages.stage_table import STAGES, outs, record_file

if TYPE_CHECKING:
    from pipelines.project import Project


def run(project: Project, name: str) -> None:
    """Run one stage while holding the project lock.

    Raises:
        ParamsError: unknown stage, or the parameters were edited while it ran.
        EnvironmentProblem: another run holds the lock.
        ReleaseError: an earlier stage was run with other parameters.
    """
    check_choice(name, [*STAGES], "stage")
    with stage_alone(project, f"haymaker dev stage {name}"):
        perform(project, name)


def perform(project: Project, name: str, *, fresh: bool = False) -> None:
    """Run one stage of a locked project, and write its record when all outputs are complete.

    Args:
        project: the project.
        name: name of the stage.
        fresh: check every file again, including files checked before (`validate`).
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
