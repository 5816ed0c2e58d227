"""Select tables and rows for shortcut measures; run one job per table, with the same results for any number of workers.

A change that alters any figure must increase `validate` in versions.yaml.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from generators.spec import Row, Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import NO_BACKGROUND, length_tokens
from haymaker.core.rng import digest
from haymaker.core.rows.parquet import REBUILD, read_row_groups, to_rows
from haymaker.core.rows.row_checks import Check
from haymaker.releases.shortcut_limits import ENOUGH
from pipelines.checks.shortcuts.measures import of_rows, table_stats
from pipelines.checks.shortcuts.table_stats import RowView
from pipelines.execution.executor import Job, forget_others
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import inputs_of, payload, suite_of
from pipelines.project import Project

ROWS = 50
"""Maximum number of measured rows per table."""
TOKENS = 300_000
"""Maximum tokens of the measured rows per table, but at least ENOUGH rows."""
LONGEST = "128k"
"""Longest measured length; the questions are the same in all lengths."""
_FEW = ("id", "group_id", "question", "answers", "answer_groups", "choices", "answer_index", "metrics", "metadata")


def measured(
    project: Project, files: Mapping[str, Mapping[str, Any]], version: int, *, fresh: bool = False
) -> dict[str, Any]:
    """Return suite -> task -> length -> figures (see measures.of_rows), for test rows with a context.

    Args:
        project: the project.
        files: row files below data/ with their sha256: unchanged files are not measured again.
        version: version of the measures (`validate` in versions.yaml).
        fresh: measure all tables again.
    """
    suites = {built.name: built for built in project.built_suites()}
    tables = [table for built in suites.values() for table in measured_tables(built.tables())]
    found: dict[str, Any] = {}
    jobs = [_job(project, table, files, version) for table in tables]
    done = execute(jobs, project.work, title="shortcuts", unit="tokens", fresh=fresh)
    for table, shard in zip(tables, done, strict=True):
        found.setdefault(table.suite, {}).setdefault(table.task, {})[table.length] = shard.result
    forget_others(project.work, _work(project), jobs)
    return found


def _work(project: Project) -> str:
    return f"shortcuts/{project.params.release.name}"


def measured_tables(tables: Iterable[Table]) -> list[Table]:
    """Return the tables to measure; lengths with fewer than ENOUGH rows only if no length of the task has more."""
    every = [each for each in tables if each.split == "test" and not each.of_output and is_measured(each.length)]
    most: dict[str, int] = {}
    for each in every:
        most[each.task] = max(each.rows, most.get(each.task, 0))
    return [each for each in every if each.rows >= min(ENOUGH, most[each.task])]


def most_rows(table: Table) -> int:
    """Return the maximum number of measured rows of a table."""
    return min(ROWS, max(ENOUGH, TOKENS // table.typical_tokens))


def is_measured(length: str) -> bool:
    """Return whether a length is measured: natural lengths, and lengths with background up to 128k."""
    return length != NO_BACKGROUND and (length_tokens(length) or 0) <= (length_tokens(LONGEST) or 0)


def _sent(project: Project, table: Table) -> dict[str, Any]:
    return payload(project, table=astuple(table), rows=project.release / "data")


def _job(project: Project, table: Table, files: Mapping[str, Mapping[str, Any]], version: int) -> Job:
    sent = _sent(project, table)
    read = sorted(
        facts["sha256"]
        for name, facts in files.items()
        if name.startswith(f"{table.suite}/{table.task}/{table.length}/")
    )
    mark = digest(json.dumps([read, version]), size=8).hex()
    key = f"{_work(project)}/{table.key}-{mark}"
    return Job(
        key,
        "pipelines.checks.shortcuts.measure_tables:of_table",
        sent,
        tokens(table),
        kin=f"{table.suite}/{table.task}",
    )


def _files(data: Path, table: Table) -> list[Path]:
    return sorted((data / table.suite / table.task / table.length).glob("test-*.parquet"))


def tokens(table: Table) -> float:
    """Return the approximate number of tokens of the measured rows."""
    return float(min(most_rows(table), table.rows) * table.typical_tokens)


def of_table(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Measure one table and return its figures.

    Raises:
        ReleaseError: rows of the table are missing.
    """
    table = Table(*sent["table"])
    files = _files(sent["rows"], table)
    few = list(_rows(files, _FEW))
    if len(few) != table.rows:  # without rows there would be no figures, and no limit could be exceeded
        raise ReleaseError(
            f"{len(few)} of {table.rows} test rows to measure",
            where=f"{sent['rows']}/{table.suite}/{table.task}/{table.length}",
            fix=REBUILD,
        )
    whole, single = chosen(few, most_rows(table)), one_of_each(few, most_rows(table))
    seen = {row["id"]: RowView(row) for row in _rows(files, (), whole | single)}
    rows = [each for name, each in seen.items() if name in whole]
    known = table_stats([each.row for each in rows], inputs_of(sent).tokenizers[0], few)
    known = replace(known, **_of_task(suite_of(sent, table.suite), table.task))
    return of_rows(rows, [each for name, each in seen.items() if name in single], known)


def _of_task(suite: ReleaseSuite, name: str) -> dict[str, Any]:
    """Return the properties declared by a task: oracle (or None), allowed scores, functions for correct and cheap outputs."""
    task = suite.task(name)
    allows = {shortcut: allowed.percent for shortcut, allowed in suite.allows(name).items()}
    solve = task.solve if Check.ORACLE in task.spec.checks else None
    return {"allows": allows, "solve": solve, "right": task.spec.right_output, "floors": task.spec.floors}


def chosen(rows: Sequence[Row], most: int = ROWS) -> frozenset[str]:
    """Return the ids of the rows to measure, up to `most`: whole groups, in the same order at every length."""
    order = sorted(rows, key=lambda row: (digest(row["group_id"]), row["id"]))
    if len(order) > most:  # whole groups only: in these, each option letter is right equally often
        cut = order[most]["group_id"]
        order = [row for row in order[:most] if row["group_id"] != cut] or order[:most]
    return frozenset(row["id"] for row in order)


def one_of_each(rows: Sequence[Row], most: int = ROWS) -> frozenset[str]:
    """Return the id of one row per group, for up to `most` groups in the same order: if depth and option order do not
    matter, a question counts once. The row is drawn by key, since some rows have no answer in the context.
    """
    by_key = sorted(rows, key=lambda row: digest(row["id"]))
    drawn = {row["group_id"]: row["id"] for row in by_key}
    return frozenset(drawn[group] for group in sorted(drawn, key=digest)[:most])


def _rows(files: Sequence[Path], columns: Sequence[str], ids: frozenset[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a table, optionally only rows with the given ids."""
    for file in files:
        for group in read_row_groups(file, columns):
            places = [i for i, each in enumerate(group["id"].to_pylist()) if ids is None or each in ids]
            if places:  # Arrow cannot infer the type of an empty list
                yield from to_rows(group.take(places), file)
