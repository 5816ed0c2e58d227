"""Measure the validation time of the rows of one task, in this process (method: devtools/bench/validation.py)."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from corpora.tokenizers.tokenizer import Tokenizer
from generators.spec import Row, Table
from generators.suite import ReleaseSuite
from haymaker.core.errors import ReleaseError
from haymaker.core.lengths import length_tokens
from haymaker.core.rows.parquet import read_row_groups, rows_by_column
from pipelines.checks.row_checks import Findings, RowChecks, uncollected
from pipelines.checks.row_digest import logical_digest
from pipelines.checks.shortcuts.measure_tables import measured_tables, of_table, tokens
from pipelines.execution.worker_state import suite_of

STEPS = ("recount", "spans", "leaks", "oracle", "metric", "reading", "rest")
_TOKENS = 1_000_000  # measured per task and group of lengths
_ROWS = 200  # maximum number of rows per row group


def group_of(length: str) -> str:
    """Return the group of lengths of a length."""
    count = length_tokens(length)
    if count is None:
        return "natural"
    return "to 64k" if count <= 1 << 16 else "128k" if count <= 1 << 17 else "beyond"


def measure(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """Measure all tables of a task in this process.

    Args:
        sent: payload with `tables` and `release` (folder of the finished release).

    Returns:
        per group of lengths: `task`, `group`, `rows`, `tokens`, `s_per_M` (validation seconds per million tokens),
        `pass_s_per_M`, `ratio` and `share` (step -> share of the time); `shortcuts` is a separate group.
    """
    tables = [Table(*each) for each in sent["tables"]]
    suite, found = suite_of(sent, tables[0].suite), []
    name = f"{suite.name}/{tables[0].task}"
    for group in dict.fromkeys(group_of(table.length) for table in tables):
        own = [table for table in tables if group_of(table.length) == group]
        found.append({"task": name, "group": group} | _verify(suite, own, Path(sent["release"])))
    measured = measured_tables(tables)
    if measured:
        begin = time.process_time()
        for table in measured:
            of_table(sent | {"table": astuple(table), "rows": Path(sent["release"]) / "data"}, Path())
        count, a_pass = sum(map(tokens, measured)), found[-1]["pass_s_per_M"]
        seconds = (time.process_time() - begin) / count * 1e6
        found.append({"task": name, "group": "shortcuts", "rows": 0, "tokens": round(count), "s_per_M": seconds,
                      "pass_s_per_M": a_pass, "ratio": seconds / a_pass, "share": {}})  # fmt: skip
    return found


def _verify(suite: ReleaseSuite, tables: list[Table], release: Path) -> dict[str, Any]:
    """Return the figures of one group of lengths.

    Raises:
        ReleaseError: a row fails.
    """
    checks, findings = _Timed(suite, suite.inputs.tokenizers), Findings()
    checked_s, pass_s, rows, count = 0.0, 0.0, 0, 0
    _warm(suite, release, tables[0])
    with uncollected():
        for table in tables:
            for index, row in enumerate(_rows(release, table, _TOKENS / len(tables), checks.seconds)):
                begin = time.process_time()
                checks.look(row, index, findings)
                checks.remember(row, findings)
                checked_s += time.process_time() - begin
                seconds, tokens = _pass(suite, row)
                pass_s, rows, count = pass_s + seconds, rows + 1, count + tokens
    if findings.failures:
        raise ReleaseError(findings.failures[0], where=str(release), fix="haymaker validate")
    total = checked_s + checks.seconds["reading"]
    share = {step: checks.seconds[step] / total for step in STEPS}
    share["rest"] = 1 - sum(share.values())
    return {"rows": rows, "tokens": count, "s_per_M": total / count * 1e6, "pass_s_per_M": pass_s / count * 1e6,
            "ratio": total / pass_s, "share": share}  # fmt: skip


def _warm(suite: ReleaseSuite, release: Path, table: Table) -> None:
    """Check one row without timing it, so that one-time costs of a process (inputs, word lists) are excluded."""
    checks, row = RowChecks(suite, [], lambda row, index: False), next(_rows(release, table, 1, defaultdict(float)))
    checks.look(row, 0, Findings())
    checks.remember(row, Findings())


def files(release: Path, table: Table) -> Iterator[Path]:
    """Return the finished files of a table, in order."""
    place = release / "data" / table.suite / table.task / table.length
    return iter(sorted(place.glob(f"{table.split}-*.parquet")))


def _rows(release: Path, table: Table, most: float, seconds: dict[str, float]) -> Iterator[Row]:
    """Yield the first rows of a table's first file, up to `most` tokens; add the time to convert them to `seconds`."""
    path, left = next(files(release, table)), most
    for group in read_row_groups(path):
        begin = time.process_time()
        count = max(1, min(len(group), _ROWS, int(left // (table.typical_tokens or 1))))
        rows = rows_by_column(group.slice(0, count))
        logical_digest(rows)
        seconds["reading"] += time.process_time() - begin
        yield from rows
        left -= sum(row["prompt_tokens"] for row in rows)
        if left <= 0 or count < len(group):
            return


def _pass(suite: ReleaseSuite, row: Row) -> tuple[float, int]:
    """Return the seconds that all tokenizers need for prompt and right output of a row, and the first one's tokens.
    The pass directly follows the check of the row, so that other load on the machine slows down both.
    """
    text = f"{row['prompt']}{suite.task(row['task']).spec.right_output(row)}"
    begin = time.process_time()
    counts = [tokenizer.count(text) for tokenizer in suite.inputs.tokenizers]
    return time.process_time() - begin, counts[0]


class _Timed(RowChecks):
    """Row checks that measure the time of each step."""

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
