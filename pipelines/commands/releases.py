"""Commands on releases that are here or published: list, look, bring, publish."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.extras import BUILD, demand
from pipelines.commands.words import Buckets, Folder, Mini, Release, Suites, Tasks


def releases() -> None:
    """Releases here, built or pulled.

    Name, version, rows, tokens, size, proved, published; the active one of this project has a `*`.
    """
    from pipelines.reports.releases import show as print_releases

    print_releases()


def tasks(release: Release = None) -> None:
    """Every task, and its rows in a release.

    What it asks, metrics, oracle, what it reads, rows by length.
    """
    from pipelines.project import Project
    from pipelines.reports import catalogue

    catalogue.tasks(Project.here().with_release(release))


def show(
    task: Annotated[
        str, typer.Argument(help="A task, suite/task, config such as babilong_qa1_4k, or the id of a row.")
    ],
    bucket: Annotated[Optional[str], typer.Option("--bucket", "-b", help="Length, e.g. 32k.")] = None,
    index: Annotated[int, typer.Option("--index", "-i", min=0, help="Row, from 0.")] = 0,
    part: Annotated[str, typer.Option(help="test, dev or train.")] = "test",
    retrieved: Annotated[Optional[int], typer.Option(help="Print the prompt of the best 1 to 20 pieces.")] = None,
    unit: Annotated[str, typer.Option(help="With --retrieved: sentence or chunk.")] = "sentence",
    order: Annotated[str, typer.Option(help="With --retrieved: document or score.")] = "document",
    release: Folder = None,
) -> None:
    """One finished row: spans coloured (without colours named in brackets), the middle folded."""
    from pipelines.release import release_folder
    from pipelines.reports.show import show as print_row
    from pipelines.reports.show import show_retrieved

    folder = release_folder(release)
    if retrieved is None:
        print_row(folder, task, bucket, index, part)
    else:
        show_retrieved(folder, task, bucket, index, part, retrieved, unit, order)


def pull(
    name: Annotated[
        str, typer.Argument(help="ORG/NAME of the Hub or s3://BUCKET/FOLDER, the newest version; or that and @1.2.3.")
    ],
    tasks: Tasks = "",
    suites: Suites = "",
    buckets: Buckets = "",
    split: Annotated[str, typer.Option(help="test, dev, train or all.")] = "test",
    mini: Mini = False,
    into: Annotated[Optional[Path], typer.Option(help="A folder of your own; else HAYMAKER_HOME or the cache.")] = None,
    only_plan: Annotated[
        bool, typer.Option("--plan", help="Say what would come; of files only the texts come.")
    ] = False,
) -> None:
    """Bring a release of the Hub or of a store, or a part.

    Without options the test rows of every task at every length. Verified file by file; stopped, the same command goes on.
    """
    from pipelines.hub.choice import Choice
    from pipelines.hub.pull import pull as bring
    from pipelines.reference import parse

    wanted = Choice.of(suites, tasks, buckets, split=split, mini=mini)
    bring(parse(name, "pull"), wanted, into, plan=only_plan)


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
    demand(*BUILD)
    from pipelines.hub import publish as publishing

    publishing.publish(publishing.Wish(repo, release, public, tuple(allow or ()), permissive, yes))
