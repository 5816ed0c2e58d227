"""Tables of test rows for the export, with settings that all rows of a table share."""

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
_SHARED = (*NEEDED, "task", "length", "answers")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one task at one length, or rows of one task in the small set.

    Attributes:
        name: config name for `load_dataset`; "mini_", suite and task for the small set.
        suite, length: columns of the rows; length is "mini" for the small set.
        files: absolute paths.
        metrics: metric ids of all rows that need no judge model, the primary metric of the first row first.
        columns: columns needed for requests and scoring; with `messages` if a row is a conversation.
        max_new_tokens: maximum over the rows.
        stop: stop strings of all rows.
    """

    name: str
    suite: str
    length: str
    files: tuple[str, ...]
    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    max_new_tokens: int
    stop: tuple[str, ...]

    @property
    def has_conversations(self) -> bool:
        """Whether rows of the table are conversations."""
        return "messages" in self.columns


class ExportedTables(NamedTuple):
    """Description of an export folder.

    Attributes:
        release, version, digest: release name, version, and SHA-256 of its manifest.
        base: whether models continue the prompts.
        thinking_tokens: output tokens for reasoning, in addition to the answer budget.
        tables: tables of test rows.
    """

    release: str
    version: str
    digest: str
    base: bool
    thinking_tokens: int
    tables: tuple[Table, ...]

    @classmethod
    def read(cls, folder: Path) -> ExportedTables:
        """Read the description from an export folder.

        Raises:
            EnvironmentProblem: the file is damaged or missing.
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
    """Return name -> content of the file that `ExportedTables.read` reads."""
    facts = ExportedTables(release["name"], release["version"], release["digest"], base, thinking_tokens, tuple(tables))
    record = facts._asdict() | {"tables": [asdict(table) for table in tables]}
    return {_SAVED: json.dumps(record, ensure_ascii=False, indent=1) + "\n"}


def table_rows(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, with its columns.

    Raises:
        ReleaseError: a file is damaged or missing.
    """
    for file in table.files:
        for group in read_row_groups(Path(file), table.columns):
            yield from to_rows(group, Path(file))


def tables(release: Path, choice: Selection) -> list[Table]:
    """Return the selected tables, in the order of the release's files.

    Raises:
        ReleaseError: the release has no such rows, or one of its files is damaged.
    """
    facts = manifest(release)
    configs = {(each.suite, each.task, each.length): each.config for each in listed(facts)} if "suites" in facts else {}
    files: dict[tuple[str, str, str], list[Path]] = {}
    for name in sorted(choice.files(release)):
        files.setdefault(_place(name), []).append(release / name)
    return [_table(place, configs.get(place, "_".join(place)), paths) for place, paths in files.items() if any(place)]


def _place(name: str) -> tuple[str, str, str]:
    """Return (suite, task, length) of a file, or ("", "", "") if it is not a file of rows."""
    if small := MINI.fullmatch(name):
        return small["suite"], small["task"], SMALL
    found = row_file(name)
    return (found.suite, found.task, found.length) if found else ("", "", "")


def _table(place: tuple[str, str, str], config: str, paths: list[Path]) -> Table:
    suite, task, length = place
    rows = list(_facts(paths))
    ids = dict.fromkeys(metric for row in rows for metric in row["metrics"] if not get(metric).needs_model)
    scored = (column for each in ids for column in get(each).columns)
    return Table(
        f"{SMALL}_{suite}_{task}" if length == SMALL else config,
        suite,
        length,
        tuple(str(path.resolve()) for path in paths),
        tuple(ids),
        tuple(dict.fromkeys((*_SHARED, *scored, *["messages"] * any(row["messages"] for row in rows)))),
        max(row["max_new_tokens"] for row in rows),
        tuple(dict.fromkeys(end for row in rows for end in row["stop"] or ())),
    )


def _facts(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for group in read_row_groups(path, ("metrics", "max_new_tokens", "stop", "messages")):
            yield from (row | {"messages": bool(row["messages"])} for row in to_rows(group, path))
