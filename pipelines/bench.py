"""haymaker bench: speeds as ratios, everything measured in one run on one machine.

Absolute figures move from machine to machine, so each is set beside what the machine allows (memory copy, Parquet write)
and beside a naive generator that does what the reference scripts do: tokenise every background sentence again for every
row (spec/baseline.md section 1). Nobody's time limit is tested anywhere; this table is where speed lives.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from generators.babilong.suite import BABILong
from generators.babilong.yardstick import naive_row
from generators.task import Table
from haymaker.errors import ReleaseError
from haymaker.files import write_json
from haymaker.sample import Sample, to_table
from pipelines.parquet import open_writer
from pipelines.progress import out, say
from pipelines.project import Project

_BUCKETS = ("4k", "32k", "128k", "512k", "1M")
_MIN_S = 0.3  # each figure is taken over at least this long


def run(project: Project, rows: int, json_file: Path | None) -> None:
    """Measure, print a table, write data/work/bench.json (which `haymaker plan` reads).

    Raises:
        ReleaseError: the background is not built yet.
    """
    suite = next((s for s in project.suites() if isinstance(s, BABILong) and s.tables()), None)
    if suite is None or not (project.data / "corpora" / str(suite.options.background) / "meta.json").is_file():
        raise ReleaseError("needs a built background", where="data/corpora", fix="haymaker run")
    task = suite.tables()[0].task
    store = project.inputs.background(suite.options.background)
    room = sum(
        store.tokens_at(store.meta["tokenizers"][0])[e.last] - store.tokens_at(store.meta["tokenizers"][0])[e.first]
        for e in store.part("test")
    )
    report: dict[str, Any] = {"limits": _limits(), "rows": []}
    for bucket in _BUCKETS:
        table = Table("babilong", task, bucket, "test", 1)
        if (table.tokens or 0) > room:
            say(f"{bucket}: left out, the corpus holds {room:,} tokens")
            continue
        report["rows"].append(_measure(suite, table, rows))
        say(f"  {bucket} measured")
    report["memory"] = _memory(suite, task, report["rows"][-1]["bucket"])
    report["rates"] = _rates(report)
    write_json(project.work / "bench.json", report)
    if json_file:
        write_json(json_file, report)
    _print(report)


# ----------------------------------------------------------------------------------------------------------- measuring


def _seconds(function: Callable[[], object]) -> float:
    """Median seconds of a call, over at least three calls and _MIN_S."""
    function()
    times: list[float] = []
    while len(times) < 3 or sum(times) < _MIN_S:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def _limits() -> dict[str, float]:
    """Memory copy of 64 MB, in bytes per second."""
    block = bytes(64_000_000)
    return {"memory_copy_bytes_per_s": len(block) / _seconds(lambda: bytearray(block))}


def _measure(suite: BABILong, table: Table, rows: int) -> dict[str, Any]:
    """One length: assembling, assembling and writing, writing alone, naive."""
    builder, groups = suite.bench_groups(table, rows)
    samples = [builder.row(table, group) for group in groups]
    turn = _cycle(groups)
    assemble = _seconds(lambda: builder.row(table, next(turn)))
    text = statistics.mean(len(sample.prompt) for sample in samples)
    naive = _seconds(lambda: naive_row(suite, builder, table, groups[0]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        batch = max(1, min(rows, int(32e6 / text)))
        picked = groups[:batch]
        whole = {
            z: _seconds(lambda z=z: _write(path, (builder.row(table, g) for g in picked), z)) / len(picked)
            for z in (1, 3, 9)
        }  # type: ignore[misc]
        limit = {
            z: _seconds(lambda z=z: _write_text(path, [s.prompt for s in samples[:batch]], z)) / len(picked)
            for z in (1, 3, 9)
        }  # type: ignore[misc]
    tokens = table.tokens or 0
    return {
        "bucket": table.bucket,
        "text_bytes": round(text),
        "assemble_s": assemble,
        "naive_s": naive,
        "rows_per_s": 1 / whole[1],
        "tokens_per_s": {str(z): tokens / s for z, s in whole.items()},
        "assemble_over_naive": naive / assemble,
        "written_over_naive": naive / whole[1],
        "share_of_parquet_limit": {str(z): limit[z] / whole[z] for z in whole},
        "parquet_share_of_time": {str(z): limit[z] / whole[z] for z in whole},
        "copy_share": (text / _copy_rate()) / assemble,
    }


def _copy_rate() -> float:
    return _limits()["memory_copy_bytes_per_s"]


def _cycle(items: list[Any]) -> Iterator[Any]:
    while True:
        yield from items


def _write(path: Path, samples: Iterator[Sample], zstd_level: int) -> None:
    """As the pipeline writes: row groups of about 16 MB."""
    with open_writer(path, zstd_level) as writer:
        group: list[Sample] = []
        for sample in samples:
            group.append(sample)
            if sum(len(s.prompt) for s in group) >= 16e6:
                writer.write_table(to_table(group))
                group = []
        if group:
            writer.write_table(to_table(group))


def _write_text(path: Path, prompts: list[bytes], zstd_level: int) -> None:
    """The machine's limit: the same texts alone, already in memory, in the same row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    per_group = max(1, -(-16_000_000 // max(1, len(prompts[0]))))
    table = pa.table({"prompt": pa.array(prompts, type=pa.large_string())})
    pq.write_table(table, path, compression="zstd", compression_level=zstd_level, use_dictionary=False, write_statistics=False,
                   row_group_size=per_group)  # fmt: skip


