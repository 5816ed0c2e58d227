"""The command that publishes a release."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Folder
from haymaker.core.extras import BUILD, require_packages


def publish(
    repo: Annotated[
        str, typer.Argument(help="ORG/NAME on the Hugging Face Hub, or an address such as s3://BUCKET/FOLDER.")
    ],
    release: Folder = None,
    *,
    public: Annotated[
        bool, typer.Option("--public", help="Readable for everybody; without it a new repository is private.")
    ] = False,
    allow: Annotated[
        Optional[list[str]],
        typer.Option(help="A source whose terms restrict it and that you may publish; once for each."),
    ] = None,
    permissive: Annotated[
        bool, typer.Option("--permissive", help="Leave out the tasks that sources with such terms are in.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it.")] = False,
) -> None:
    """Publish a release on the Hub or in a store.

    Without --yes nothing is sent: it says what would be. With it: files that are not there yet, every one verified, then the
    mark of the version; stopped, the same command goes on.
    """
    require_packages(*BUILD)
    from pipelines.publishing import publish as publishing

    publishing.publish(publishing.PublishOptions(repo, release, public, tuple(allow or ()), permissive, yes))
