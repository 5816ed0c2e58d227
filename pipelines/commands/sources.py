"""`haymaker sources`: raw sources, what they are and whether they are here."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Release

app = typer.Typer(help="Raw sources: list them, verify what is here.", no_args_is_help=True)


@app.command("list")
def every() -> None:
    """Every kind of source: what it is, licence, size, what is here."""
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.sources(Project.here())


@app.command("verify")
def verify(name: Annotated[Optional[str], typer.Argument()] = None) -> None:
    """Compare raw files that are here with their recorded checksums."""
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.verify(Project.here(), name)


@app.command("check")
def check(release: Release = None) -> None:
    """Ask every address of a release's sources for its first megabyte and look at it; exit status 2 when one is broken."""
    from pipelines.plan import check_urls
    from pipelines.project import Project

    check_urls.check(Project.here().with_release(release))
