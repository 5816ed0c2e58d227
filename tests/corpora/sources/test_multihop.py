"""Multi-hop questions of MuSiQue: a record of its layout, and the forms of its answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpora.sources.musique import MusiqueMirror
from haymaker.core.rows.source_records import Question

pytestmark = pytest.mark.usefixtures("as_published")


def musique(**change: object) -> dict[str, Any]:
    long = " ".join(["Ada was here."] + ["x"] * 97 + ["Ada founded it in Paris."] + ["y"] * 60)
    hops = [("it >> founded by", "Ada", 1), ("#1 >> born", "Rome", 0)]
    names = ("question", "answer", "paragraph_support_idx")
    texts = [("Ada", "Ada  was born in Rome."), ("It", long)]
    return {
        "id": "2hop__1_2",
        "question": "Where was the founder of it born?",
        "answer": "Rome",
        "answer_aliases": ["Roma", "rome"],
        "question_decomposition": [dict(zip(names, hop, strict=True)) for hop in hops],
        "paragraphs": [{"title": title, "paragraph_text": text, "is_supporting": True} for title, text in texts],
        **change,
    }


def questions(folder, record: dict[str, Any]) -> list[Question]:
    (folder / "musique_train_100.json").write_text(json.dumps([record]))
    return MusiqueMirror(splits={"test": 1}).questions(folder, "musique", "test")


def test_an_answer_with_a_torn_hyphen_is_accepted_joined_too(tmp_path):
    (found,) = questions(tmp_path, musique(answer="his then - girlfriend", answer_aliases=["B - 29", "a - "]))
    assert found.answers == ("his then - girlfriend", "B - 29", "a -", "his then-girlfriend", "B-29")
