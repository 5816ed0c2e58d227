"""Release folders, built by a project or pulled; reading them requires no project."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import read_json
from haymaker.core.files.yaml_file import mapping, read_bytes
from haymaker.core.params import nearest
from haymaker.core.rows.parquet import REBUILD, read_row_groups, to_rows
from haymaker.releases.pulled.folders import is_reference, pulled_release

BUILT = Path("data/releases")
ANSWER = "answer"
"""Call name of requests whose prompt is a row's prompt."""
MINI = "mini"
"""Folder of the small subset; its rows are copies of rows in data/."""
_COLUMNS = ("id", "group_id", "suite", "task", "length", "split", "variant", "metrics")


def release_folder(given: str | PathLike[str] | None) -> Path:
    """Return the folder of a release.

    Args:
        given: its folder, the name of a release built by the project in the current folder (or of its file in params/),
            or ORG/NAME[@VERSION] of a pulled release. None: the release of params.yaml.

    Raises:
        ReleaseError: there is no such release.
    """
    if given is None:
        return _active()
    folder = Path(given)
    if _holds(folder):
        return folder
    for name in (str(given), _name_in(Path("params") / f"{given}.yaml")):
        if name and _holds(BUILT / name):
            return BUILT / name
    if is_reference(str(given)):
        return pulled_release(str(given))
    if folder.is_dir():
        fix = "give the folder that contains README.md and data/"
        raise ReleaseError("contains no release", where=str(folder), fix=fix)
    here = [place.name for place in built_releases()]
    fix = nearest(str(given), here) if here else "give its folder, or choose a release that haymaker releases lists"
    if file := str(given) if (Path("params") / f"{given}.yaml").is_file() else params_file_of(Path(), str(given)):
        fix = f"haymaker run {file} builds it"
    raise ReleaseError(f"release {str(given)!r:.120} not found", where="--release", fix=fix)


def built_releases() -> list[Path]:
    """Return the sorted folders of releases built in the current project; empty outside a project."""
    return sorted(folder for folder in BUILT.glob("*") if _holds(folder))


def active_name() -> str:
    """Return the name of the release in params.yaml, or an empty string."""
    return _name_in(Path("params.yaml"))


def _active() -> Path:
    folder = BUILT / active_name()
    if _holds(folder) and folder != BUILT:
        return folder
    here = [place.name for place in built_releases()]
    fix = f"run haymaker run, or choose another with --release: {', '.join(here)}" if here else (
        "give a folder with --release, or run haymaker run in a project")  # fmt: skip
    raise ReleaseError("is not built yet", where=str(folder), fix=fix)


def _holds(folder: Path) -> bool:
    return any(next(folder.glob(f"{below}/*/*"), None) for below in ("data", MINI))


def params_file_of(root: Path, name: str) -> str:
    """Return the stem of the file in params/ whose release has this name, or an empty string."""
    for file in sorted((root / "params").glob("*.yaml")):
        with contextlib.suppress(ParamsError):
            if _name_in(file) == name:
                return file.stem
    return ""


def _name_in(file: Path) -> str:
    """Return release.name of a parameter file, or an empty string."""
    if not file.is_file():
        return ""
    release = mapping(read_bytes(file, name=str(file)), name=str(file)).get("release")
    return str(release.get("name", "")) if isinstance(release, dict) else ""


def row_files(release: Path) -> list[Path]:
    """Return the Parquet files of a release: those of data/, then those of mini/."""
    return [path for below in ("data", MINI) for path in sorted((release / below).rglob("*.parquet"))]


def rows(
    release: Path, columns: Callable[[Mapping[str, Any]], tuple[str, ...] | None], ids: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield rows of data/, and of mini/ if they are not in data/, with only the required columns.

    `columns` receives suite, task and metrics of a file (metrics of the first row first) and returns the columns to
    read, or None to skip the file. `ids` limits the rows; files without any of them are skipped.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known_ids = None if ids is None else pa.array(sorted(ids), pa.string())
    for path in row_files(release):
        facts = read_row_groups(path, ("id", "suite", "task", "metrics"))
        known = [row for table in facts for row in to_rows(table, path)]
        if not all(row["metrics"] for row in known):
            raise ReleaseError("a row has no metric", where=str(path), fix=REBUILD)
        if ids is not None and not any(row["id"] in ids for row in known):
            continue
        metrics = dict.fromkeys(metric for row in known for metric in row["metrics"])
        wanted = columns(known[0] | {"metrics": list(metrics)}) if known else None
        if wanted is not None:
            for whole in read_row_groups(path, tuple(dict.fromkeys((*_COLUMNS, *wanted)))):
                table = whole if known_ids is None else whole.filter(pc.is_in(whole["id"], value_set=known_ids))
                yield from (row for row in to_rows(table, path) if not _is_copy(release, path, row))


def _is_copy(release: Path, path: Path, row: Mapping[str, Any]) -> bool:
    """Check whether a row of mini/ is also in data/: the release is complete, or its table was pulled."""
    if path.is_relative_to(release / "data"):
        return False
    table = release / "data" / row["suite"] / row["task"] / row["length"]
    return next(table.glob(f"{row['split']}-*.parquet"), None) is not None


def manifest(release: Path) -> dict[str, Any]:
    """Return the manifest of a release, or an empty dict if there is none yet."""
    path = release / "manifest.json"
    return read_json(path, "name", "version", "edition", "sources") if path.is_file() else {}
