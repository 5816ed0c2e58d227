"""Find a row of a release by task, config or id."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from haymaker.core.choices import SPLITS, check_choice
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.lengths import length_order
from haymaker.core.params import nearest
from haymaker.core.rows.config_name import config_name
from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.releases.folder import row_files
from haymaker.releases.pulled.partial_pull import card_configs, check_pulled, split_patterns

_NEAR = 300  # ids with the longest common prefix that are compared fully


def find(release: Path, task: str, length: str | None, index: int, split: str) -> dict[str, Any]:
    """Return a row by task or suite/task in any case, with length, split and number, or by config name, or by id.


    Raises:
        ReleaseError: there is no such row, or two suites have a task of this name.
    """
    where = str(release)
    check_choice(split, SPLITS, "split", "--split")
    task, length = _named(release, task, length)
    check_pulled(release, task, length, split)
    if not _is_task(release, task):
        if files := list(_of_several(release, task, split)):
            return _numbered(files, index, f"{task} has {{}} {split} rows")
        if row := _by_id(release, task):
            return row
    lengths = {path.name: path for path in sorted(_task(release, task).iterdir(), key=lambda each: _length(each.name))}
    length = length or next(iter(lengths), "")
    if length not in lengths:
        raise ReleaseError(f"{task} has no length {length!r}", where=where, fix=nearest(length, lengths, order=_length))
    return _numbered(
        sorted(lengths[length].glob(f"{split}-*.parquet")), index, f"{task} {length} has {{}} {split} rows"
    )


def find_id(release: Path, row_id: str) -> dict[str, Any]:
    """Return the row with an id.

    Raises:
        ReleaseError: the release has no such row.
    """
    if row := _by_id(release, row_id):
        return row
    raise ReleaseError(f"no row {row_id!r:.200} in this release", where=str(release), fix=near_id_of(release, row_id))


def _numbered(files: Iterable[Path], index: int, told: str) -> dict[str, Any]:
    """Return row `index` of files; `told` is the error text with the row count, if there is no such row."""
    seen = 0
    for file in files:
        for table in read_row_groups(file):
            if seen <= index < seen + len(table):
                return to_rows(table.slice(index - seen, 1), file)[0]
            seen += len(table)
    what = f"{told.format(seen)}, numbered from 0" if seen else told.format("no")
    fix = f"choose a number up to {seen - 1}" if seen else "choose another length or split"
    raise ReleaseError(what, where=f"--index {index}", fix=fix)


def _of_several(release: Path, name: str, split: str) -> Iterator[Path]:
    """Yield the files of a config with several tasks: the small set, or one length of one or all suites."""
    for config in _card(release):
        if str(config["config_name"]).lower() == name.lower():
            paths = [path for each in config["data_files"] if each["split"] == split for path in split_patterns(each)]
            yield from (file for path in paths for file in sorted(release.glob(path)))


def _card(release: Path) -> list[Any]:
    """Return the configs of the card, or an empty list without a readable card."""
    try:
        return card_configs(release)
    except (OSError, ParamsError, LookupError, TypeError):
        return []


def _unknown(release: Path, name: str, tasks: Sequence[str]) -> ReleaseError:
    """Return the error for an unknown name, with the closest known ones."""
    suites = [path.name for path in (release / "data").glob("*")]
    if name.startswith(tuple(f"{suite}-" for suite in suites)):
        return ReleaseError(f"no row {name!r:.200} in this release", where=str(release), fix=near_id_of(release, name))
    known = [*tasks, *(str(config["config_name"]) for config in _card(release))]
    fix = nearest(name, known)
    if fix.startswith("known: "):
        fix = f"give one of its {len(tasks)} tasks (such as {', '.join(tasks[:3])}), a config or a row id"
    return ReleaseError(f"no task {name!r:.200} in this release", where=str(release), fix=fix)


def near_id_of(release: Path, name: str) -> str:
    """Return a suggestion for an id that the release does not contain."""
    ids = (
        each
        for path in row_files(release)
        for table in read_row_groups(path, ("id",))
        for each in table["id"].to_pylist()
    )
    return near_id(name, ids) or "build the release again"


def near_id(name: str, ids: Iterable[str]) -> str:
    """Return a suggestion for an unknown id: the nearest ids, or an example; an empty string if there are no ids."""
    known = sorted(set(ids), key=lambda each: (-_begun(each, name), each))
    close = difflib.get_close_matches(name, known[:_NEAR], n=2, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else f"use an id such as {known[0]}" if known else ""


def _begun(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _length(name: str) -> tuple[float, int]:
    """Return a sort key for length folders; unknown names come last."""
    try:
        return length_order(name)
    except ParamsError:
        return math.inf, 0


def _named(release: Path, name: str, length: str | None) -> tuple[str, str | None]:
    """Return task and length of a task or config name; unchanged if there is no match."""
    low, folders = name.lower(), sorted((release / "data").glob("*/*"))
    for folder in folders:
        names = folder.name, f"{folder.parent.name}/{folder.name}"
        if name in names:
            return name, length
    for folder in folders:
        suite, task = folder.parent.name, folder.name
        for plain in (task, f"{suite}/{task}"):
            if low == plain.lower():
                return plain, length
        for each in (place.name for place in sorted(folder.iterdir())):
            known = {config_name(suite, task, each, simulated=told).lower() for told in (False, True)}
            if low in known:
                return f"{suite}/{task}", each
    return name, length


def _is_task(release: Path, name: str) -> bool:
    return any(
        name in (folder.name, f"{folder.parent.name}/{folder.name}") for folder in (release / "data").glob("*/*")
    )


def _by_id(release: Path, name: str) -> dict[str, Any] | None:
    """Return the row with this id, or None; only the id column is read until a file matches."""
    for path in row_files(release):
        if any(name in table["id"].to_pylist() for table in read_row_groups(path, ("id",))):
            return next(row for table in read_row_groups(path) for row in to_rows(table, path) if row["id"] == name)
    return None


def _task(release: Path, name: str) -> Path:
    """Return the folder of a task."""
    every = sorted((release / "data").glob("*/*"))
    found = [path for path in every if name in (path.name, f"{path.parent.name}/{path.name}")]
    if not found:
        raise _unknown(release, name, [path.name for path in every])
    if len(found) > 1:
        suites = [path.parent.name for path in found]
        what = f"{' and '.join(suites)} have a task {name!r}"
        raise ReleaseError(what, where=str(release), fix=f"use {suites[0]}/{name} or {suites[1]}/{name}")
    return found[0]
