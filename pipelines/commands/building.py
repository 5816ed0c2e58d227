"""Commands that build: a release, a stage of one; what it will cost, what proves it, how fast this machine is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.extras import BUILD, demand
from pipelines.commands.words import Folder, Release


def run(
    release: Release = None,
    force: Annotated[bool, typer.Option("--force", help="Run every stage, up to date or not.")] = False,
) -> None:
    """Build a release and prove every row.

    Chooses it, checks it, lets DVC do what is not up to date; stopped, the same command goes on.
    """
    demand(*BUILD)
    from pipelines.signals import signals_wait

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
    demand(*BUILD)
    from pipelines.signals import signals_wait, watch

    with signals_wait():
        from pipelines import stages
        from pipelines.project import Project
        from pipelines.stages.lock import run_above

    watch(os.getppid(), run_above() or 0)
    stages.run(Project.here(), name)


def validate(release: Folder = None) -> None:
    """Prove a release again.

    Without --release that of params.yaml, whole: parameters, stage records, manifest, card, every file and row.
    With it the files of any release against its manifest.
    """
    if release is not None:
        from pipelines import manifest
        from pipelines.release import release_folder

        manifest.demand(release_folder(release))
    else:
        demand(*BUILD)
        from pipelines.project import Project
        from pipelines.run import runner

        runner.validate(Project.here())


def bench(
    topic: Annotated[
        str, typer.Argument(help="rows, retrieval, synthetic, proof, or a suite by name, such as longbench.")
    ] = "rows",
    rows: Annotated[int, typer.Option(min=1, help="With rows: rows per length.")] = 20,
    passages: Annotated[int, typer.Option(min=1000, help="With retrieval: passages searched.")] = 100_000,
    release: Annotated[
        Optional[str],
        typer.Option("--release", "-r", help="With proof: a release built here; without it the active one."),
    ] = None,
    bucket: Annotated[Optional[str], typer.Option(help="With proof: the only length that is measured.")] = None,
    task: Annotated[
        Optional[list[str]], typer.Option(help="With proof: SUITE/TASK, the only one measured; may be given again.")
    ] = None,
    anew: Annotated[bool, typer.Option("--anew", help="With proof: do not go on with a run that was stopped.")] = False,
    json_file: Annotated[Optional[Path], typer.Option("--json", help="Write the figures here too.")] = None,
) -> None:
    """Measure speeds on this machine.

    As ratios of what it allows and of a naive generator or search, in one run; of a suite its memory too.
    """
    demand(*BUILD)
    from pipelines.bench import entries, proof, synthetic
    from pipelines.bench import retrieval as bench_retrieval
    from pipelines.bench import suites as benchmark
    from pipelines.project import Project

    if topic == "rows":
        benchmark.run(Project.here(), rows, json_file)
    elif topic == "retrieval":
        bench_retrieval.run(bench_retrieval.Sizes(passages=passages), json_file)
    elif topic == "synthetic":
        synthetic.run(Project.here(), json_file)
    elif topic == "proof":
        proof.run(Project.here().with_release(release), bucket, json_file, task or (), anew=anew)
    else:
        entries.run(Project.here(), topic, json_file)


def quality(
    topic: Annotated[str, typer.Argument(help="novels, stories, cheat, encyclopaedia, or all.")] = "novels",
    page: Annotated[
        Optional[Path], typer.Option(help="Markdown file whose tables are rewritten; plots go to plots/ beside it.")
    ] = None,
) -> None:
    """Simulated text beside real text.

    The real one is that of HAYMAKER_MIRROR: prose, stories, how visible facts are, how hard a search is.
    """
    demand(*BUILD)
    from pipelines import quality as comparison
    from pipelines.project import Project

    comparison.run(Project.here(), topic, page)


def doctor() -> None:
    """Is this machine ready?

    Python, programs, packages, disk, mirror, tokenizers.
    """
    from pipelines import doctor as checkup
    from pipelines.project import Project

    checkup.run(Project.here())
