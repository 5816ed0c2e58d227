"""What of a release another program gets: its tables of test rows, and what is the same for all rows of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from haymaker.core.files.disk import read_json
from haymaker.core.rows.parquet import read_row_groups, to_rows
from haymaker.evaluation.score.score_row import NEEDED
from haymaker.releases.configs import task_rows as listed
from haymaker.releases.folder import manifest
from haymaker.releases.pulled.partial_pull import MINI, row_file
from haymaker.releases.selection import Selection
from haymaker.scoring.metrics import get

SMALL = "mini"
_SAVED = "haymaker_tables.json"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one task at one length, or its rows of the small set.

    Attributes:
        name: as `load_dataset` has it, "mini_" and suite and task of the small set.
        suite, bucket: of the rows; bucket is "mini" of the small set.
        files: absolute paths.
        metrics: ids that any row has and that no model is needed for, the first row's first.
        columns: that asking and scoring read.
        max_new_tokens: the most of any row.
        stop: strings at which an output of any row ends.
    """

    name: str
    suite: str
    bucket: str
    files: tuple[str, ...]
    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    max_new_tokens: int
    stop: tuple[str, ...]


class ExportedTables(NamedTuple):
    """What a written folder says of itself.

    Attributes:
        release, version, digest: of the release; digest is the SHA-256 of its manifest.
        base: whether models are to continue prompts.
        thinking_tokens: room beside that of answers.
        tables: of test rows.
    """

    release: str
    version: str
    digest: str
    base: bool
    thinking_tokens: int
    tables: tuple[Table, ...]

    @classmethod
    def read(cls, folder: Path) -> ExportedTables:
        """From a folder.

        Raises:
            EnvironmentProblem: its file is damaged or not there.
        """
        facts = read_json(folder / _SAVED, *cls._fields)
        made = tuple(map(_table_of, facts["tables"]))
        return cls(**{key: facts[key] for key in cls._fields} | {"tables": made})


def _table_of(record: Mapping[str, Any]) -> Table:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    return Table(**values)


def tables_file(
    tables: Sequence[Table], release: Mapping[str, str], *, base: bool, thinking_tokens: int
) -> dict[str, str]:
    """Name -> content of the file that Saved.read reads."""
    facts = ExportedTables(release["name"], release["version"], release["digest"], base, thinking_tokens, tuple(tables))
    record = facts._asdict() | {"tables": [asdict(table) for table in tables]}
    return {_SAVED: json.dumps(record, ensure_ascii=False, indent=1) + "\n"}


def table_rows(table: Table) -> Iterator[dict[str, Any]]:
    """The rows of a table, with its columns.

    Raises:
        ReleaseError: a file is damaged or not there any more.
    """
    for file in table.files:
        for group in read_row_groups(Path(file), table.columns):
            yield from to_rows(group, Path(file))


def tables(release: Path, choice: Selection) -> list[Table]:
    """The tables that are asked for, in the order of the release's files.

    Raises:
        ReleaseError: the release has no such rows, or a file of it is damaged.
    """
    facts = manifest(release)
    configs = {(each.suite, each.task, each.bucket): each.config for each in listed(facts)} if "suites" in facts else {}
    files: dict[tuple[str, str, str], list[Path]] = {}
    names = sorted(path.relative_to(release).as_posix() for path in release.rglob("*.parquet"))
    for name in choice.names(names):
        files.setdefault(_place(name), []).append(release / name)
    return [_table(place, configs.get(place, "_".join(place)), paths) for place, paths in files.items() if any(place)]


def _place(name: str) -> tuple[str, str, str]:
    """(suite, task, bucket) of a file; ("", "", "") of one without rows of ours."""
    if small := MINI.fullmatch(name):
        return small["suite"], small["task"], SMALL
    found = row_file(name)
    return (found.suite, found.task, found.bucket) if found else ("", "", "")


def _table(place: tuple[str, str, str], config: str, paths: list[Path]) -> Table:
    suite, task, bucket = place
    rows = list(_facts(paths))
    ids = dict.fromkeys(metric for row in rows for metric in row["metrics"] if not get(metric).needs_model)
    return Table(
        f"{SMALL}_{suite}_{task}" if bucket == SMALL else config,
        suite,
        bucket,
        tuple(str(path.resolve()) for path in paths),
        tuple(ids),
        tuple(dict.fromkeys((*NEEDED, "answers", *(column for each in ids for column in get(each).columns)))),
        max(row["max_new_tokens"] for row in rows),
        tuple(dict.fromkeys(end for row in rows for end in row["stop"] or ())),
    )


def _facts(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for group in read_row_groups(path, ("metrics", "max_new_tokens", "stop")):
            yield from to_rows(group, path)
