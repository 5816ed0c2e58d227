"""Commands that plan and build releases, check the machine and list tasks."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from haymaker.cli.shared_options import Release
from haymaker.core.extras import BUILD, require_packages


def run(
    release: Release = None,
    force: Annotated[bool, typer.Option("--force", help="Run every stage, even if it is up to date.")] = False,
) -> None:
    """Build a release and validate every row.

    Makes the release active and runs stages that are not up to date. To resume an interrupted run, repeat the command.
    """
    require_packages(*BUILD)
    from pipelines.execution.signals import signals_wait

    with signals_wait():
        from pipelines.project import Project
        from pipelines.run import runner

    runner.run(Project.here(), release, force=force)


def plan(
    release: Release = None,
    price: Annotated[float, typer.Option(min=0, help="Price per million prompt tokens.")] = 1.0,
    per_table: Annotated[bool, typer.Option("--tables", help="Print one line per task, length and split.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Benchmark this machine for a few seconds to estimate times.")
    ] = False,
    machines: Annotated[int, typer.Option(min=1, help="Number of machines like this one (Ray).")] = 1,
) -> None:
    """Estimate size, time and cost of a release.

    Prints rows, tokens, disk space, minutes, downloads, licences and the price of the prompts. Builds nothing.
    """
    from pipelines.plan import show
    from pipelines.project import Project

    show.show(Project.here().with_release(release), price, per_table=per_table, calibrate=calibrate, machines=machines)


def stage(name: str) -> None:
    """Run one stage of the build (called by dvc.yaml).

    Stages: download, prepare, retrieve, generate, validate, card.
    """
    require_packages(*BUILD)
    from pipelines.execution.signals import signals_wait, watch

    with signals_wait():
        from pipelines import stages
        from pipelines.project import Project
        from pipelines.stages.project_lock import run_above

    watch(os.getppid(), run_above() or 0)
    stages.run(Project.here(), name)


def doctor() -> None:
    """Check that this machine can build releases.

    Checks Python, programs, packages, disk, mirror and tokenizers.
    """
    from pipelines.plan import doctor as checkup
    from pipelines.project import Project

    checkup.run(Project.here())


def tasks(release: Release = None) -> None:
    """List every task with its rows in a release.

    Prints question, metrics, oracle, inputs and rows by length.
    """
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.tasks(Project.here().with_release(release))
