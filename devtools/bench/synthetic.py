"""haymaker dev bench synthetic: rows of synthetic tasks and of many-shot ICL compared with the published generators.

The seconds per row of the published scripts were measured once, together with a yardstick (docs/spec/measured.md 7): a
naive generator that splits and tokenises like these scripts. The yardstick is measured again in every run, to scale the
published seconds to this machine. Both sides exclude writing Parquet.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from devtools.bench.naive_babilong import naive_row
from devtools.bench.yardsticks import books_of, codec, seconds_of
from generators.spec import Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError, ReleaseError
from haymaker.core.files.disk import write_json
from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out, say
from haymaker.core.rows.schema import Sample
from pipelines.project import Project

REFERENCE_S = {  # seconds per row of the published generators (docs/spec/measured.md 7)
    "niah_single_2": {"128k": 0.566, "1M": 8.9},
    "niah_multikey_2": {"128k": 0.433, "1M": 5.0},
    "niah_multikey_3": {"128k": 0.233, "1M": 3.28},
    "vt": {"128k": 0.178, "1M": 2.24},
    "cwe": {"128k": 0.164, "1M": 2.35},
    "fwe": {"128k": 0.260, "1M": 4.84},
    "icl_banking77": {"128k": 0.157, "1M": 0.23},
    "icl_clinc150": {"128k": 0.233},
}
SUM = ("niah_single_2", "vt", "cwe", "fwe")
_YARDSTICK = ("128k", 0.44)  # the published BABILong generator in the same measurement
_ROWS = 5


def run(project: Project, json_file: Path | None) -> None:
    """Measure, print a table, write data/work/bench-synthetic.json.

    Raises:
        ReleaseError: no task to measure is built.
    """
    tool = codec(project.inputs.tokenizers[0])
    scale = _scale(project, tool.encode, tool.decode) if tool.name.startswith("GPT-2") else None
    rows = list(_measured(project, scale))
    if not rows:
        raise ReleaseError("no task of the table is built", where=project.file, fix="haymaker run")
    report = {"yardstick": tool.name, "scale": scale, "rows": rows, "sums": list(_sums(rows, scale))}
    write_json(project.work / "bench-synthetic.json", report)
    write_json_or_print(json_file, report)
    _print(report)


def _scale(project: Project, encode: Any, decode: Any) -> float:
    """Return the time of the yardstick relative to the original measurement."""
    background = project.params.suites["synthetic"].options["background"]
    books, facts = books_of(project.inputs.background(background)), [" The yardstick went to the garden."]
    tokens = 128 * 1024
    return seconds_of(lambda: naive_row(books, facts, tokens, encode, decode, 1)) / _YARDSTICK[1]


def _measured(project: Project, scale: float | None) -> Iterator[dict[str, Any]]:
    for built in project.suites():
        entries = {built.entries[t.task].spec.name: t.task for t in reversed(built.tables())}  # first of each task
        for task, entry in entries.items():
            # The longest first: one-time counting of a process is then done before shorter rows are measured.
            for length, published_s in reversed(REFERENCE_S.get(task, {}).items()):
                say(f"  measuring {entry} at {length}")
                try:
                    seconds, tokens = _row_seconds(built, Table(built.name, entry, length, "test", 10 * (_ROWS + 1)))
                except BuildError as error:
                    say(f"  {entry} {length}: left out ({error.what})")
                    continue
                ratio = None if scale is None else published_s * scale / seconds
                yield {"task": task, "entry": entry, "length": length, "row_s": seconds, "tokens": tokens,
                       "reference_s": published_s, "ratio": ratio}  # fmt: skip


def _row_seconds(built: ReleaseSuite, table: Table) -> tuple[float, int]:
    """Return the median seconds of a row (after a warm-up row, each from another group), and its tokens."""
    times: list[float] = []
    sample: Sample | None = None
    for row in range(_ROWS + 1):
        begin = time.perf_counter()
        sample = next(built.build(table, row * 10, row * 10 + 1))
        times.append(time.perf_counter() - begin)
    assert sample is not None
    return statistics.median(times[1:]), sample.prompt_tokens


def _sums(rows: list[dict[str, Any]], scale: float | None) -> Iterator[dict[str, Any]]:
    """Yield the sums over the tasks of SUM, for each length with all of them."""
    for length in ("128k", "1M"):
        found = {row["task"]: row for row in rows if row["length"] == length}
        if scale is not None and set(SUM) <= found.keys():
            ours, then = (sum(found[task][key] for task in SUM) for key in ("row_s", "reference_s"))
            yield {"length": length, "row_s": ours, "reference_s": then, "ratio": then * scale / ours}


def _print(report: dict[str, Any]) -> None:
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    for name in ("task", "length", "ms a row", "tokens", "published, ms", "times quicker"):
        grid.add_column(name, justify="left" if name in ("task", "length") else "right")
    scale = report["scale"]
    sums = [{**row, "entry": " + ".join(SUM), "tokens": None} for row in report["sums"]]
    for row in [*report["rows"], *sums]:
        then = "" if scale is None else f"{row['reference_s'] * scale * 1e3:,.0f}"
        tokens = "" if row["tokens"] is None else f"{row['tokens']:,}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:,.0f} x"
        grid.add_row(row["entry"], row["length"], f"{row['row_s'] * 1e3:,.1f}", tokens, then, ratio)
    out.print(grid)
    if scale is None:
        out.print("no ratios: the yardstick needs the GPT-2 files of HAYMAKER_MIRROR")
    else:
        out.print(f"published: as measured once, times {scale:.2f} (the same naive work now over then)")
