"""`haymaker sources`: list, verify and check raw sources."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import ParamsFile

app = typer.Typer(
    help="List raw sources, verify files and check addresses.\n\nExample: haymaker sources list", no_args_is_help=True
)


@app.command("list")
def every() -> None:
    """List every kind of source with title, licence, size and state.

    Example: haymaker sources list
    """
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.sources(Project.here())


@app.command("verify")
def verify(
    name: Annotated[
        Optional[str], typer.Argument(metavar="SOURCE", help="Source of the active release. Default: all.")
    ] = None,
) -> None:
    """Compare local raw files with their recorded checksums. Exit status 1 if a file differs.

    Example: haymaker sources verify
    """
    from pipelines.plan import catalogue
    from pipelines.project import Project

    catalogue.verify(Project.here(), name)


@app.command("check")
def check(name: ParamsFile = None) -> None:
    """Request and inspect the first megabyte of every source address. Exit status 1 if one is broken.

    Example: haymaker sources check mirror
    """
    from pipelines.plan import check_urls
    from pipelines.project import Project

    check_urls.check(Project.here().with_release(name))
