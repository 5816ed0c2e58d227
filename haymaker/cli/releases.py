"""Commands for local and published releases: list, show, pull, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Folder, Lengths, Mini, Suites, Tasks
from haymaker.core.entry_points import build_function


def releases() -> None:
    """List the releases on this machine, built or pulled.

    Columns: name, version, rows, tokens, size, verified, published. A `*` marks the active release of this project.
    """
    from haymaker.releases.display.list_releases import show as print_releases

    print_releases()


def show(
    task: Annotated[str, typer.Argument(help="Task, suite/task, config such as babilong_qa1_4k, or row id.")],
    length: Annotated[Optional[str], typer.Option("--length", "-l", help="Length, such as 32k.")] = None,
    index: Annotated[int, typer.Option("--index", "-i", min=0, help="Row number, from 0.")] = 0,
    split: Annotated[str, typer.Option(help="Split: test, dev or train.")] = "test",
    release: Folder = None,
) -> None:
    """Print one row with coloured spans (named in brackets without colours) and a folded middle."""
    from haymaker.releases.display.show import show as print_row
    from haymaker.releases.folder import release_folder

    print_row(release_folder(release), task, length, index, split)


def pull(
    name: Annotated[
        str, typer.Argument(help="ORG/NAME on the Hub or s3://BUCKET/FOLDER; add @1.2.3 for an older version.")
    ],
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    split: Annotated[str, typer.Option(help="Split: test, dev, train or all.")] = "test",
    mini: Mini = False,
    local_dir: Annotated[
        Optional[Path], typer.Option(help="Target folder. Default: HAYMAKER_HOME or the cache.")
    ] = None,
    only_plan: Annotated[
        bool, typer.Option("--dry-run", help="Dry run: print the files to pull; only texts are downloaded.")
    ] = False,
) -> None:
    """Download a release, or some of its files, from the Hub or a store.

    Default: the test rows of all tasks and lengths. Every file is verified. Run it again to resume.
    """
    from haymaker.releases.pulled.ref import parse_reference
    from haymaker.releases.remote.pull import pull as bring
    from haymaker.releases.selection import Selection

    wanted = Selection.of(suites, tasks, lengths, split=split, mini=mini)
    bring(parse_reference(name, "pull"), wanted, local_dir, plan=only_plan)


def validate(release: Folder = None) -> None:
    """Verify a release again.

    Without --release, verify the project's active release: parameters, stage records, manifest, card, files and rows.
    With --release, compare the files of any release with its manifest.
    """
    if release is None:
        build_function("validate")()
        return
    from haymaker.releases import manifest
    from haymaker.releases.folder import release_folder

    manifest.verify(release_folder(release))
