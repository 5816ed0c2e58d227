"""The canonical form of a row that its digest is made of is JSON's own, however it is written."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

import pytest

from haymaker.sample import arrow_schema
from pipelines.parquet import logical_digest

SPAN = {"start": 0, "end": 3, "token_start": None, "kind": "gold", "ref": "a", "title": None, "rank": None, "score": None, "label": None}  # fmt: skip


def row_of(**columns: Any) -> dict[str, Any]:
    return dict.fromkeys(arrow_schema().names) | {"prompt": "abc", "spans": []} | columns


def as_json(row: dict[str, Any]) -> str:
    prompt = row["prompt"].encode()
    rest = json.dumps({k: v for k, v in row.items() if k != "prompt"}, sort_keys=True, separators=(",", ":"))
    return blake2b(f"{len(prompt)} {len(rest)}\n".encode() + prompt + rest.encode(), digest_size=16).hexdigest()


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"spans": [SPAN]},
        {"spans": [SPAN, SPAN | {"title": 'said "so"\n\\ é 字 👩 \u2028', "rank": 7, "score": 0.10000000149011612}]},
        {"spans": [SPAN | {"score": value} for value in (1e-7, 1e22, 3.0, float("nan"))]},
        {"spans": [SPAN], "extra": '{"spans":[],"x":1}', "question": ',"spans":[],'},
        {"spans": [], "sources": ['"spans":[],'], "prompt": "é" * 5},
    ],
)
def test_a_row_is_digested_as_json(columns: dict[str, Any]) -> None:
    assert logical_digest([row_of(**columns)]) == as_json(row_of(**columns))


@pytest.mark.parametrize("name", SPAN)
def test_every_key_of_a_span_counts(name: str) -> None:
    assert {field.name for field in arrow_schema().field("spans").type.value_type} == set(SPAN)
    changed = SPAN | {name: 5 if isinstance(SPAN[name], int) or SPAN[name] is None else "other"}
    assert logical_digest([row_of(spans=[SPAN])]) != logical_digest([row_of(spans=[changed])])
