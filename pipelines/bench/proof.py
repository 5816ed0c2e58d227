"""haymaker bench proof: what `validate` does to rows, beside one pass of their tokenizers over the same prompts.

Each task is measured in a process of its own, by the processor time of one thread; the rows are the first of its files, in order, as
`validate` takes them, every one counted anew. The pass is the quickest way known here to tokenise them exactly: tiktoken, a text at a
time (docs/reference/speed.md); the right output, which metrics read, is part of it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row, Table
from generators.suite import ReleaseSuite
from haymaker.buckets import bucket_tokens
from haymaker.errors import ReleaseError
from haymaker.files import write_json
from pipelines.bench.yardsticks import in_new_process
from pipelines.checks import Findings, RowChecks, uncollected
from pipelines.parquet import logical_digest, read_row_groups
from pipelines.progress import out, say
from pipelines.project import Project
from pipelines.shortcuts.tables import of_table, telling, tokens
from pipelines.workers import payload, suite_of

STEPS = ("recount", "spans", "leaks", "oracle", "metric", "reading", "rest")
_TOKENS = 1_000_000  # of the rows that are measured of a task and a group of lengths
_ROWS = 200  # of these at most


def run(project: Project, bucket: str | None, json_file: Path | None) -> dict[str, Any]:
    """Measure, print a table, write data/work/bench-proof.json.

    Args:
        project: whose release is built.
        bucket: the only length that is measured; None: all.
        json_file: gets the figures too.

    Raises:
        ReleaseError: nothing of the release is here, or a row fails.
    """
    rows: list[dict[str, Any]] = []
    for built in project.built_suites():
        tables = [t for t in built.tables() if bucket in (None, t.bucket) and list(_files(project.release, t))]
        for task in dict.fromkeys(table.task for table in tables):
            say(f"  measuring {built.name}/{task}")
            own = [astuple(table) for table in tables if table.task == task]
            rows += in_new_process(measure, payload(project, tables=own, release=str(project.release)))
    if not rows:
        raise ReleaseError("no rows here", where=project.name_of(project.release), fix="haymaker run")
    report = {
        "release": project.params.release.name,
        "tokenizers": [t.name for t in project.inputs.tokenizers],
        "rows": rows,
    }
    write_json(project.work / "bench-proof.json", report)
    if json_file:
        write_json(json_file, report)
    _print(report)
    return report


def group_of(bucket: str) -> str:
    """The group of lengths that a bucket is measured in."""
    count = bucket_tokens(bucket)
    if count is None:
        return "natural"
    return "to 64k" if count <= 1 << 16 else "128k" if count <= 1 << 17 else "beyond"


def measure(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """All tables of a task, in this process.

    Args:
        sent: a payload with `tables` and `release`, the folder of the finished one.

    Returns:
        per group of lengths `task`, `group`, `rows`, `tokens`, `s_per_M` (seconds of proof per million tokens), `pass_s_per_M`, `ratio`
        and `share` (step -> share of the proof); `shortcuts` is a group of its own.
    """
    tables = [Table(*each) for each in sent["tables"]]
    suite, found = suite_of(sent, tables[0].suite), []
    name = f"{suite.name}/{tables[0].task}"
    for group in dict.fromkeys(group_of(table.bucket) for table in tables):
        own = [table for table in tables if group_of(table.bucket) == group]
        found.append({"task": name, "group": group} | _proof(suite, own, Path(sent["release"])))
    measured = telling(tables)
    if measured:
        begin = time.process_time()
        for table in measured:
            of_table(sent | {"table": astuple(table), "rows": Path(sent["release"]) / "data"}, Path())
        count, a_pass = sum(map(tokens, measured)), found[-1]["pass_s_per_M"]
        seconds = (time.process_time() - begin) / count * 1e6
        found.append({"task": name, "group": "shortcuts", "rows": 0, "tokens": round(count), "s_per_M": seconds,
                      "pass_s_per_M": a_pass, "ratio": seconds / a_pass, "share": {}})  # fmt: skip
    return found


def _proof(suite: ReleaseSuite, tables: list[Table], release: Path) -> dict[str, Any]:
    """Figures of one group of lengths.

    Raises:
        ReleaseError: a row fails.
    """
    checks, findings, texts, count = _Timed(suite, suite.inputs.tokenizers), Findings(), list[str](), 0
    _warm(suite, release, tables[0])
    begin = time.process_time()
    with uncollected():
        for table in tables:
            for index, row in enumerate(_rows(release, table, _TOKENS / len(tables), checks.seconds)):
                checks.look(row, index, findings)
                checks.remember(row, findings)
                texts.append(_text(suite, row))
    total = time.process_time() - begin
    if findings.failures:
        raise ReleaseError(findings.failures[0], where=str(release), fix="haymaker validate")
    a_pass, count = _pass(suite.inputs.tokenizers, texts)
    share = {step: checks.seconds[step] / total for step in STEPS}
    share["rest"] = 1 - sum(share.values())
    return {"rows": len(texts), "tokens": count, "s_per_M": total / count * 1e6, "pass_s_per_M": a_pass / count * 1e6,
            "ratio": total / a_pass, "share": share}  # fmt: skip


def _warm(suite: ReleaseSuite, release: Path, table: Table) -> None:
    """Prove a row without counting it, so that what a process reads once (inputs, word lists) is no part of the figures."""
    checks, row = RowChecks(suite, [], lambda row, index: False), next(_rows(release, table, 1, defaultdict(float)))
    checks.look(row, 0, Findings())
    checks.remember(row, Findings())


def _text(suite: ReleaseSuite, row: Row) -> str:
    """What a proof reads of a row: its prompt, and the right output, which is long where it is half of the bucket or all of it."""
    return f"{row['prompt']}{suite.task(row['task']).right_output(row)}"


def _files(release: Path, table: Table) -> Iterator[Path]:
    place = release / "data" / table.suite / table.task / table.bucket
    return iter(sorted(place.glob(f"{table.part}-*.parquet")))


def _rows(release: Path, table: Table, most: float, seconds: dict[str, float]) -> Iterator[Row]:
    """The first rows of a table's first file, up to so many tokens; reading them costs their share of what their row group does."""
    path, left = next(_files(release, table)), most
    for group in read_row_groups(path):
        begin = time.process_time()
        count = max(1, min(len(group), _ROWS, int(left // (table.typical_tokens or 1))))
        rows = group.slice(0, count).to_pylist()
        logical_digest(rows)
        seconds["reading"] += time.process_time() - begin
        yield from rows
        left -= sum(row["prompt_tokens"] for row in rows)
        if left <= 0 or count < len(group):
            return


def _pass(tokenizers: list[Tokenizer], texts: list[str]) -> tuple[float, int]:
    """Seconds in which all tokenizers read all texts, the quicker of two times; tokens of the first one."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        counts = [sum(map(tokenizer.count, texts)) for tokenizer in tokenizers]
        times.append(time.process_time() - begin)
    return min(times), counts[0]


class _Timed(RowChecks):
    """Row checks that keep the seconds of each step."""

    def __init__(self, suite: ReleaseSuite, tokenizers: list[Tokenizer]) -> None:
        super().__init__(suite, tokenizers, lambda row, index: True)
        self.seconds = defaultdict[str, float](float)

    def _timed(self, step: str, problems: Iterator[str]) -> Iterator[str]:
        begin = time.process_time()
        found = list(problems)
        self.seconds[step] += time.process_time() - begin
        return iter(found)

    def _counts(self, row: Row, index: int) -> Iterator[str]:
        return self._timed("recount", super()._counts(row, index))

    def _verbatim(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        return self._timed("spans", super()._verbatim(row, index, findings))

    def _clean(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        return self._timed("leaks", super()._clean(row, index, findings))

    def _oracle(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        return self._timed("oracle", super()._oracle(row, index, findings))

    def _strict(self, row: Row, index: int, findings: Findings) -> Iterator[str]:
        return self._timed("metric", super()._strict(row, index, findings))


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
        f"one pass: all tokenizers of the release ({', '.join(report['tokenizers'])}) over the same texts, one thread; ratio: proof over it"
    )
    out.print("processor time of one process; shortcuts: per million tokens of the rows that they look at")
