"""Commands that build and publish releases, registered through the entry point `haymaker.commands`."""

from __future__ import annotations

from collections.abc import Callable

import typer

from pipelines.commands import building, option_files, parameters, publishing, sources


def add_commands(app: typer.Typer) -> None:
    """Add the build commands to the program."""
    commands: dict[str, Callable[..., None]] = {
        "run": building.run,
        "plan": building.plan,
        "stage": building.stage,
        "tasks": building.tasks,
        "publish": publishing.publish,
        "doctor": building.doctor,
    }
    for name, command in commands.items():
        app.command(name)(command)
    app.add_typer(sources.app, name="sources")
    app.add_typer(parameters.app, name="params")
    app.add_typer(option_files.app, name="options")
