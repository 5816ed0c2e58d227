"""haymaker dev bench validate: time of `validate` relative to one pass of the tokenizers over the same prompts.

Each task is measured in a separate process, in processor time of one thread, on the first rows of its files in the
order of `validate`, with every row recounted. The reference pass is the fastest known exact tokenisation: tiktoken, one
text at a time (docs/reference/speed.md), including the right outputs for the metrics. Figures are written after each
task: to resume an interrupted run, repeat the command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from devtools.bench.validation_work import STEPS, files, measure
from devtools.bench.yardsticks import in_new_process
from generators.spec import Table
from haymaker.core.errors import ParamsError, ReleaseError
from haymaker.core.files.disk import read_json, write_json
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.params import nearest
from haymaker.core.progress import out, say
from pipelines.execution.worker_state import payload
from pipelines.project import Project


def run(
    project: Project, length: str | None, json_file: Path | None, tasks: Sequence[str] = (), *, restart: bool = False
) -> dict[str, Any]:
    """Measure, print a table, write data/work/bench-validate.json.

    Args:
        project: project with a built release.
        length: length to measure; None: all lengths.
        json_file: additional file for the figures.
        tasks: tasks to measure, as `suite/task`; empty: all tasks.
        restart: start over instead of resuming an interrupted run.

    Raises:
        ParamsError: the release has no such task.
        ReleaseError: the release has no local rows, or a row fails.
    """
    tables = _tables(project, length, tasks)
    file, settings = project.work / "bench-validate.json", _settings(project, length, tables)
    report = None if restart else _interrupted_report(file, settings)
    report = report or {**settings, "finished": False, "rows": []}
    done = {row["task"] for row in report["rows"]}
    for name in (name for name in tables if name not in done):
        say(f"  measuring {name}")
        own = [astuple(table) for table in tables[name]]
        report["rows"] += in_new_process(measure, payload(project, tables=own, release=str(project.release)))
        write_json(file, report)
    report["finished"] = True
    write_json(file, report)
    write_json_or_print(json_file, report)
    _print(report)
    return report


def _tables(project: Project, length: str | None, tasks: Sequence[str]) -> dict[str, list[Table]]:
    """Return the tables to measure: suite/task -> tables with local files."""
    every = dict[str, list[Table]]()
    for built in project.built_suites():
        for table in built.tables():
            every.setdefault(f"{built.name}/{table.task}", []).append(table)
    for name in (name for name in tasks if name not in every):
        raise ParamsError(f"unknown task {name!r}", where=project.file, fix=nearest(name, every))
    here = {
        name: [t for t in tables if length in (None, t.length) and list(files(project.release, t))]
        for name, tables in every.items()
        if not tasks or name in tasks
    }
    if not any(here.values()):
        raise ReleaseError("no rows here", where=project.name_of(project.release), fix="haymaker run")
    return {name: tables for name, tables in here.items() if tables}


def _settings(project: Project, length: str | None, tables: dict[str, list[Table]]) -> dict[str, Any]:
    """Return the settings of a run; an interrupted run is resumed only if they are equal."""
    release = project.params.release
    return {
        "release": release.name,
        "version": release.version,
        "tokenizers": [t.name for t in project.inputs.tokenizers],
        "length": length,
        "tasks": list(tables),
    }


def _interrupted_report(file: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the report of an interrupted run with the same settings, or None."""
    if not file.exists():
        return None
    report: dict[str, Any] = read_json(file, "rows")
    same = not report.get("finished", True) and all(report.get(key) == value for key, value in settings.items())
    return report if same else None


def _print(report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("task", "lengths", "rows", "s/M tokens", "one pass", "ratio", *STEPS):
        grid.add_column(name, justify="left" if name in ("task", "lengths") else "right")
    for row in report["rows"]:
        shares = (f"{row['share'][step]:.0%}" if row["share"] else "" for step in STEPS)
        seconds = f"{row['s_per_M']:.2f}", f"{row['pass_s_per_M']:.2f}", f"{row['ratio']:.2f}"
        grid.add_row(row["task"], row["group"], str(row["rows"] or ""), *seconds, *shares)
    out.print(grid)
    out.print(
        f"one pass: all tokenizers of the release ({', '.join(report['tokenizers'])}) over the same texts, one thread; ratio: validation time divided by it"
    )
    out.print("processor time of one process; shortcuts: per million tokens of the rows that they look at")
