"""Commands of the program `haymaker`; the build half adds its own. Heavy modules are imported inside the commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from haymaker import __version__
from haymaker.cli import exit, models, releases, scores
from haymaker.cli.groups import USE, CommandGroups
from haymaker.core.entry_points import COMMANDS, entry_points
from haymaker.core.verbosity import DETAILS, QUIET, set_verbosity

app = typer.Typer(
    cls=CommandGroups,
    help="Versioned long-context benchmark datasets: built to length, every row verified.\n\nExample: haymaker eval -h",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
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
    app.command(name, rich_help_panel=USE)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"haymaker {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print details: the output of DVC, the traceback of an error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    set_verbosity(QUIET if quiet else DETAILS if verbose else "")
    exit.check_machine()
