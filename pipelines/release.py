"""A finished release as a folder: one that a project built, or one that was downloaded; no project is needed to read it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from generators.spec import config_name
from haymaker.buckets import bucket_order
from haymaker.errors import ParamsError, ReleaseError
from haymaker.files import read_json
from haymaker.json_lines import json_lines, text
from haymaker.params import nearest
from haymaker.yaml_file import mapping, read_bytes
from pipelines.parquet import REBUILD, read_row_groups, to_rows
from pipelines.partial import demand_pulled
from pipelines.places import is_reference, pulled_release

BUILT = Path("data/releases")
ANSWER = "answer"
"""The call of a request whose prompt is a row's."""
MINI = "mini"
"""Folder of the small set, whose rows are copies of rows in data/."""
PARTS = ("test", "dev", "train")
_COLUMNS = ("id", "group_id", "suite", "task", "bucket", "part", "variant", "metrics")


def release_folder(given: str | Path | None) -> Path:
    """The folder of a release.

    Args:
        given: its folder, the name of one that the project of the current folder built (its own, or that of its file in params/),
            or ORG/NAME[@VERSION] of one that was pulled; None: what params.yaml says.

    Raises:
        ReleaseError: there is no release.
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
        fix = "give the folder that holds README.md and data/"
        raise ReleaseError("no release in this folder", where=str(folder), fix=fix)
    here = [place.name for place in built()]
    fix = nearest(str(given), here) if here else "give its folder; haymaker releases lists those that are here"
    if (Path("params") / f"{given}.yaml").is_file():
        fix = f"haymaker run --release {given} builds it"
    raise ReleaseError(f"no release {str(given)!r:.120} here", where="--release", fix=fix)


def built() -> list[Path]:
    """Folders of the releases that the project of the current folder has built, by name; none where it is no project."""
    return sorted(folder for folder in BUILT.glob("*") if _holds(folder))


def active() -> str:
    """Name of the release that params.yaml of the current folder says; empty where there is none."""
    return _name_in(Path("params.yaml"))


def _active() -> Path:
    folder = BUILT / active()
    if _holds(folder) and folder != BUILT:
        return folder
    here = [place.name for place in built()]
    fix = f"haymaker run, or name another by --release: {', '.join(here)}" if here else (
        "name a folder by --release, or haymaker run in a project")  # fmt: skip
    raise ReleaseError("nothing is built yet", where=str(folder), fix=fix)


def _holds(folder: Path) -> bool:
    return any(next(folder.glob(f"{below}/*/*"), None) for below in ("data", MINI))


def _name_in(file: Path) -> str:
    """release.name of a parameter file; "" where there is none."""
    if not file.is_file():
        return ""
    release = mapping(read_bytes(file, name=str(file)), name=str(file)).get("release")
    return str(release.get("name", "")) if isinstance(release, dict) else ""


def rows(
    release: Path, columns: Callable[[Mapping[str, Any]], tuple[str, ...] | None], ids: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Rows of data/, and those of mini/ that are not there, with no more columns than `columns` asks for: prompts may be long.

    It is told suite and task of a file, and the metrics that any of its rows has, those of the first row first. With `ids` rows of these
    alone.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known_ids = None if ids is None else pa.array(sorted(ids), pa.string())
    for path in (*sorted((release / "data").rglob("*.parquet")), *sorted((release / MINI).rglob("*.parquet"))):
        facts = read_row_groups(path, ("suite", "task", "metrics"))
        known = [row for table in facts for row in to_rows(table, path)]
        if not all(row["metrics"] for row in known):
            raise ReleaseError("a row names no metric", where=str(path), fix=REBUILD)
        metrics = dict.fromkeys(metric for row in known for metric in row["metrics"])
        wanted = columns(known[0] | {"metrics": list(metrics)}) if known else None
        if wanted is not None:
            for whole in read_row_groups(path, tuple(dict.fromkeys((*_COLUMNS, *wanted)))):
                table = whole if known_ids is None else whole.filter(pc.is_in(whole["id"], value_set=known_ids))
                yield from (row for row in to_rows(table, path) if not _is_copy(release, path, row))


def _is_copy(release: Path, path: Path, row: Mapping[str, Any]) -> bool:
    """Whether a row of the small set stands in data/ too, where the release is whole or its table was pulled."""
    if path.is_relative_to(release / "data"):
        return False
    table = release / "data" / row["suite"] / row["task"] / row["bucket"]
    return next(table.glob(f"{row['part']}-*.parquet"), None) is not None


def find(release: Path, task: str, bucket: str | None, index: int, part: str) -> dict[str, Any]:
    """A row by task (or suite/task, in any case of letters), bucket, part and number; by a config such as babilong_qa1_4k, part and
    number; or by its id.

    Raises:
        ReleaseError: there is none, or two suites have a task of that name.
    """
    where = str(release)
    if part not in PARTS:
        raise ReleaseError(f"no part {part!r:.80}", where="--part", fix=nearest(part, PARTS))
    task, bucket = _named(release, task, bucket)
    demand_pulled(release, task, bucket, part)
    if row := _by_id(release, task):
        return row
    buckets = {path.name: path for path in sorted(_task(release, task).iterdir(), key=_length)}
    bucket = bucket or next(iter(buckets), "")
    if bucket not in buckets:
        raise ReleaseError(f"no bucket {bucket!r} of {task}", where=where, fix=nearest(bucket, buckets))
    seen = 0
    for file in sorted(buckets[bucket].glob(f"{part}-*.parquet")):
        for table in read_row_groups(file):
            if seen <= index < seen + len(table):
                return to_rows(table.slice(index - seen, 1), file)[0]
            seen += len(table)
    raise ReleaseError(
        f"{task} {bucket} has {seen} {part} rows, numbered from 0", where=f"--index {index}", fix="choose another"
    )


def _length(path: Path) -> tuple[float, int]:
    """Sort key of folders of lengths; what is no length comes last."""
    try:
        return bucket_order(path.name)
    except ParamsError:
        return math.inf, 0


def _named(release: Path, name: str, bucket: str | None) -> tuple[str, str | None]:
    """Task and bucket of a name as people type it; both as they were given where it is none."""
    low, folders = name.lower(), sorted((release / "data").glob("*/*"))
    for folder in folders:
        names = folder.name, f"{folder.parent.name}/{folder.name}"
        if name in names:
            return name, bucket
    for folder in folders:
        suite, task = folder.parent.name, folder.name
        for plain in (task, f"{suite}/{task}"):
            if low == plain.lower():
                return plain, bucket
        for length in (place.name for place in sorted(folder.iterdir())):
            if low in {config_name(suite, task, length, simulated=told).lower() for told in (False, True)}:
                return f"{suite}/{task}", length
    return name, bucket


def _by_id(release: Path, name: str) -> dict[str, Any] | None:
    """The row of that id; None where the name is that of a task, or of nothing. Of files without it the ids alone are read."""
    if any(name in (folder.name, f"{folder.parent.name}/{folder.name}") for folder in (release / "data").glob("*/*")):
        return None
    for path in (*sorted((release / "data").rglob("*.parquet")), *sorted((release / MINI).rglob("*.parquet"))):
        if any(name in table["id"].to_pylist() for table in read_row_groups(path, ("id",))):
            return next(row for table in read_row_groups(path) for row in to_rows(table, path) if row["id"] == name)
    return None


def _task(release: Path, name: str) -> Path:
    """Folder of a task."""
    every = sorted((release / "data").glob("*/*"))
    found = [path for path in every if name in (path.name, f"{path.parent.name}/{path.name}")]
    if not found:
        fix = nearest(name, (path.name for path in every))
        raise ReleaseError(f"no task {name!r} in this release", where=str(release), fix=fix)
    if len(found) > 1:
        suites = [path.parent.name for path in found]
        what = f"{' and '.join(suites)} have a task {name!r}"
        raise ReleaseError(what, where=str(release), fix=f"say {suites[0]}/{name} or {suites[1]}/{name}")
    return found[0]


def manifest(release: Path) -> dict[str, Any]:
    """What the release says of itself; nothing where it has no manifest yet."""
    path = release / "manifest.json"
    return read_json(path, "name", "version", "edition", "sources") if path.is_file() else {}


def read_outputs(path: Path) -> dict[str, str]:
    """Outputs of a model by row id, from JSON lines with `id` and `output`, both text, or replies that `haymaker eval` wrote.

    Raises:
        ReleaseError: the file cannot be read, a line is without them or holds something else there, or an id comes twice.
    """
    outputs: dict[str, str] = {}
    for where, record in json_lines(path):
        told = "reply" if record.get("call") == ANSWER and "output" not in record else "output"
        row_id, output = (text(record.get(key, ...), key, where) for key in ("id", told))
        if row_id in outputs:
            raise ReleaseError(f"id {row_id!r} comes twice", where=where, fix="keep one output of each row")
        outputs[row_id] = output
    return outputs
