"""Equivalent forms of answers: every form that once scored stays equal to a listed one, and near misses stay apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from haymaker.core.text.equivalents import accepted, equivalents, origins, with_equivalents
from haymaker.scoring.reader import canonical

PAIRS = json.loads(Path(__file__).with_name("equivalents.json").read_text())


def same(gold: str, output: str) -> bool:
    """Whether an output is an accepted answer or one of its equivalent forms."""
    return canonical(output) in map(canonical, [gold, *equivalents(gold)])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['gold']} | {pair['output']}")
def test_pair(pair: dict[str, str]) -> None:
    assert same(pair["gold"], pair["output"]) == pair["same"]


def test_forms_are_few_different_and_more_than_a_number_and_forms_of_forms_are_known() -> None:
    """A compressed row copies the answers of another row."""
    for gold in {pair["gold"] for pair in PAIRS}:
        forms = equivalents(gold)
        assert len(forms) <= 12, gold
        tokens = [canonical(form) for form in (gold, *forms)]
        assert len(set(tokens)) == len(tokens) or set("$\\") & set(gold)
        assert not any(re.fullmatch(r"[\d.,]*|[a-z]", form) for form in forms), gold
        found = with_equivalents([gold])
        assert with_equivalents(found)[: len(found)] == found


def test_forms_follow_the_given_answers_without_repetitions() -> None:
    assert with_equivalents(["4 May 1990", "Star Wars Day", "May 4, 1990"])[:4] == [
        "4 May 1990", "Star Wars Day", "May 4, 1990", "4 of May 1990",
    ]  # fmt: skip
    found = with_equivalents(["100 metres", "100 m", "100"])
    assert found == ["100 metres", "100 m", "100", "100 meters", "100m", "100 meter", "100 metre"]
    assert with_equivalents(found) == found


@pytest.mark.parametrize(
    ("metrics", "answer", "listed"),
    [
        (["subem@strict", "subem@official"], "4 June 1990", 6),
        (["babilong@strict"], "gray", 2),
        (["qampari_f1@strict"], "4 June 1990", 6),
        (["kv@strict", "subem@strict"], "4 May 1990", 1),
        (["ruler_f1@strict"], "gray", 1),
        (["mc@strict"], "gray", 1),
        (["f1@strict"], "On that cold and very early morning of 4 May 1990 they left for Ulm", 1),
    ],
)
def test_rows_list_forms_of_short_answers_if_the_primary_metric_compares_free_text(
    metrics: list[str], answer: str, listed: int
) -> None:
    assert len(accepted([answer], metrics)) == listed


def test_the_given_answers_are_found_again_in_rows_with_and_without_forms() -> None:
    metrics, date = ["subem@strict"], ["7 September 1927", "September 7, 1927"]
    assert next(origins(accepted(["1966-1967", "two years"], metrics), metrics)) == ["1966-1967", "two years"]
    assert date in list(origins(accepted(date, metrics), metrics))
    assert next(origins(date, metrics)) == date  # of an earlier release, whose rows list no forms
