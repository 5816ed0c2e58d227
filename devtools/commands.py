"""Commands for developers of Haymaker: `haymaker dev bench` and `haymaker dev quality`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import JsonFile
from haymaker.core.extras import BUILD, require_packages
from pipelines.commands import developer


def add_commands(_: typer.Typer) -> None:
    """Add the developer commands to the group `haymaker dev` of the program."""
    developer.command()(bench)
    developer.command()(quality)


def bench(
    topic: Annotated[
        str, typer.Argument(help="rows, retrieval, synthetic, validate, or the name of a suite, such as longbench.")
    ] = "rows",
    rows: Annotated[int, typer.Option(min=1, help="(rows only) Rows per length.")] = 20,
    passages: Annotated[int, typer.Option(min=1000, help="(retrieval only) Number of passages to search.")] = 100_000,
    params: Annotated[
        Optional[str], typer.Option(help="(validate only) NAME of params/NAME.yaml. Default: params.yaml.")
    ] = None,
    length: Annotated[Optional[str], typer.Option(help="(validate only) Measure only this length.")] = None,
    tasks: Annotated[str, typer.Option(help="(validate only) Tasks to measure, comma-separated: SUITE/TASK.")] = "",
    restart: Annotated[bool, typer.Option("--restart", help="(validate only) Start over, do not resume.")] = False,
    json_file: JsonFile = None,
) -> None:
    """Measure the speed of Haymaker on this machine.

    Prints ratios to the limits of the machine and to a naive generator or search. For a suite, also measures memory.

    Example: haymaker dev bench retrieval
    """
    require_packages(*BUILD)
    from devtools.bench import entries, synthetic, validation
    from devtools.bench import retrieval as bench_retrieval
    from devtools.bench import suites as benchmark
    from haymaker.releases.selection import words
    from pipelines.project import Project

    if topic == "rows":
        benchmark.run(Project.here(), rows, json_file)
    elif topic == "retrieval":
        bench_retrieval.run(bench_retrieval.Sizes(passages=passages), json_file)
    elif topic == "synthetic":
        synthetic.run(Project.here(), json_file)
    elif topic == "validate":
        validation.run(Project.here().with_release(params), length, json_file, words(tasks), restart=restart)
    else:
        entries.run(Project.here(), topic, json_file)


def quality(
    topic: Annotated[str, typer.Argument(help="novels, stories, cheat, encyclopaedia, or all.")] = "novels",
    page: Annotated[
        Optional[Path], typer.Option(help="Markdown file whose tables to update. Plots go to plots/ next to it.")
    ] = None,
) -> None:
    """Compare simulated text with real text.

    Real text comes from HAYMAKER_MIRROR. Compares prose, stories, visibility of facts and difficulty of search.

    Example: haymaker dev quality stories
    """
    require_packages(*BUILD)
    from devtools import quality as comparison
    from pipelines.project import Project

    comparison.run(Project.here(), topic, page)
