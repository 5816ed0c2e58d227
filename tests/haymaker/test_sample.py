"""Spans as columns give the same table as spans one by one, in any mixture."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.rows.schema import Sample, Span, Spans, arrow_schema, to_table


def sample(spans: list[Span | Spans]) -> Sample:
    return Sample(
        id="a", group_id="g", suite="s", task="t", task_version=1, category="c", language="en", split="test", length="4k",
        prompt=b"text", context_start=0, context_end=4, answer_prefix_start=4, question="q", prompt_tokens=1, reserved_output_tokens=1,
        reserved_template_tokens=0, answers=["x"], metrics=[], max_new_tokens=1, seed=0, spans=spans,
    )  # fmt: skip


def shots(numbers: list[int]) -> Spans:
    starts = np.array(numbers, dtype=np.int64)
    return Spans("shot", starts, starts + 1, starts * 2, [f"r{n}" for n in numbers], [f"l{n}" for n in numbers])  # type: ignore[arg-type]


def one_by_one(numbers: list[int]) -> list[Span | Spans]:
    return [Span(n, n + 1, "shot", f"r{n}", 2 * n, label=f"l{n}") for n in numbers]


@given(
    st.lists(st.lists(st.one_of(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4)), max_size=4), max_size=4)
)
def test_columns_and_single_spans_give_one_table(rows: list[list[int | list[int]]]) -> None:
    mixed = [sample([shots(p) if isinstance(p, list) else one_by_one([p])[0] for p in row]) for row in rows]
    plain = [sample([s for p in row for s in one_by_one(p if isinstance(p, list) else [p])]) for row in rows]
    assert to_table(mixed).equals(to_table(plain))
    assert to_table(mixed).schema == arrow_schema()
