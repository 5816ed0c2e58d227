"""Commands of the program `haymaker`; the build half adds its own. Heavy modules are imported inside the commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from haymaker import __version__
from haymaker.cli import exit, models, releases, scores
from haymaker.core.entry_points import COMMANDS, entry_points

app = typer.Typer(
    help="Versioned long-context benchmark datasets: built to length, every row verified.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for entry in entry_points(COMMANDS):
    entry.load()(app)
_COMMANDS: dict[str, Callable[..., None]] = {
    "releases": releases.releases,
    "pull": releases.pull,
    "show": releases.show,
    "validate": releases.validate,
    "ask": models.ask,
    "eval": models.evaluate,
    "score": scores.score,
    "compare": scores.compare,
    "agreement": scores.agreement_with_people,
    "report": scores.report_page,
    "export": models.export,
}
for name, command in _COMMANDS.items():
    app.command(name)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"haymaker {__version__}")
        raise typer.Exit


@app.callback()
def _top(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False) -> None:
    exit.check_machine()
