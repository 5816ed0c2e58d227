"""`haymaker sources`: list, verify and check raw sources."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Release

app = typer.Typer(help="List raw sources, verify files and check addresses.", no_args_is_help=True)


@app.command("list")
def every() -> None:
    """List every kind of source with title, licence, size and state."""
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.sources(Project.here())


@app.command("verify")
def verify(name: Annotated[Optional[str], typer.Argument()] = None) -> None:
    """Compare local raw files with their recorded checksums."""
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.verify(Project.here(), name)


@app.command("check")
def check(release: Release = None) -> None:
    """Request and inspect the first megabyte of every source address; exit status 2 if one is broken."""
    from pipelines.plan import check_urls
    from pipelines.project import Project

    check_urls.check(Project.here().with_release(release))
