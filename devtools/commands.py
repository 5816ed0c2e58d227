"""Commands for developers of Haymaker: `haymaker bench` and `haymaker quality`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.core.extras import BUILD, require_packages


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this folder to the program."""
    app.command("bench")(bench)
    app.command("quality")(quality)


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
    require_packages(*BUILD)
    from devtools.bench import entries, proof, synthetic
    from devtools.bench import retrieval as bench_retrieval
    from devtools.bench import suites as benchmark
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
    require_packages(*BUILD)
    from devtools import quality as comparison
    from pipelines.project import Project

    comparison.run(Project.here(), topic, page)
