"""Rows: spans as columns or one by one, an order in which kinds take turns, columns that a row lacks."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import haymaker
from haymaker.core.errors import ReleaseError
from haymaker.core.rows.interleave import round_robin, round_robin_relations
from haymaker.core.rows.schema import Sample, Span, Spans, arrow_schema, to_table
from tests.errors import refused


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


def test_kinds_take_turns_while_they_last() -> None:
    given = "a1 a2 a3 b1 c1 b2".split()
    assert round_robin(given, lambda item: item[0]) == "a1 b1 c1 a2 b2 a3".split()
    assert round_robin([3, 1, 2], lambda item: "") == [3, 1, 2]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_nothing_is_lost_and_each_kind_keeps_its_order(items: list[tuple[str, int]]) -> None:
    found = round_robin(items, lambda item: item[0])
    assert Counter(found) == Counter(items)
    for kind in "abc":
        assert [item for item in found if item[0] == kind] == [item for item in items if item[0] == kind]


def test_no_answer_fills_the_first_places_of_a_relation() -> None:
    """A diplomat and politician is counted as the politician that most are."""
    jobs = ["politician", "politician", "diplomat|politician", "monk", "politician", "poet"]
    items = [("job", each) for each in jobs] + [("town", "Ghent"), ("town", "Ghent"), ("town", "Lyon")]
    found = round_robin_relations(items, lambda item: item[0], lambda item: item[1].split("|"))
    assert [answer for kind, answer in found if kind == "job"] == [
        "politician", "monk", "poet", "politician", "diplomat|politician", "politician",
    ]  # fmt: skip
    assert [answer for kind, answer in found if kind == "town"] == ["Ghent", "Lyon", "Ghent"]
    assert [kind for kind, _ in found[:4]] == ["job", "town", "job", "town"]
    plain = [("", answer) for answer in ("no", "no", "yes")]
    assert round_robin_relations(plain, lambda item: item[0], lambda item: [item[1]]) == plain


_ADVICE = ("_full", "columns=[...]")


def test_messages_name_the_columns_that_a_row_lacks() -> None:
    with refused(ReleaseError, "", "answer_prefix_start", fix=_ADVICE):
        haymaker.messages({"prompt": "Where? Answer:", "messages": None})
    assert haymaker.messages({"prompt": "Where? Answer:", "answer_prefix_start": 7})[0]["content"] == "Where? "


def test_score_row_names_the_columns_that_a_row_lacks() -> None:
    for row, prompting, lacking in (
        ({"metrics": ["babilong@strict"]}, "chat", ["suite"]),
        ({"suite": "babilong", "metrics": []}, "base", ["prompt", "answer_prefix_start"]),
        ({"suite": "babilong", "metrics": ["babilong@strict"]}, "chat", ["answers"]),
    ):
        with refused(ReleaseError, "", *lacking, fix=_ADVICE):
            haymaker.score_row(row, "x", prompting=prompting)
