"""Commands that build: a release, a stage of one; what it will cost, what proves it, how fast this machine is."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from haymaker.cli.shared_options import Release
from haymaker.core.extras import BUILD, require_packages


def run(
    release: Release = None,
    force: Annotated[bool, typer.Option("--force", help="Run every stage, up to date or not.")] = False,
) -> None:
    """Build a release and prove every row.

    Chooses it, checks it, lets DVC do what is not up to date; stopped, the same command goes on.
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
    per_table: Annotated[bool, typer.Option("--tables", help="One line per task, bucket and part.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Measure this machine for some seconds; minutes go by that.")
    ] = False,
    machines: Annotated[int, typer.Option(min=1, help="Minutes on so many machines like this one, with Ray.")] = 1,
) -> None:
    """What a release will be and cost.

    Rows, tokens, GB, minutes, downloads, licences and price of the prompts, before anything is done.
    """
    from pipelines.plan import show
    from pipelines.project import Project

    show.show(Project.here().with_release(release), price, per_table=per_table, calibrate=calibrate, machines=machines)


def stage(name: str) -> None:
    """Run one stage (what dvc.yaml calls).

    download, prepare, retrieve, generate, validate, card.
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
    """Is this machine ready?

    Python, programs, packages, disk, mirror, tokenizers.
    """
    from pipelines.plan import doctor as checkup
    from pipelines.project import Project

    checkup.run(Project.here())


def tasks(release: Release = None) -> None:
    """Every task, and its rows in a release.

    What it asks, metrics, oracle, what it reads, rows by length.
    """
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.tasks(Project.here().with_release(release))
