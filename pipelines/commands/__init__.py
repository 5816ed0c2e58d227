"""The commands of the program `haymaker`. Heavy modules are imported inside them: `haymaker --help` stays quick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from haymaker import __version__
from pipelines import ending
from pipelines.commands import building, models, options, releases, scores, sources

_COMMANDS: dict[str, Callable[..., None]] = {
    "run": building.run,
    "releases": releases.releases,
    "plan": building.plan,
    "stage": building.stage,
    "tasks": releases.tasks,
    "show": releases.show,
    "validate": building.validate,
    "pull": releases.pull,
    "bench": building.bench,
    "score": scores.score,
    "compare": scores.compare,
    "agreement": scores.agreement_with_people,
    "report": scores.report_page,
    "ask": models.ask,
    "eval": models.evaluate,
    "export": models.export,
    "publish": releases.publish,
    "quality": building.quality,
    "doctor": building.doctor,
}

app = typer.Typer(
    help="Versioned long-context benchmark datasets: built to length, proved row by row.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(sources.app, name="sources")
app.add_typer(options.app, name="options")
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"haymaker {__version__}")
        raise typer.Exit


@app.callback()
def _top(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False) -> None:
    ending.demand_machine()
