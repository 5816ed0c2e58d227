"""Commands that plan and build releases, check the machine and list tasks."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from haymaker.cli.shared_options import JsonFile, ParamsFile, PriceIn
from haymaker.core.extras import BUILD, require_packages


def run(
    name: ParamsFile = None,
    force: Annotated[bool, typer.Option("--force", help="Run every stage, even if it is up to date.")] = False,
) -> None:
    """Build a release and validate every row.

    Makes the release active and runs stages that are not up to date. To resume an interrupted run, repeat the command.

    Example: haymaker run demo
    """
    require_packages(*BUILD)
    from pipelines.execution.signals import signals_wait

    with signals_wait():
        from pipelines.project import Project
        from pipelines.run import runner

    runner.run(Project.here(), name, force=force)


def plan(
    name: ParamsFile = None,
    price_in: PriceIn = 1.0,
    per_table: Annotated[bool, typer.Option("--tables", help="Print one line per task, length and split.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Benchmark this machine for a few seconds to estimate times.")
    ] = False,
    machines: Annotated[int, typer.Option(min=1, help="Number of machines like this one (Ray).")] = 1,
    json_file: JsonFile = None,
) -> None:
    """Estimate size, time and cost of a release.

    Prints rows, tokens, disk space, minutes, downloads, licences and the price of the prompts. Builds nothing.

    Example: haymaker plan demo --tables
    """
    from pipelines.plan import show
    from pipelines.project import Project

    project = Project.here().with_release(name)
    show.show(project, price_in or 0.0, json_file, per_table=per_table, calibrate=calibrate, machines=machines)


def stage(
    name: Annotated[str, typer.Argument(help="download, prepare, retrieve, generate, validate or card.")],
) -> None:
    """Run one stage of the build (called by dvc.yaml).

    Example: haymaker dev stage generate
    """
    require_packages(*BUILD)
    from pipelines.execution.signals import signals_wait, watch

    with signals_wait():
        from pipelines import stages
        from pipelines.project import Project
        from pipelines.stages.project_lock import run_above

    watch(os.getppid(), run_above() or 0)
    stages.run(Project.here(), name)


def doctor(
    gpu: Annotated[bool, typer.Option("--gpu", help="Check GPUs too: memory, FAISS, a small search, speed.")] = False,
    json_file: JsonFile = None,
) -> None:
    """Check that this machine can build releases.

    Checks Python, programs, packages, disk, mirror and tokenizers, and with --gpu the GPUs. Exit status 1 if a finding
    prevents a build.

    Example: haymaker doctor
    """
    from pipelines.plan import doctor as checkup
    from pipelines.project import Project

    checkup.run(Project.here(), json_file, gpu=gpu)


def tasks(name: ParamsFile = None, json_file: JsonFile = None) -> None:
    """List every task with its rows in a release.

    Prints question, metrics, oracle, inputs and rows by length.

    Example: haymaker tasks demo
    """
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.tasks(Project.here().with_release(name), json_file)
