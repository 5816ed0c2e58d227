"""haymaker dev bench <suite>: time to build rows of each entry relative to writing their texts, and memory growth.

Each entry is measured in a separate process, at 128k or else at its longest length. The reference is writing the same
texts as Parquet. Rows are timed after the table was built once, so one-time costs of a process are reported separately:
the time to choose questions, and the first row. Tasks that cache a single question read it again for every row.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from devtools.bench.yardsticks import copy_rate, in_new_process, in_words, seconds_of, status_mb, texts_alone
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.choices import check_choice
from haymaker.core.errors import ReleaseError
from haymaker.core.files.disk import write_json
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out, say
from pipelines.execution.worker_state import payload, suite_of
from pipelines.project import Project

_LENGTH = "128k"
_FEW, _MANY = 10, 50  # memory is measured after these numbers of rows
_PASSES = 3  # over the same rows; the fastest time counts, since other processes only slow rows down
_LEVEL, _GROUP_MB = 1, 16


def run(project: Project, name: str, json_file: Path | None) -> dict[str, Any]:
    """Measure a suite, print a table, write data/work/bench-<suite>.json.

    Args:
        project: project with the suite in its release.
        name: suite name.
        json_file: additional file for the figures.

    Raises:
        ParamsError: the release has no such suite.
        ReleaseError: no input of the suite is prepared.
    """
    built = {suite.name: suite for suite in project.suites()}
    if name not in built:
        check_choice(name, ("rows", "retrieval", "synthetic", "validate", *built), "topic", "haymaker dev bench")
    tables = tables_of(built[name])
    if not tables:
        raise ReleaseError(f"no input of suite {name!r} is prepared", where=project.file, fix="haymaker run")
    rate, rows = copy_rate(), []
    for table in tables:
        say(f"  measuring {table.task} at {table.length}")
        rows.append(in_new_process(measure, payload(project, table=astuple(table), copy_rate=rate)))
    report = {"suite": name, "memory_copy_bytes_per_s": rate, "rows": rows}
    write_json(project.work / f"bench-{name}.json", report)
    write_json_or_print(json_file, report)
    _print(report)
    return report


def tables_of(suite: ReleaseSuite) -> list[Table]:
    """Return a test table per entry with prepared inputs, at 128k or else the longest, without natural lengths."""
    found: dict[str, Table] = {}
    for table in suite.tables():  # the shortest length first
        known = found.get(table.task)
        timed = table.split == "test" and table.tokens and not (known and known.length == _LENGTH)
        if timed and (known or suite.inputs.are_here(suite.task(table.task).uses())):
            found[table.task] = table
    return list(found.values())


def measure(sent: dict[str, Any]) -> dict[str, Any]:
    """Measure one table in this process.

    Args:
        sent: payload with `table` and `copy_rate` (bytes of memory copied per second).

    Returns:
        choose_s: time to choose the candidates of the table; first_s: time of the first row.
        row_s: median time of a row; parquet_s: time to write only its text (over_parquet: ratio of both).
        copies_of_text: row_s relative to the time to copy its text in memory.
        grown_mb: memory growth from _FEW to _MANY rows; rows: number of different rows among them.
    """
    table = Table(*sent["table"])
    suite = suite_of(sent, table.suite)
    begin = time.perf_counter()
    task, count = suite.task(table.task), min(table.rows, _MANY)
    chosen = suite.candidates(table, 0, count)
    choose_s = time.perf_counter() - begin

    def timed(row: int) -> tuple[float, bytes]:
        begin = time.perf_counter()
        sample = task.row(table, chosen[row // task.variants], row % task.variants)
        return time.perf_counter() - begin, sample.prompt

    first_s, texts, memory = 0.0, list[bytes](), dict[int, int]()
    for turn in range(1, _MANY + 1):
        seconds, text = timed((turn - 1) % count)
        first_s = first_s or seconds
        if turn <= _FEW:
            texts.append(text)
        memory[turn] = status_mb("RssAnon")
    passes = [[timed(row)[0] for row in range(count)] for _ in range(_PASSES)]
    row_s = statistics.median(map(min, zip(*passes, strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.parquet")
        parquet_s = seconds_of(lambda: texts_alone(file, texts, _LEVEL, _GROUP_MB)) / len(texts)
    size = statistics.mean(map(len, texts))
    return {
        **asdict(table), "rows": count, "text_bytes": round(size), "choose_s": choose_s, "first_s": first_s,
        "row_s": row_s, "parquet_s": parquet_s, "over_parquet": row_s / parquet_s,
        "copies_of_text": row_s / (size / sent["copy_rate"]), "memory_mb": memory[_MANY], "grown_mb": memory[_MANY] - memory[_FEW],
    }  # fmt: skip


def _print(report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("entry", "length", "choosing", "first row", "a row", "Parquet", "row/Parquet", "copies", "memory", f"{_FEW} to {_MANY} rows"):  # fmt: skip
        grid.add_column(name, justify="left" if name in ("entry", "length") else "right")
    for row in report["rows"]:
        times = (in_words(row[key]) for key in ("choose_s", "first_s", "row_s", "parquet_s"))
        ratios = f"{row['over_parquet']:.1f} x", f"{row['copies_of_text']:.0f}"
        grid.add_row(row["task"], row["length"], *times, *ratios, f"{row['memory_mb']} MB", f"{row['grown_mb']:+} MB")
    out.print(grid)
    out.print(
        f"a row: built again in the same process, median; Parquet: its text alone, zstd {_LEVEL}; copies: a row, in copies of its text"
    )
    out.print(f"memory copy {report['memory_copy_bytes_per_s'] / 1e9:.1f} GB/s; choosing: the questions of the table, with all that is opened for it")  # fmt: skip
