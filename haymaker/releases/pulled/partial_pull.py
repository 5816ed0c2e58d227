"""A release folder of which not every file is there: what `haymaker pull` was asked for, and what to say of the rest."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from haymaker.core.buckets import bucket_order
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import read_json, write_json, write_text
from haymaker.core.files.yaml_file import mapping

STATE = Path(".cache/haymaker")
"""Of a pulled release: its lock, its note, files on their way. No part of the release."""
MINI = re.compile(r"mini/(?P<suite>\w+)/(?P<task>\w[\w.+-]*)/test-\d{5}-of-\d{5}\.parquet")
"""Files of the small set."""
_ROWS = re.compile(
    r"data/(?P<suite>\w+)/(?P<task>\w[\w.+-]*)/(?P<bucket>\w[\w.+-]*)/(?P<part>test|dev|train)-\d{5}-of-\d{5}\.parquet"
)
CONFIGS = ".huggingface.yaml"
"""Of a pulled release: the configs whose files are here. `datasets` takes them before those of the card."""
_NOTE = "pulled.json"
_KEYS = ("repo", "version", "commit", "manifest")
_TASKS = 8  # that are named in a command; of more, their suites


@dataclass(frozen=True, slots=True)
class RowFile:
    """What a file of rows is of."""

    name: str
    suite: str
    task: str
    bucket: str
    part: str


@dataclass(frozen=True, slots=True)
class PullNote:
    """What is noted in a pulled folder.

    Attributes:
        repo: ORG/NAME, or the address of a store.
        version: such as 0.7.0.
        commit: of the Hub, 40 hexadecimal digits; of a store the version.
        manifest: SHA-256 of the release's manifest.
        asked: files that pulls were to bring here, those of pulls that were stopped among them.
    """

    repo: str
    version: str
    commit: str
    manifest: str
    asked: tuple[str, ...]


def row_file(name: str) -> RowFile | None:
    """Suite, task, bucket and part of a file of rows by its name; None of any other name, such as one that leads out of the folder."""
    found = _ROWS.fullmatch(name)
    return RowFile(name, **found.groupdict()) if found else None


def suite_of(name: str) -> str:
    """Suite of a file of rows, of the small set too, by its name; "" of any other name."""
    found = _ROWS.fullmatch(name) or MINI.fullmatch(name)
    return found["suite"] if found else ""


def read_note(folder: Path) -> PullNote | None:
    """What was pulled into a folder; None where nothing was.

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
    """Leave word of what a pull is to bring, before it begins."""
    write_json(folder / STATE / _NOTE, {key: getattr(what, key) for key in _KEYS} | {"asked": sorted(what.asked)})


def pull_command(what: PullNote, names: Iterable[str]) -> str:
    """The command that brings these files (and perhaps a few more)."""
    rows = [found for name in names if (found := row_file(name))]
    words = [f"haymaker pull {what.repo}@{what.version}"]
    if rows:
        tasks = list(dict.fromkeys(f"{found.suite}/{found.task}" for found in rows))
        suites, buckets = ({getattr(found, key) for found in rows} for key in ("suite", "bucket"))
        words.append(f"--tasks {','.join(tasks)}" if len(tasks) <= _TASKS else f"--suites {','.join(sorted(suites))}")
        words.append(f"--buckets {','.join(sorted(buckets, key=bucket_order))}")
    parts = {found.part for found in rows}
    if parts - {"test"}:
        words.append(f"--split {parts.pop() if len(parts) == 1 else 'all'}")
    return " ".join([*words, *(["--mini"] if any(map(MINI.fullmatch, names)) else [])])


def check_pulled(release: Path, task: str, bucket: str | None, part: str) -> None:
    """In a folder that was pulled in part: rows that the release has are here.

    Args:
        release: its folder.
        task: name, or suite/task.
        bucket: name; None: any.
        part: test, dev or train.

    Raises:
        ReleaseError: they are not, and how they come here.
    """
    if read_note(release) is None:
        return
    wanted = [
        found
        for name in _listed(release)
        if (found := row_file(name))
        and task in (found.task, f"{found.suite}/{found.task}")
        and bucket in (None, found.bucket)
        and found.part == part
    ]
    here = {found.bucket for found in wanted if (release / found.name).is_file()}
    if wanted and not here:
        raise not_pulled(release, [found.name for found in wanted])


def not_pulled(release: Path, names: Sequence[str]) -> ReleaseError:
    """The error about files of a pulled release that were not asked for yet."""
    what = read_note(release)
    assert what is not None
    rows = [found for name in names if (found := row_file(name))]
    tasks = list(dict.fromkeys(f"{found.suite}/{found.task}" for found in rows))
    buckets = sorted({found.bucket for found in rows}, key=bucket_order)
    more = f" and {len(tasks) - 1} more tasks" if tasks[1:] else ""
    what_not = f"{tasks[0]}{more}, {rows[0].part} rows at {', '.join(buckets)}, not pulled yet"
    return ReleaseError(what_not, where=f"{what.repo}@{what.version}", fix=pull_command(what, names))


def files_not_pulled(release: Path, ids: Iterable[str]) -> list[str]:
    """Files that must hold the rows of these ids and are not here; none where the release was not pulled in part.

    An id begins with suite, task and bucket (generators/context/writer.py).
    """
    if read_note(release) is None:
        return []
    absent = [found for name in _listed(release) if (found := row_file(name)) and not (release / name).is_file()]
    starts: dict[str, list[str]] = {}
    for found in absent:
        if found.part == "test":
            starts.setdefault(f"{found.suite}-{found.task}-{found.bucket}-", []).append(found.name)
    given = list(ids)
    return [name for start, names in starts.items() if any(i.startswith(start) for i in given) for name in names]


def _listed(release: Path) -> Mapping[str, Any]:
    files: Mapping[str, Any] = read_json(release / "manifest.json", "files")["files"]
    return files


def write_configs(folder: Path, names: Iterable[str]) -> None:
    """Let `load_dataset(folder, config)` read what is here.

    The library looks for the files of the card's first config, whichever is asked for, and stops where there are none.

    Args:
        folder: of a pulled release.
        names: files that are here.
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
    """What the head of a release's card tells `load_dataset`: name and files of each config."""
    text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    head = text.removeprefix("---\n").partition("\n---\n")[0]
    return list(mapping(head.encode(), name="README.md")["configs"])


def split_patterns(split: Mapping[str, Any]) -> list[str]:
    """Patterns of the files of one part of a config: the card has one, or a list of them."""
    path = split["path"]
    return [str(each) for each in (path if isinstance(path, list) else [path])]
