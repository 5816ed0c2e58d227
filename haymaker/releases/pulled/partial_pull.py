"""State of partially pulled releases: requested files, missing files and the commands that fetch them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json, write_json, write_text
from haymaker.core.files.yaml_file import mapping
from haymaker.core.lengths import length_order

STATE = Path(".cache/haymaker")
"""Folder in a pulled release for its lock, pull note and unfinished downloads; not part of the release."""
MINI = re.compile(r"mini/(?P<suite>\w+)/(?P<task>\w[\w.+-]*)/test-\d{5}-of-\d{5}\.parquet")
"""File names of the small set."""
_ROWS = re.compile(
    r"data/(?P<suite>\w+)/(?P<task>\w[\w.+-]*)/(?P<length>\w[\w.+-]*)/(?P<split>test|dev|train)-\d{5}-of-\d{5}\.parquet"
)
CONFIGS = ".huggingface.yaml"
"""File in a pulled release with the configs of its local files. `datasets` prefers it to the card."""
_NOTE = "pulled.json"
_KEYS = ("repo", "version", "commit", "manifest")
_TASKS = 8  # maximum tasks named in a command; beyond it, suites are named


@dataclass(frozen=True, slots=True)
class RowFile:
    """Name of a row file, with its suite, task, length and split."""

    name: str
    suite: str
    task: str
    length: str
    split: str


@dataclass(frozen=True, slots=True)
class PullNote:
    """Record of the pulls into a folder.

    Attributes:
        repo: ORG/NAME, or the address of a store.
        version: release version, such as 0.7.0.
        commit: Hub commit of 40 hexadecimal digits; for a store, the version.
        manifest: SHA-256 of the release's manifest.
        asked: requested files, including those of stopped pulls.
    """

    repo: str
    version: str
    commit: str
    manifest: str
    asked: tuple[str, ...]


def row_file(name: str) -> RowFile | None:
    """Parse the name of a row file; None for other names, such as paths outside the folder."""
    found = _ROWS.fullmatch(name)
    return RowFile(name, **found.groupdict()) if found else None


def suite_of(name: str) -> str:
    """Return the suite of a row file (also in the small set), or "" for other names."""
    found = _ROWS.fullmatch(name) or MINI.fullmatch(name)
    return found["suite"] if found else ""


def read_note(folder: Path) -> PullNote | None:
    """Return the pull note of a folder, or None.

    Raises:
        EnvironmentProblem: the note is damaged.
    """
    path = folder / STATE / _NOTE
    if not path.is_file():
        return None
    noted = read_json(path, *_KEYS, "asked")
    repo, version, commit, manifest = (str(noted[key]) for key in _KEYS)
    return PullNote(repo, version, commit, manifest, tuple(map(str, noted["asked"])))


def write_note(folder: Path, what: PullNote) -> None:
    """Record the files of a pull before it starts."""
    write_json(folder / STATE / _NOTE, {key: getattr(what, key) for key in _KEYS} | {"asked": sorted(what.asked)})


def pull_command(what: PullNote, names: Iterable[str]) -> str:
    """Return the command that pulls these files (and possibly a few more)."""
    rows = [found for name in names if (found := row_file(name))]
    words = [f"haymaker pull {what.repo}@{what.version}"]
    if rows:
        tasks = list(dict.fromkeys(f"{found.suite}/{found.task}" for found in rows))
        suites, lengths = ({getattr(found, key) for found in rows} for key in ("suite", "length"))
        words.append(f"--tasks {','.join(tasks)}" if len(tasks) <= _TASKS else f"--suites {','.join(sorted(suites))}")
        words.append(f"--lengths {','.join(sorted(lengths, key=length_order))}")
    splits = {found.split for found in rows}
    if splits - {"test"}:
        words.append(f"--split {splits.pop() if len(splits) == 1 else 'all'}")
    return " ".join([*words, *(["--mini"] if any(map(MINI.fullmatch, names)) else [])])


def check_pulled(release: Path, task: str, length: str | None, split: str) -> None:
    """Check that requested rows of a partially pulled release are on disk.

    Args:
        release: release folder.
        task: task name, or suite/task.
        length: length name; None: any.
        split: test, dev or train.

    Raises:
        ReleaseError: the rows were not pulled; the error contains the pull command.
    """
    if read_note(release) is None:
        return
    wanted = [
        found
        for name in _listed(release)
        if (found := row_file(name))
        and task in (found.task, f"{found.suite}/{found.task}")
        and length in (None, found.length)
        and found.split == split
    ]
    here = {found.length for found in wanted if (release / found.name).is_file()}
    if wanted and not here:
        raise not_pulled(release, [found.name for found in wanted])


def not_pulled(release: Path, names: Sequence[str]) -> ReleaseError:
    """Return the error for files of a release that were not pulled."""
    what = read_note(release)
    assert what is not None
    rows = [found for name in names if (found := row_file(name))]
    tasks = list(dict.fromkeys(f"{found.suite}/{found.task}" for found in rows))
    lengths = sorted({found.length for found in rows}, key=length_order)
    more = f" and {len(tasks) - 1} more tasks" if tasks[1:] else ""
    what_not = f"{tasks[0]}{more}, {rows[0].split} rows at {', '.join(lengths)}, not pulled yet"
    return ReleaseError(what_not, where=f"{what.repo}@{what.version}", fix=pull_command(what, names))


def files_not_pulled(release: Path, ids: Iterable[str]) -> list[str]:
    """Return the missing test files that contain rows with these ids; empty if the release was not pulled.

    Ids begin with suite, task and length (generators/context/writer.py).
    """
    if read_note(release) is None:
        return []
    absent = [found for name in _listed(release) if (found := row_file(name)) and not (release / name).is_file()]
    starts: dict[str, list[str]] = {}
    for found in absent:
        if found.split == "test":
            starts.setdefault(f"{found.suite}-{found.task}-{found.length}-", []).append(found.name)
    given = list(ids)
    return [name for start, names in starts.items() if any(i.startswith(start) for i in given) for name in names]


def _listed(release: Path) -> Mapping[str, Any]:
    files: Mapping[str, Any] = read_json(release / "manifest.json", "files")["files"]
    return files


def write_configs(folder: Path, names: Iterable[str]) -> None:
    """Write the configs of the local files, for `load_dataset(folder, config)`.

    The library always resolves the files of the card's first config, and fails if there are none.

    Args:
        folder: folder of a pulled release.
        names: names of the local files.
    """
    names, found = list(names), []
    for config in card_configs(folder):
        files = [
            split
            for split in config["data_files"]
            if any(fnmatch.filter(names, path) for path in split_patterns(split))
        ]
        if files:
            found.append({"config_name": config["config_name"], "data_files": files})
    write_text(folder / CONFIGS, yaml.safe_dump({"configs": found}, sort_keys=False))


def card_configs(folder: Path) -> list[Any]:
    """Return the configs in the card's front matter: names and files for `load_dataset`."""
    text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    head = text.removeprefix("---\n").partition("\n---\n")[0]
    return list(mapping(head.encode(), name="README.md")["configs"])


def split_patterns(split: Mapping[str, Any]) -> list[str]:
    """Return the file patterns of one split of a config (a string or a list in the card)."""
    path = split["path"]
    return [str(each) for each in (path if isinstance(path, list) else [path])]
