"""Commands on releases that are here or published: list, show, pull, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Buckets, Folder, Mini, Suites, Tasks
from haymaker.core.entry_points import build_function


def releases() -> None:
    """Releases here, built or pulled.

    Name, version, rows, tokens, size, proved, published; the active one of this project has a `*`.
    """
    from haymaker.releases.display.list_releases import show as print_releases

    print_releases()


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
    from haymaker.releases.display.show import show as print_row
    from haymaker.releases.display.show import show_retrieved
    from haymaker.releases.folder import release_folder

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
    from haymaker.releases.pulled.ref import parse_reference
    from haymaker.releases.remote.pull import pull as bring
    from haymaker.releases.selection import Selection

    wanted = Selection.of(suites, tasks, buckets, split=split, mini=mini)
    bring(parse_reference(name, "pull"), wanted, into, plan=only_plan)


def validate(release: Folder = None) -> None:
    """Verify a release again.

    Without --release, verify the active release of this project completely: parameters, stage records, manifest, card, every file and row.
    With --release, compare the files of any release with its manifest.
    """
    if release is None:
        build_function("validate")()
        return
    from haymaker.releases import manifest
    from haymaker.releases.folder import release_folder

    manifest.verify(release_folder(release))
