"""PopQA: rare subjects alone, two disjoint pools of one split, answers from a JSON list in a cell."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.base import FetchContext, Source
from haymaker.core.rows.source_records import Question
from tests.corpora.sources.test_documents import fetched as fetched_from

pytestmark = pytest.mark.usefixtures("as_published")

HEADER = (
    "id subj prop obj subj_id prop_id obj_id s_aliases o_aliases s_uri o_uri "
    "s_wiki_title o_wiki_title s_pop o_pop question possible_answers"
).split()


def row(number: int, **change: object) -> dict[str, object]:
    base = dict.fromkeys(HEADER, "x") | {
        "id": number,
        "s_pop": 142,
        "question": f"What is the occupation of Number {number}?",
        "possible_answers": json.dumps(["politician", "polit.", "politician", "?"]),
    }
    return base | change


def table(*rows: dict[str, object]) -> dict[str, object]:
    """The publisher's file."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, HEADER, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"test.tsv": out.getvalue()}


def fetched(tmp_path: Path, context: FetchContext, rows: list[dict], **options: object) -> tuple[Source, Path]:
    return fetched_from(tmp_path, context, "popqa", table(*rows), **options)


def test_a_question_and_the_threshold(tmp_path, context):
    rows = [row(7), row(8, s_pop=1000), row(9, s_pop=999)]
    source, raw = fetched(tmp_path, context, rows, splits={"test": 1})
    seven, nine = source.questions(raw, "popqa", "test")
    assert seven == Question(
        "7", "test", "What is the occupation of Number 7?", "longtail", answers=("politician",),  # not "polit.", the same cut short
        popularity=142, subject="x", relation="x",
    )  # fmt: skip
    assert (nine.question_id, nine.popularity) == ("9", 999)
    source = create("p", "popqa", {"popularity_below": None, "splits": {"test": 1}}, where="w")
    assert [q.question_id for q in source.questions(raw, "popqa", "test")] == ["7", "8", "9"]


def test_a_place_is_accepted_by_its_own_name(tmp_path, context):
    birth, berlin = "place of birth", ["East Berlin", "Berlin, Hauptstadt der DDR"]
    cases = [
        (birth, ["Rathmore, County Kerry"], ("Rathmore, County Kerry", "Rathmore")),
        (birth, ["Washington, D.C.", "Washington"], ("Washington, D.C.", "Washington")),
        (birth, berlin, tuple(berlin)),
        ("author", ["Smith, John"], ("Smith, John",)),
    ]
    rows = [row(n, prop=relation, possible_answers=json.dumps(listed)) for n, (relation, listed, _) in enumerate(cases)]
    source, raw = fetched(tmp_path, context, rows, splits={"test": 1})
    assert [q.answers for q in source.questions(raw, "popqa", "test")] == [accepted for *_, accepted in cases]


def test_the_pools_are_disjoint_and_a_question_asked_twice_stays_on_one_side(tmp_path, context):
    rows = [row(i, question=f"Who is {i // 2}?") for i in range(2000)]
    source, raw = fetched(tmp_path, context, rows, splits={"test": 3, "train": 1})
    test, train = ([q.text for q in source.questions(raw, "popqa", split)] for split in ("test", "train"))
    assert not set(test) & set(train) and len(test) + len(train) == 2000 and source.questions(raw, "popqa", "dev") == []
    assert 1400 < len(test) < 1600
