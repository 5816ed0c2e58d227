"""The canonical form of a row that its digest is made of is JSON's own, however it is written."""

from __future__ import annotations

import gc
import json
import weakref
from hashlib import blake2b
from typing import Any

import pyarrow as pa

from haymaker.core.rows.parquet import rows_by_column
from haymaker.core.rows.schema import arrow_schema
from haymaker.core.rows.span_columns import SpanColumns
from pipelines.checks.row_digest import logical_digest

SPAN = {"start": 0, "end": 3, "token_start": None, "kind": "gold", "ref": "a", "title": None, "rank": None, "score": None, "label": None}  # fmt: skip


def row_of(**columns: Any) -> dict[str, Any]:
    return dict.fromkeys(arrow_schema().names) | {"prompt": "abc", "spans": []} | columns


def sorted_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def as_json(row: dict[str, Any]) -> str:
    prompt = row["prompt"].encode()
    told = {k: v for k, v in row.items() if k != "prompt" and (k, v) != ("messages", None)}
    rest = sorted_json(told)
    return blake2b(f"{len(prompt)} {len(rest)}\n".encode() + prompt + rest.encode(), digest_size=16).hexdigest()


def test_a_row_is_digested_as_json() -> None:
    for columns in (
        {},
        {"spans": [SPAN, SPAN | {"title": 'said "so"\n\\ é 字 👩 \u2028', "rank": 7, "score": 0.10000000149011612}]},
        {"spans": [SPAN | {"score": value} for value in (1e-7, 1e22, 3.0, float("nan"))]},
        {"spans": [SPAN], "metadata": '{"spans":[],"x":1}', "question": ',"spans":[],'},
        {"spans": [], "sources": ['"spans":[],'], "prompt": "é" * 5},
        {"messages": [{"role": "user", "content": "hi"}]},
    ):
        assert logical_digest([row_of(**columns)]) == as_json(row_of(**columns))


MANY = [
    SPAN | {"start": n, "end": n + 2, "ref": f"t-{n}", "label": str(n % 7), "rank": n, "score": n / 3, "token_start": n}
    for n in range(500)
]


def test_spans_that_stay_columns_are_digested_as_json() -> None:
    """As what Arrow reads, nulls among spans too."""
    for spans in (
        [],
        [SPAN, *MANY],
        [*MANY, SPAN | {"title": 'said "so"\n\\ é 字 👩 \u2028', "score": float("nan")}],
        [each | {"label": label} for each in MANY for label in ('a "b"', "\x7f", "tab\t", None)],
    ):
        rows = [row_of(spans=[SPAN]), row_of(spans=spans), row_of(spans=MANY)]
        table = pa.Table.from_pylist(rows, schema=arrow_schema())
        as_read = [json.loads(json.dumps(row)) for row in table.to_pylist()]
        for start, end in ((0, 3), (1, 2), (2, 3)):
            for row, plain in zip(rows_by_column(table.slice(start, end - start)), as_read[start:end], strict=True):
                assert logical_digest([row]) == as_json(plain) == logical_digest([plain])
                assert list(map(sorted_json, row["spans"])) == list(map(sorted_json, plain["spans"]))
    rows = [row_of(spans=[SPAN, None]), row_of(spans=None), row_of(spans=MANY)]
    table = pa.Table.from_pylist(rows, schema=arrow_schema())
    assert [row["spans"] for row in rows_by_column(table)] == table["spans"].to_pylist()


def test_columns_of_spans_are_freed_without_the_garbage_collector() -> None:
    gc.disable()
    try:
        columns = SpanColumns.of([{"kind": "gold", "start": 0, "end": 1}])
        freed = weakref.ref(columns)
        assert columns.of_kinds("gold").texts("a") == ["a"]
        del columns
        assert freed() is None
    finally:
        gc.enable()
