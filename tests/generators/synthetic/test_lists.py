"""What holds for every list-like task: rows of any length are full, and neither the order of work nor the tokenizer matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.errors import ParamsError
from tests.errors import refused
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
        ("cwe", [("128k", 7), ("4k", 0)]),
        ("fwe", [("128k", 7), ("4k", 0)]),
        ("vt", [("64k", 5), ("4k", 9), ("4k", 0)]),
    ],
)
def test_any_order_of_work_gives_the_same_rows(name: str, wanted: list[tuple[Any, ...]]) -> None:
    one, other = small.task(name), small.task(name)
    rows = {each: row(one, *each) for each in wanted}
    assert {each: row(other, *each) for each in reversed(wanted)} == rows


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        *(("cwe", entry) for entry in ({"common": 5}, {"uncommon": 0}, {"asked": 41}, {"repeats": 3})),
        *(("fwe", entry) for entry in ({"asked": 0}, {"alpha": 1.0}, {"alpha": "steep"}, {"asks": 3})),
        *(("vt", entry) for entry in ({"hops": 0}, {"chains": 13}, {"distractor_similarity": "nearer"}, {"hop": 3})),
    ],
)
def test_settings_are_checked(name: str, entry: dict[str, Any]) -> None:
    with refused(ParamsError, "", f"suites.synthetic.tasks.{name}"):
        small.task(name, **entry)


LLAMA = "file:{}/tokenizers/llama2/tokenizer.model"
BYTES_FIRST = ("o200k", "gpt2", LLAMA, "tekken")
PIECES_FIRST = (LLAMA, "gpt2")


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "entry", "names", "length", "rows"),
    [
        ("json_kv", {"unanswerable": True, "distractors": 3}, BYTES_FIRST, "16k", [(1, point) for point in (0, 5, 6)]),
        ("code_run", {}, BYTES_FIRST, "8k", [(0,), (1,)]),
        ("math_find", {"negative": True}, BYTES_FIRST, "8k", [(0,), (1,)]),
        ("math_calc", {}, BYTES_FIRST, "8k", [(0,), (1,)]),
        ("cwe", {}, BYTES_FIRST, "8k", [(1,)]),
        ("cwe", {}, PIECES_FIRST, "8k", [(1,)]),
        ("fwe", {}, BYTES_FIRST, "8k", [(1,)]),
        ("fwe", {}, PIECES_FIRST, "8k", [(1,)]),
        ("vt", {"chains": 3, "distractor_similarity": "high"}, BYTES_FIRST, "8k", [(1,)]),
        ("vt", {"chains": 3, "distractor_similarity": "high"}, PIECES_FIRST, "8k", [(1,)]),
    ],
)
def test_counts_under_other_tokenizers(
    mirror: Path, name: str, entry: dict[str, Any], names: tuple[str, ...], length: str, rows: list[tuple[int, ...]]
) -> None:
    """Byte BPE and SentencePiece, as release tokenizer and as a further one."""
    names = tuple(each.format(mirror) for each in names)
    task = small.task(name, tokenizers=names, **entry)
    for each in rows:
        prove(task, row(task, length, *each), names)
