"""What tests of tasks share: a suite over a folder of prepared inputs, its rows as readers have them, and what `validate` finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from corpora.tokenizers.tokenizer import load
from generators.inputs import Inputs
from generators.spec import Table, TaskSpec
from generators.suite import ReleaseSuite, Suite
from generators.task import Task
from haymaker.core.errors import HaymakerError
from haymaker.core.params import Params
from haymaker.core.rows.schema import Sample, to_table
from pipelines.checks.row_checks import Findings, RowChecks, across
from tests.pipelines import tiny

Row = dict[str, Any]
Rows = dict[tuple[str, str, str], list[Row]]
"""Rows by task, length and split."""
Built = dict[Table, list[Row]]
Injury = Callable[[Row], object]


BLOCKS = (
    "parquet", "validation", "sources", "corpora", "passages", "indexes", "retrieval_sets", "classification_sets", "documents",
)  # fmt: skip
RELEASE: Row = {
    "name": "tiny", "version": "0.1.0", "title": "Tiny", "seed": 7, "edition": "simulated", "language": "en",
    "reserved_template_tokens": 64, "reserved_output_tokens": None,
}  # fmt: skip


def params(suites: dict[str, Any], tokenizers: Sequence[str], **blocks: Any) -> Params:
    """Parameters of a release whose other blocks are empty.

    Args:
        suites: entries of the parameters by suite.
        tokenizers: release tokenizer first.
        blocks: blocks that are not empty, or another `release`.
    """
    tokenizer = {"release": tokenizers[0], "also": list(tokenizers[1:])}
    given = {"release": RELEASE, "tokenizer": tokenizer, "suites": suites, **blocks}
    return Params.model_validate(dict[str, Any].fromkeys(BLOCKS, {}) | given)


def suite(
    specs: Sequence[TaskSpec], folder: Path, tasks: dict[str, Any], tokenizers: Sequence[str], *, name: str = "helmet",
    mined: dict[str, Any] | None = None, seed: int = tiny.PARAMS["release"]["seed"], **options: Any,
) -> ReleaseSuite:  # fmt: skip
    """A suite with some of its tasks over prepared inputs under `folder`.

    Args:
        specs: tasks that it knows.
        folder: data folder.
        tasks: entries of the parameters.
        tokenizers: release tokenizer first.
        name: of the suite.
        mined: how sets are mined, where that matters.
        seed: of the release.
        options: other keys of the suite, e.g. lengths.
    """
    blocks = {key: tiny.PARAMS[key] for key in ("parquet", "validation", "sources", "corpora")}
    release = tiny.PARAMS["release"] | {"seed": seed}
    entry = {name: {"tasks": tasks, **options}}
    built = params(entry, tokenizers, release=release, retrieval_sets=mined or {}, **blocks)
    return ReleaseSuite(Suite(name, "", "", tuple(specs)), built.suites[name], Inputs(built, folder))


def finished(samples: Iterable[Sample]) -> list[Row]:
    """Rows as a reader of the file has them."""
    return to_table(list(samples)).to_pylist()  # type: ignore[no-any-return]


def rows_of(suite: ReleaseSuite, *tables: Table) -> list[Row]:
    """All rows of some tables, or of every table."""
    return [row for each in tables or suite.tables() for row in finished(suite.build(each, 0, each.rows))]


def by_table(suite: ReleaseSuite) -> Built:
    """All rows of a suite."""
    return {table: rows_of(suite, table) for table in suite.tables()}


def by_place(suite: ReleaseSuite) -> Rows:
    """All rows of a suite."""
    return {(table.task, table.length, table.split): rows for table, rows in by_table(suite).items()}


def task_rows(built: Built, task: str, *lengths: str) -> list[Row]:
    """Rows of a task at some lengths, or at every length."""
    return [row for t, rows in built.items() if t.task == task and t.length in (lengths or (t.length,)) for row in rows]


class AnyLength(Table):
    """A table of any number of tokens, e.g. "5000 tokens"."""

    @property
    def tokens(self) -> int:
        return int(self.length.split()[0])


def context(row: Row) -> str:
    """The part of a prompt that depends on its length."""
    return str(row["prompt"][row["context_start"] : row["context_end"]])


def metadata(row: Row) -> dict[str, Any]:
    """The notes of a row."""
    return json.loads(row["metadata"])  # type: ignore[no-any-return]


def note(row: Row, **values: Any) -> None:
    """Change the notes of a row."""
    row["metadata"] = json.dumps(metadata(row) | values)


def spans(row: Row, *kinds: str) -> list[Row]:
    """Spans of some kinds."""
    return [span for span in row["spans"] if span["kind"] in kinds]


def said(row: Row, *kinds: str) -> list[str]:
    """The text of spans of some kinds."""
    return [row["prompt"][span["start"] : span["end"]] for span in spans(row, *kinds)]


def counted(row: Row, tokenizers: Sequence[str]) -> None:
    """Expect the counts of a row to be those of its prompt: tokens, words and characters."""
    prompt, counts = row["prompt"], {each["tokenizer"]: each["tokens"] for each in row["token_counts"]}
    first, *others = [load(name) for name in tokenizers]
    assert row["prompt_tokens"] == first.count(prompt)
    expected = {other.fingerprint: other.count(prompt) for other in others}
    assert counts == {**expected, "words": len(prompt.split()), "characters": len(prompt)}


def findings_of(suite: ReleaseSuite, rows: Iterable[Row]) -> Findings:
    """What `validate` finds in finished rows, each of them recounted; of sound rows, some say where tokens of spans begin."""
    checks, findings = RowChecks(suite, suite.inputs.tokenizers, lambda row, index: True), Findings()
    found = list(rows)
    for index, row in enumerate(found):
        checks.look(row, index, findings)
        checks.remember(row, findings)
    across(findings)
    for row in [] if findings.failures else found[::9]:
        for span in row["spans"][:: max(1, len(row["spans"]) // 3)]:
            tokens = suite.inputs.tokenizers[0].count(row["prompt"][: span["start"]])
            assert span["token_start"] is None or abs(span["token_start"] - tokens) <= 1, "a token may hang over"
    return findings


def sound(suite: ReleaseSuite, rows: Rows, again: ReleaseSuite | None = None, **checked: int) -> Findings:
    """Expect every row that was requested, and no finding of `validate` in any.

    Args:
        suite: a suite.
        rows: all its rows.
        again: the suite made anew; the last rows of its tables, made first, are the same.
        checked: how many rows each check has looked at, where it is not all.
    """
    assert {(t.task, t.length, t.split): t.rows for t in suite.tables()} == {k: len(v) for k, v in rows.items()}
    every = [row for table in rows.values() for row in table]
    findings = findings_of(suite, every)
    assert findings.failures == []
    expected = dict.fromkeys(("recounted", "VERBATIM", "STRICT"), len(every)) | checked
    assert {check: findings.checked[check] for check in expected} == expected, findings.checked
    for table in reversed(again.tables()) if again else ():
        last = finished(again.build(table, table.rows - 1, table.rows))
        assert last == rows[table.task, table.length, table.split][-1:]
    return findings


def drawn(suite: ReleaseSuite, task: str, turns: int, *lengths: str) -> list[Row]:
    """Rows that are drawn for training: expect them to be sound, of split train, the same again, and others with another seed."""

    def samples(seed: int, *some: int) -> Iterator[Sample]:
        return (suite.draw(task, lengths[turn % len(lengths)], seed, 2 * turn, turn) for turn in some)

    rows = finished(samples(7, *range(turns)))
    failures = [each for each in findings_of(suite, rows).failures if not each.startswith(("UNIQUE", "APART"))]
    assert failures == [] and {row["split"] for row in rows} == {"train"}
    assert [sample.id for sample in samples(7, turns - 1)] == [rows[-1]["id"]]
    assert [sample.id for sample in samples(8, *range(5))] != [row["id"] for row in rows[:5]]
    return rows


def in_order(few: Iterable[object], many: Iterable[object]) -> bool:
    """Whether the longer series holds the shorter one in order."""
    rest = iter(many)
    return all(each in rest for each in few)


def refused(kind: type[HaymakerError], call: Callable[..., object], *given: Any, **named: Any) -> str:
    """Expect an error of a kind, in one line; return the line."""
    with pytest.raises(kind) as caught:
        call(*given, **named)
    line = str(caught.value)
    assert "\n" not in line
    return line


def put(row: Row, at: int, text: str) -> None:
    """Write over the prompt from a place on; its length stays."""
    row["prompt"] = row["prompt"][:at] + text + row["prompt"][at + len(text) :]


def assert_named(task: Task[Any], whole: Row, injure: Injury, message: str) -> None:
    """Expect no problem in a row, and a named one in an injured copy of it."""
    assert not (found := list(task.problems(whole))), found
    row = deepcopy(whole)
    injure(row)
    assert row != whole
    found = list(task.problems(row))
    assert any(message in problem for problem in found), found
