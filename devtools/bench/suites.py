"""haymaker dev bench: speed ratios, measured in one run on one machine.

Absolute figures differ between machines, so each one is compared with the limits of the machine (memory copy, Parquet
write) and with a naive generator that works like the published script: it splits and tokenises every sentence again for
every row (docs/spec/measured.md 7). Tests do not assert times.
"""

from __future__ import annotations

import itertools
import json
import resource
import statistics
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from devtools.bench.naive_babilong import naive_row
from devtools.bench.yardsticks import Codec, books_of, codec, copy_rate, in_words, seconds_of, texts_alone
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import HaymakerError, ReleaseError
from haymaker.core.files.disk import write_json
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.lengths import length_tokens
from haymaker.core.params import ParquetParams
from haymaker.core.progress import out, say
from haymaker.core.rows.parquet import MEGABYTE, write_rows
from haymaker.core.rows.schema import Sample
from pipelines.project import Project
from pipelines.training.stream import training_stream

Make = Callable[[], Sample]  # builds one row
_LENGTHS = ("4k", "32k", "128k", "512k", "1M")
_STREAM_LENGTH = "32k"
_LEVELS = (1, 3, 9)
_GROUP_MB = 16


def run(project: Project, rows: int, json_file: Path | None) -> None:
    """Measure, print a table, write data/work/bench.json (read by `haymaker plan`).

    Raises:
        ReleaseError: the background is not built yet.
    """
    suite = next((s for s in project.suites() if s.name == "babilong" and s.tables()), None)
    task = suite.tables()[0].task if suite else ""
    room = suite.limit(task) if suite else None
    if suite is None or room is None:
        raise ReleaseError("needs a built background", where="data/corpora", fix="haymaker run")
    books = books_of(project.inputs.background(suite.task(task).settings.background))
    tool = codec(project.inputs.tokenizers[0])
    copy = copy_rate()
    measured = []
    for length in _LENGTHS:
        table = Table(suite.name, task, length, "test", 1)
        if (table.tokens or 0) > room:
            say(f"  {length}: left out, the corpus has only {room:,} tokens")
            continue
        say(f"  measuring {length}")
        measured.append(_measure(suite, table, rows, books, tool, copy))
    report = {
        "naive": tool.name,
        "memory_copy_bytes_per_s": copy,
        "rows": measured,
        "stream": _stream(project, task, next((m for m in measured if m["length"] == _STREAM_LENGTH), None)),
        "memory": _memory(suite, Table(suite.name, task, measured[-1]["length"], "test", 1)),
        "rates": {
            "generate_tokens_per_s": {z: round(r) for z, r in measured[len(measured) // 2]["tokens_per_s"].items()}
        },
    }
    write_json(project.work / "bench.json", report)
    write_json_or_print(json_file, report)
    _print(report)


def _rows(suite: ReleaseSuite, table: Table, count: int) -> list[Make]:
    """Return functions that build the first rows of a table, at most `count`; their candidates are already chosen."""
    task = suite.task(table.task)
    there = task.pool(table.split).count
    most = count if there is None else min(count, there * task.variants)
    chosen = suite.select(replace(table, rows=max(most, task.variants))).candidates
    return [partial(task.row, table, each, variant) for each in chosen for variant in range(task.variants)]


def _measure(
    suite: ReleaseSuite, table: Table, rows: int, books: list[str], tool: Codec, copy: float
) -> dict[str, Any]:
    """Measure one length: only assembling, assembling and writing, only writing, and the naive generator."""
    tokens = table.tokens or 0
    count = max(
        rows, 2 * _GROUP_MB * MEGABYTE // (4 * tokens)
    )  # two row groups of different rows: repeated rows compress too fast
    batch = _rows(suite, table, count)
    turn = (make() for make in itertools.cycle(batch))
    assemble = seconds_of(lambda: next(turn))
    prompts = [make().prompt for make in batch]
    text = statistics.mean(map(len, prompts))
    keys = itertools.count()
    facts = [f" {fact}" for fact in json.loads(batch[0]().metadata or "")["facts"]]
    naive = seconds_of(lambda: naive_row(books, facts, tokens, tool.encode, tool.decode, next(keys)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        written = {z: _written(path, batch, z) / len(batch) for z in _LEVELS}
        limit = {z: seconds_of(lambda z=z: texts_alone(path, prompts, z, _GROUP_MB)) / len(batch) for z in _LEVELS}  # type: ignore[misc]
    return {
        "length": table.length,
        "text_bytes": round(text),
        "assemble_s": assemble,
        "naive_s": naive,
        "rows_per_s": 1 / written[1],
        "tokens_per_s": {str(z): tokens / s for z, s in written.items()},
        "assemble_over_naive": naive / assemble,
        "written_over_naive": naive / written[1],
        "share_of_parquet_limit": {str(z): limit[z] / written[z] for z in _LEVELS},
        "share_of_time_in_parquet": {str(z): max(0.0, 1 - assemble / written[z]) for z in _LEVELS},
        "copies_of_text": assemble / (text / copy),
    }


def _written(path: Path, batch: Iterable[Make], level: int) -> float:
    """Return the seconds to build and write rows with the functions of the pipeline."""
    options = ParquetParams(zstd_level=level, row_group_mb=_GROUP_MB)
    return seconds_of(lambda: write_rows((make() for make in batch), path, options))


def _stream(project: Project, task: str, measured: dict[str, Any] | None) -> dict[str, Any] | None:
    """Measure training rows through `datasets`; None if the length or training text is not available."""
    if measured is None:
        return None
    say(f"  measuring the training stream at {_STREAM_LENGTH}")
    try:
        rows = iter(training_stream(project.root, tasks=task, lengths=_STREAM_LENGTH))
    except HaymakerError as error:
        say(f"  left out: {error}")
        return None
    seconds = seconds_of(lambda: next(rows))
    tokens = length_tokens(_STREAM_LENGTH) or 0
    return {
        "length": _STREAM_LENGTH,
        "row_s": seconds,
        "tokens_per_s": tokens / seconds,
        "over_naive": measured["naive_s"] / seconds,
    }


def _memory(suite: ReleaseSuite, table: Table) -> dict[str, Any]:
    """Return the peak memory after few and many rows of the longest length; it should not grow with rows."""
    turn = itertools.cycle(_rows(suite, table, 8))
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in (8, 16, 48):
            rows = (make() for make in itertools.islice(turn, count))
            write_rows(rows, Path(folder, "rows.parquet"), ParquetParams(zstd_level=1, row_group_mb=_GROUP_MB))
            peaks[str(count)] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return {"length": table.length, "peak_mb_after_rows": peaks}


def _print(report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    names = (
        "length",
        "assemble",
        "naive",
        "x naive",
        "x naive, written",
        "rows/s",
        "M tokens/s",
        "in Parquet",
        "of limit",
        "copies",
    )
    for name in names:
        grid.add_column(name, justify="left" if name == "length" else "right")
    for row in report["rows"]:
        grid.add_row(
            row["length"], in_words(row["assemble_s"]), in_words(row["naive_s"]), f"{row['assemble_over_naive']:,.0f}",
            f"{row['written_over_naive']:,.0f}", f"{row['rows_per_s']:,.0f}", f"{row['tokens_per_s']['1'] / 1e6:,.0f}",
            f"{row['share_of_time_in_parquet']['1']:.0%}", f"{row['share_of_parquet_limit']['1']:.0%}", f"{row['copies_of_text']:.1f}",
        )  # fmt: skip
    out.print(grid)
    peaks = ", ".join(f"{mb} MB after {rows} rows" for rows, mb in report["memory"]["peak_mb_after_rows"].items())
    memory = report["memory"]
    for line in (
        f"naive: splits and tokenises every sentence again ({report['naive']})",
        "written: one core, zstd 1, all columns; in Parquet: share of that time which is not assembling",
        "of limit: time to write the same texts alone, over time to build and write the rows; copies: assembling, in copies of the text",
        _stream_line(report["stream"]),
        f"memory copy {report['memory_copy_bytes_per_s'] / 1e9:.1f} GB/s; peak memory at {memory['length']}: {peaks}",
    ):
        out.print(line)


def _stream_line(stream: dict[str, Any] | None) -> str:
    if stream is None:
        return "training stream: not measured (no training text or questions for it)"
    rate, ratio = stream["tokens_per_s"] / 1e6, stream["over_naive"]
    return f"training stream at {stream['length']}, one core, through datasets: {rate:,.0f} M tokens/s, {ratio:,.0f} x naive"
