"""Commands that build and publish releases, registered through the entry point `haymaker.commands`."""

from __future__ import annotations

import typer

from haymaker.cli.groups import BUILD, DEVELOP, PUBLISH
from pipelines.commands import building, option_files, parameters, publishing, sources

developer = typer.Typer(
    help="Measure Haymaker, run one stage, prepare wrong answer options.\n\nExample: haymaker dev bench rows",
    no_args_is_help=True,
)
"""Commands of `haymaker dev`."""


def add_commands(app: typer.Typer) -> None:
    """Add the build commands to the program."""
    for command in (building.run, building.plan, building.tasks, building.doctor):
        app.command(rich_help_panel=BUILD)(command)
    app.add_typer(sources.app, name="sources", rich_help_panel=BUILD)
    app.add_typer(parameters.app, name="params", rich_help_panel=BUILD)
    app.command(rich_help_panel=PUBLISH)(publishing.publish)
    developer.command()(building.stage)
    developer.add_typer(option_files.app, name="options")
    app.add_typer(developer, name="dev", rich_help_panel=DEVELOP)
