"""Which tables of a release are measured, and which of their rows: one job a table, the same for any number of workers.

A change of any figure raises `validate` in versions.yaml.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from generators.spec import Row, Table
from generators.task import Task
from haymaker.core.buckets import NO_BACKGROUND, bucket_tokens
from haymaker.core.errors import ReleaseError
from haymaker.core.rng import digest
from haymaker.core.rows.parquet import REBUILD, read_row_groups, to_rows
from haymaker.core.rows.row_checks import Check
from haymaker.releases.shortcuts import ENOUGH
from pipelines.checks.shortcuts.measures import of_rows, table_stats
from pipelines.checks.shortcuts.table_stats import RowView
from pipelines.execution.executor import Job, forget_others
from pipelines.execution.executor import run as execute
from pipelines.execution.worker_state import inputs_of, payload, suite_of
from pipelines.project import Project

ROWS = 50
"""Rows of a table that are measured, at most."""
TOKENS = 300_000
"""Of long rows no more than have so many tokens together, but ENOUGH."""
LONGEST = "128k"
"""Longest bucket that is measured; the questions are the same in all."""
_FEW = ("id", "group_id", "question", "answers", "answer_groups", "choices", "answer_index", "metrics", "extra")


def measured(
    project: Project, files: Mapping[str, Mapping[str, Any]], version: int, *, fresh: bool = False
) -> dict[str, Any]:
    """Suite -> task -> bucket -> figures (see figures.of_rows), of test rows that have a context.

    Args:
        project: the project.
        files: of rows, below data/, each with its sha256: the figures of files that did not change are not measured again.
        version: of the measures (`validate` in versions.yaml).
        fresh: measure all of them again.
    """
    suites = {built.name: built for built in project.built_suites()}
    tables = [table for built in suites.values() for table in measured_tables(built.tables())]
    found: dict[str, Any] = {}
    jobs = [_job(project, table, files, version) for table in tables]
    done = execute(jobs, project.work, title="shortcuts", unit="tokens", fresh=fresh)
    for table, shard in zip(tables, done, strict=True):
        found.setdefault(table.suite, {}).setdefault(table.task, {})[table.bucket] = shard.result
    forget_others(project.work, _work(project), jobs)
    return found


def _work(project: Project) -> str:
    return f"shortcuts/{project.params.release.name}"


def measured_tables(tables: Iterable[Table]) -> list[Table]:
    """Those that are measured: lengths of fewer than ENOUGH rows only where their task has no others."""
    every = [each for each in tables if each.part == "test" and not each.of_output and is_measured(each.bucket)]
    most: dict[str, int] = {}
    for each in every:
        most[each.task] = max(each.rows, most.get(each.task, 0))
    return [each for each in every if each.rows >= min(ENOUGH, most[each.task])]


def most_rows(table: Table) -> int:
    """How many rows of a table are measured at most."""
    return min(ROWS, max(ENOUGH, TOKENS // table.typical_tokens))


def is_measured(bucket: str) -> bool:
    """Whether rows of a bucket are: natural ones, and all that have a context, up to 128k."""
    return bucket != NO_BACKGROUND and (bucket_tokens(bucket) or 0) <= (bucket_tokens(LONGEST) or 0)


def _sent(project: Project, table: Table) -> dict[str, Any]:
    return payload(project, table=astuple(table), rows=project.release / "data")


def _job(project: Project, table: Table, files: Mapping[str, Mapping[str, Any]], version: int) -> Job:
    sent = _sent(project, table)
    read = sorted(
        facts["sha256"]
        for name, facts in files.items()
        if name.startswith(f"{table.suite}/{table.task}/{table.bucket}/")
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
    return sorted((data / table.suite / table.task / table.bucket).glob("test-*.parquet"))


def tokens(table: Table) -> float:
    """Those of the rows that are measured, about."""
    return float(min(most_rows(table), table.rows) * table.typical_tokens)


def of_table(sent: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Figures of one table.

    Raises:
        ReleaseError: not all of its rows are there.
    """
    table = Table(*sent["table"])
    files = _files(sent["rows"], table)
    few = list(_rows(files, _FEW))
    if len(few) != table.rows:  # of no rows every figure would be nothing, and no cheat above its limit
        raise ReleaseError(
            f"{len(few)} of {table.rows} test rows to measure",
            where=f"{sent['rows']}/{table.suite}/{table.task}/{table.bucket}",
            fix=REBUILD,
        )
    whole, single = chosen(few, most_rows(table)), one_of_each(few, most_rows(table))
    seen = {row["id"]: RowView(row) for row in _rows(files, (), whole | single)}
    rows = [each for name, each in seen.items() if name in whole]
    known = table_stats([each.row for each in rows], inputs_of(sent).tokenizers[0], few)
    known = replace(known, **_of_task(suite_of(sent, table.suite).task(table.task)))
    return of_rows(rows, [each for name, each in seen.items() if name in single], known)


def _of_task(task: Task[Any]) -> dict[str, Any]:
    """What a task itself says: its oracle, where it has one, what it allows, and what is right."""
    allows = {name: allowed.percent for name, allowed in task.allows.items()}
    solve = task.solve if Check.ORACLE in task.spec.checks else None
    return {"allows": allows, "solve": solve, "right": task.right_output}


def chosen(rows: Sequence[Row], most: int = ROWS) -> frozenset[str]:
    """Ids of the rows to measure, `most` of them or a few less: whole groups, in an order that is the same at every length."""
    order = sorted(rows, key=lambda row: (digest(row["group_id"]), row["id"]))
    if len(order) > most:  # no group in part: one letter of four is right as often as another in whole ones alone
        cut = order[most]["group_id"]
        order = [row for row in order[:most] if row["group_id"] != cut] or order[:most]
    return frozenset(row["id"] for row in order)


def one_of_each(rows: Sequence[Row], most: int = ROWS) -> frozenset[str]:
    """Ids of a row each of so many groups, in the same order: where neither depth nor order of the options matters, a question counts
    once. Which of its rows is drawn by key, as some ask for what is not there.
    """
    by_key = sorted(rows, key=lambda row: digest(row["id"]))
    drawn = {row["group_id"]: row["id"] for row in by_key}
    return frozenset(drawn[group] for group in sorted(drawn, key=digest)[:most])


def _rows(files: Sequence[Path], columns: Sequence[str], ids: frozenset[str] | None = None) -> Iterator[Row]:
    """Rows of a table, all or those of some ids."""
    for file in files:
        for group in read_row_groups(file, columns):
            places = [i for i, each in enumerate(group["id"].to_pylist()) if ids is None or each in ids]
            if places:  # a list of none has no type that Arrow could take by
                yield from to_rows(group.take(places), file)
