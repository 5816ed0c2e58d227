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
        bool, typer.Option("--public", help="Make a new repository public, or confirm that an existing one is.")
    ] = False,
    allow: Annotated[
        Optional[list[str]],
        typer.Option(help="Restricted source that you may publish. Repeat for several sources."),
    ] = None,
    exclude_restricted: Annotated[
        bool, typer.Option("--exclude-restricted", help="Exclude tasks built from sources with restrictive licences.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Publish. Default: only print the plan.")] = False,
) -> None:
    """Publish a release on the Hub or in a store.

    Without --yes, prints the plan and sends nothing. With --yes, uploads missing files, verifies all of them, and marks
    the version. To resume an interrupted upload, repeat the command.

    Example: haymaker publish ORG/NAME --yes
    """
    require_packages(*BUILD)
    from pipelines.publishing import publish as publishing

    publishing.publish(publishing.PublishOptions(repo, release, public, tuple(allow or ()), exclude_restricted, yes))