def _memory(suite: BABILong, task: str, bucket: str) -> dict[str, Any]:
    """Peak memory after few and after many rows of the longest length: flat means it does not grow with rows."""
    table = Table("babilong", task, bucket, "test", 1)
    builder, groups = suite.bench_groups(table, 8)
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in (8, 40):
            _write(Path(folder, "rows.parquet"), (builder.row(table, groups[i % len(groups)]) for i in range(count)), 1)
            peaks[str(count)] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return {"bucket": bucket, "peak_mb_after_rows": peaks}


def _rates(report: dict[str, Any]) -> dict[str, Any]:
    """Tokens per second of generating, for `haymaker plan`: the middle length stands for all."""
    middle = report["rows"][len(report["rows"]) // 2]
    return {"generate_tokens_per_s": {z: round(rate) for z, rate in middle["tokens_per_s"].items()}}


# ------------------------------------------------------------------------------------------------------------ printing


def _print(report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in (
        "bucket",
        "assemble",
        "naive",
        "x naive",
        "x naive, written",
        "rows/s",
        "M tokens/s",
        "of Parquet limit",
    ):
        grid.add_column(name, justify="left" if name == "bucket" else "right")
    for row in report["rows"]:
        grid.add_row(
            row["bucket"], _time(row["assemble_s"]), _time(row["naive_s"]), f"{row['assemble_over_naive']:,.0f}",
            f"{row['written_over_naive']:,.0f}", f"{row['rows_per_s']:,.0f}", f"{row['tokens_per_s']['1'] / 1e6:,.0f}",
            f"{row['share_of_parquet_limit']['1']:.0%}",
        )  # fmt: skip
    out.print(grid)
    out.print(
        "written: one core, zstd 1, the whole row; Parquet limit: the same texts alone, already in memory, zstd 1"
    )
    out.print(
        f"memory copy {report['limits']['memory_copy_bytes_per_s'] / 1e9:.1f} GB/s; peak memory {report['memory']['peak_mb_after_rows']} MB after that many {report['memory']['bucket']} rows"
    )


def _time(seconds: float) -> str:
    return (
        f"{seconds * 1e6:,.0f} us"
        if seconds < 1e-3
        else f"{seconds * 1e3:,.2f} ms"
        if seconds < 1
        else f"{seconds:,.2f} s"
    )
