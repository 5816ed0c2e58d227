"""What holds for the metrics of synthetic tasks, labels, choices, key points and judged answers, on any row and any output.

Rows are drawn in every shape that their tasks have; a stored answer is 1.0, an empty output 0.0 under every strict metric.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haymaker.core.rows.model_requests import Replies
from haymaker.scoring.judges.judge import use_replies
from haymaker.scoring.metrics import all_metrics, get
from tests.extras import few
from tests.scoring.test_properties import BEFORE, ELSEWHERE

OWN = ("babilong", "code_line", "longbench", "longgen", "mrcr", "option")  # have test files of their own
METRICS = [m for m in all_metrics().values() if m.id.startswith(ELSEWHERE) and not m.id.startswith(OWN)]
STRICT = [metric for metric in METRICS if metric.id.endswith("@strict")]

SHAPES = {
    "numbers": st.integers(1_000_000, 9_999_999).map(str),
    "uuids": st.uuids(version=4).map(str),
    "variables": st.text("BCDFGHJKLMNPQRSTVWXYZ", min_size=5, max_size=5),
    "compounds": st.from_regex(r"[a-z]{3,8}-[a-z]{3,8}", fullmatch=True),
    "coded words": st.text("bcdfghjklmnpqrstvwxz", min_size=6, max_size=6),
}
VALUES = st.sampled_from(sorted(SHAPES)).flatmap(
    lambda shape: st.lists(SHAPES[shape], min_size=2, max_size=10, unique=True)
)
NAMES = st.from_regex(r"[B-Z][b-z]{3,8}( [B-Z][b-z]{3,8})?", fullmatch=True)
NUMBERS = st.integers(-99_999, 99_999).map(str)
PIECES = [
    "B", "(a)", "A. ", "none", " 12", "-7", ".5", "Answer:", "label:", "</think>", "{", '"fluency": 1}', ",", "\n", "\x00", "é", "²",
]  # fmt: skip
OUTPUTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.none())
PERFECT = {
    "qa": '{"fluency": 1, "correctness": 3}',
    "fluency": '{"fluency": 1}',
    "recall": '{"supported": [1, 2], "recall": 2}',
    "precision": '{"precision": 7, "sentence_count": 7}',
}


class Case(NamedTuple):
    """A row and its stored answer."""

    row: dict[str, Any]
    stored: str


def _values(values: list[str]) -> Case:
    row = {"answers": [", ".join(values)], "answer_groups": [[value] for value in values], "question": "What is it?"}
    return Case(row, row["answers"][0])


def _one(answer: str, **more: Any) -> Case:
    return Case({"answers": [answer], "question": "What is it?", **more}, answer)


def _choice(names: list[str], index: int) -> Case:
    letter = "ABCDEFGH"[index % len(names)]
    return Case({"answers": [letter, f"{letter}. {names[index % len(names)]}"], "choices": names}, letter)


def _points(names: list[str]) -> Case:
    points = [{"text": name, "terms": [["nobody at all", name]]} for name in names]
    return Case({"id": "r", "metadata": json.dumps({"key_points": points}), "answers": []}, ", ".join(names))


def _needles(names: list[str]) -> Case:
    facts = {"string": "aB3", "needles": len(names), "asked": len(names)}
    return Case({"references": names, "metadata": json.dumps(facts)}, f"aB3{names[-1]}")


def _nodes(names: list[str]) -> Case:
    return Case({"answer_groups": [[name] for name in names]}, f"Final Answer: [{', '.join(names)}]")


def _apart(names: list[str]) -> bool:
    return not any(a != b and a.lower() in b.lower() for a in names for b in names)


LISTS = st.lists(NAMES, min_size=2, max_size=8, unique_by=str.lower).filter(_apart)
CASES = {
    "infbench_choice": st.builds(_choice, LISTS, st.integers(0, 7)),
    "ruler": VALUES.map(_values),
    "kv": SHAPES["uuids"].map(_one),
    "infbench": SHAPES["uuids"].map(_one),
    "passkey": st.from_regex(r"[0-9]{5}|[0-9]{10}", fullmatch=True).map(_one),
    "math_find": NUMBERS.map(_one),
    "code_run": NUMBERS.map(_one),
    "math_calc": st.lists(NUMBERS, min_size=1, max_size=30).map(", ".join).map(_one),
    "mc": st.builds(_choice, LISTS, st.integers(0, 7)),
    "label": st.one_of(st.integers(0, 150).map(str), NAMES).map(_one),
    "keypoints": LISTS.map(_points),
    "which_needle": LISTS.map(_needles),
    "graphwalks": LISTS.map(_nodes),
    "judge": st.just(_points(["one", "two"])),
}


def cases(metric: str) -> st.SearchStrategy[Case]:
    """Rows of the task that a metric is for."""
    return next(found for name, found in CASES.items() if metric.startswith(name))


def score(metric: str, output: Any, row: dict[str, Any]) -> float:
    """With a judge who finds everything right."""
    with use_replies(Replies({("r", call): reply for call, reply in PERFECT.items()})):
        return get(metric).function(output, dict.fromkeys(get(metric).columns) | {"id": "r"} | row)


def test_every_metric_is_in_one_property_test() -> None:
    from tests.scoring.test_properties import METRICS as OTHERS

    own = {name for name in all_metrics() if name.startswith(OWN)}
    assert {m.id for m in METRICS} | {m.id for m in OTHERS} | own == set(all_metrics())
    assert {m.id for m in METRICS if m.needs_model} == {m.id for m in METRICS if m.id.startswith("judge")}


@pytest.mark.parametrize("metric", [m.id for m in STRICT])
@few
@given(data=st.data())
def test_a_stored_answer_is_right_and_an_empty_output_wrong(metric: str, data: st.DataObject) -> None:
    case = data.draw(cases(metric))
    for before in BEFORE:
        assert score(metric, before + case.stored, case.row) == pytest.approx(1.0, abs=1e-12)
    assert score(metric, f"<think>\n{case.stored}", case.row) == 0.0
    assert score(metric, f"\n {case.stored} \n", case.row) == pytest.approx(1.0, abs=1e-12)
    assert score(metric, "", case.row) == score(metric, " \n ", case.row) == score(metric, None, case.row) == 0.0


# ---------------------------------------------------------------- values (docs/defects/synthetic.md A5 #10)


@given(values=VALUES, extra=st.integers(1, 9))
def test_listing_further_candidates_costs_precision_and_nothing_else(values: list[str], extra: int) -> None:
    kept, others = values[: max(1, len(values) - extra)], values[max(1, len(values) - extra) :]
    row = _values(kept).row
    output = ", ".join(values)
    assert score("ruler_all@strict", output, row) == score("ruler_all@official", output, row) == 1.0
    precision = len(kept) / len(values)
    assert score("ruler_f1@strict", output, row) == pytest.approx(2 * precision / (1 + precision))
    assert bool(others) == (score("ruler_f1@strict", output, row) < 1)


# ---------------------------------------------------------------- numbers


NUMBER_FORMS = [
    "{}", "The answer is {}.", "{} of 345 numbers", "Of 345 numbers, it is {}", "**{}**", "Answer:\n{}", "x = {}", "It is {}.0",
]  # fmt: skip


@given(number=NUMBERS, words=st.sampled_from(NUMBER_FORMS))
@pytest.mark.parametrize("metric", ["math_find@strict", "code_run@strict"])
def test_a_number_in_any_words(metric: str, number: str, words: str) -> None:
    assert score(metric, words.format(number), _one(number).row) == 1.0
    assert score(metric, words.format(int(number) + 1), _one(number).row) == 0.0
    assert score(metric, words.format(-int(number)), _one(number).row) == float(number == "0")


@given(values=st.lists(NUMBERS, min_size=2, max_size=40), wrong=st.integers(0, 39))
def test_the_score_of_a_calculation_is_where_it_goes_wrong(values: list[str], wrong: int) -> None:
    wrong %= len(values)
    changed = [*values[:wrong], str(int(values[wrong]) + 1), *values[wrong + 1 :]]
    row = _one(", ".join(values)).row
    assert score("math_calc@strict", ", ".join(changed), row) == pytest.approx(wrong / len(values))
    assert score("math_calc@strict", " ".join(values[:wrong]), row) == pytest.approx(wrong / len(values))


# ---------------------------------------------------------------- choices and labels


@given(names=LISTS, output=OUTPUTS)
def test_one_output_is_right_for_one_answer_at_most_so_that_chance_is_one_of_them(
    names: list[str], output: Any
) -> None:
    assert sum(score("mc@strict", output, _choice(names, i).row) for i in range(len(names))) <= 1
    for labels in (names, [str(number) for number in range(20)]):
        assert sum(score("label@strict", output, _one(label).row) for label in labels) <= 1


# ---------------------------------------------------------------- rows without a score


@given(recall=st.integers(0, 9), right=st.integers(0, 9), count=st.integers(0, 9), fluency=st.integers(0, 1))
def test_strict_is_the_clipped_formula_and_official_the_plain_one(
    recall: int, right: int, count: int, fluency: int
) -> None:
    row = {"id": "r", "metadata": json.dumps({"key_points": [{"text": str(i)} for i in range(4)]})}
    replies = {
        "fluency": f'{{"fluency": {fluency}}}',
        "recall": f'{{"recall": {recall}}}',
        "precision": f'{{"precision": {right}, "sentence_count": {count}}}',
    }
    r, p = recall / 4, right / count if count else 0.0
    with use_replies(Replies({("r", call): reply for call, reply in replies.items()})):
        official = get("judge_summary@official").function("A.", row)
        strict = get("judge_summary@strict").function("A.", row)
    assert official == pytest.approx(fluency * 2 * r * p / (r + p) if r + p else 0.0)
    r, p = min(r, 1), min(p, 1)
    assert strict == pytest.approx(fluency * 2 * r * p / (r + p) if r + p else 0.0)
