"""Commands for local and published releases: list, show, pull, verify."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Optional

import typer

from haymaker.cli.shared_options import Folder, JsonFile, Lengths, Mini, Suites, Tasks, choice
from haymaker.core.choices import SPLITS
from haymaker.core.entry_points import build_function
from haymaker.core.errors import CheckFailed, ReleaseError


def releases(json_file: JsonFile = None) -> None:
    """List the releases on this machine, built or pulled.

    Columns: name, version, rows, tokens, size, verified, published. A `*` marks the active release of this project.

    Example: haymaker releases
    """
    from haymaker.releases.display.list_releases import show as print_releases

    print_releases(json_file)


def show(
    task: Annotated[str, typer.Argument(help="Task, suite/task, config such as babilong_qa1_4k, or row id.")],
    length: Annotated[Optional[str], typer.Option("--length", "-l", help="Length, such as 32k.")] = None,
    index: Annotated[int, typer.Option("--index", "-i", min=0, help="Row number, from 0.")] = 0,
    split: Annotated[str, choice("--split", choices=SPLITS, what="split", help="Split of the row.")] = "test",
    release: Folder = None,
    json_file: JsonFile = None,
) -> None:
    """Print one row of a release.

    Spans are coloured (named in brackets without colours); the middle of a long prompt is folded.

    Example: haymaker show qa1 --length 4k
    """
    from haymaker.releases.display.show import show as print_row
    from haymaker.releases.folder import release_folder

    print_row(release_folder(release), task, length, index, split, json_file)


def pull(
    name: Annotated[
        str, typer.Argument(help="ORG/NAME on the Hub or s3://BUCKET/FOLDER; add @1.2.3 for an older version.")
    ],
    tasks: Tasks = "",
    suites: Suites = "",
    lengths: Lengths = "",
    split: Annotated[
        str, choice("--split", choices=(*SPLITS, "all"), what="split", help="Split of the rows.")
    ] = "test",
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

    Example: haymaker pull ORG/NAME --mini
    """
    from haymaker.releases.pulled.ref import parse_reference
    from haymaker.releases.remote.pull import pull as bring
    from haymaker.releases.selection import Selection

    wanted = Selection.of(suites, tasks, lengths, split=split, mini=mini)
    bring(parse_reference(name, "pull"), wanted, local_dir, plan=only_plan)


def validate(release: Folder = None, json_file: JsonFile = None) -> None:
    """Verify a release again.

    Without --release, verify the project's active release: parameters, stage records, manifest, card, files and rows.
    With --release, compare the files of any release with its manifest. Exit status 1 if something is wrong.

    Example: haymaker validate
    """
    from haymaker.core.files.json_output import write_json_or_print
    from haymaker.releases import manifest
    from haymaker.releases.folder import release_folder

    folder = None if release is None else release_folder(release)
    try:
        with CheckFailed.instead_of(ReleaseError) if folder else nullcontext():
            facts = manifest.verify(folder) if folder else build_function("validate")()
    except CheckFailed as error:
        write_json_or_print(json_file, {"passed": False, "problem": str(error)})
        raise
    write_json_or_print(json_file, {"passed": True, **facts})
