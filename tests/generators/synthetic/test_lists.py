"""What holds for every list-like task: rows of any length are full, and neither the order of work nor the tokenizer matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.extras import few
from tests.generators.synthetic import small
from tests.generators.synthetic.proving import prove, row


@pytest.mark.parametrize("name", ["math_find", "math_calc", "kv_retrieval", "code_run"])
@given(group=st.integers(0, 2**40), length=st.sampled_from(["4k", "5k", "6k", "9k", "11k"]))
@few
def test_any_group_fills_any_length(name: str, group: int, length: str) -> None:
    task = small.task(name)
    prove(task, row(task, length, group))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("code_run", [("8k", 1), ("4k", 0), ("4k", 7)]),
        ("json_kv", [("8k", 1, 3), ("4k", 0, 0), ("8k", 1, 0), ("4k", 2, 5)]),
    ],
)
def test_any_order_of_work_gives_the_same_rows(name: str, wanted: list[tuple[Any, ...]]) -> None:
    one, other = small.task(name), small.task(name)
    rows = {each: row(one, *each) for each in wanted}
    assert {each: row(other, *each) for each in reversed(wanted)} == rows


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "entry", "length", "rows"),
    [
        ("json_kv", {"unanswerable": True, "distractors": 3}, "16k", [(1, point) for point in (0, 5, 6)]),
        ("code_run", {}, "8k", [(group,) for group in range(2)]),
        ("math_find", {"negative": True}, "8k", [(group,) for group in range(2)]),
        ("math_calc", {}, "8k", [(group,) for group in range(2)]),
    ],
)
def test_counts_under_other_tokenizers(
    mirror: Path, name: str, entry: dict[str, Any], length: str, rows: list[tuple[int, ...]]
) -> None:
    names = ("o200k", "gpt2", f"file:{mirror}/tokenizers/llama2/tokenizer.model", "tekken")
    task = small.task(name, tokenizers=names, **entry)
    for each in rows:
        prove(task, row(task, length, *each), names)
