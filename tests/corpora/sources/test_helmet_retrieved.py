"""HELMET's released retrieval results: questions, gold, lists and grades as the archive has them, each passage once."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.base import FetchContext, Source
from tests.corpora.sources import helmet_archive

POPQA = "kilt/popqa_test_1000_k1000_dep6.jsonl"
NQ = "kilt/nq-dev-multikilt_1000_k1000_dep6.jsonl"


def fetched(tmp_path: Path, context: FetchContext, made: helmet_archive.Lists) -> tuple[Source, Path]:
    url = helmet_archive.write(tmp_path / "there", made)
    source = create("h", "helmet_retrieved", {"url": url}, where="w")
    source.fetch(tmp_path / "raw", context)
    return source, tmp_path / "raw"


@pytest.fixture
def small() -> helmet_archive.Lists:
    return helmet_archive.lists(questions=2, count=8)


def test_what_is_kept_of_the_archive(tmp_path: Path, context: FetchContext, small: helmet_archive.Lists) -> None:
    source, raw = fetched(tmp_path, context, small)
    assert sorted(path.name for path in raw.iterdir()) == [
        "SOURCE.json", "asqa.jsonl", "dl19.jsonl", "hotpotqa.jsonl", "longbook_sum_eng_keypoints.jsonl", "nq.jsonl", "passages.jsonl",
        "popqa.jsonl", "triviaqa.jsonl",
    ]  # fmt: skip
    passages = [p for batch in source.batches(raw) for p in source.passages(raw, batch)]
    assert len({p.passage_id for p in passages}) == len(passages)
    by_id = {p.passage_id: p for p in passages}
    for name, count in (("nq", 2), ("triviaqa", 2), ("hotpotqa", 2)):
        asked = source.questions(raw, name, "test")
        assert len(asked) == count == len(source.questions(raw, name, "train"))
        for question in asked:
            assert len(question.shown) == 9  # the list with its gold, and one that holds the answer
            assert any(question.answers[0] in by_id[each.passage_id].text for each in question.evidence)
    assert [q.kind for q in source.questions(raw, "hotpotqa", "test")] == ["bridge"] * 2
    assert all(len(q.evidence) == 2 for q in source.questions(raw, "hotpotqa", "test"))


def test_popqa_asqa_and_grades(tmp_path: Path, context: FetchContext) -> None:
    source, raw = fetched(tmp_path, context, helmet_archive.lists(questions=6, count=12))
    by_id = {p.passage_id: p for batch in source.batches(raw) for p in source.passages(raw, batch)}
    popular = source.questions(raw, "popqa", "test") + source.questions(raw, "popqa", "train")
    assert len(popular) == 12 and {q.relation for q in popular} == {"place of birth"}
    assert all([by_id[e.passage_id].title for e in q.evidence] == [q.subject] for q in popular)
    judged = source.questions(raw, "dl19", "test") + source.questions(raw, "dl19", "train")
    assert {tuple(sorted(e.grade or 0 for e in q.evidence)) for q in judged} == {(1, 1, 2, 2, 3, 3)}
    assert all(len(q.shown) == 6 for q in judged)
    readings = source.questions(raw, "asqa", "test")[0]
    assert len(readings.answer_groups) == 2
    assert {e.group for e in readings.evidence} == {0, 1}
    assert readings.subject == by_id[readings.evidence[0].passage_id or ""].title


def test_popqa_asks_of_little_known_things_and_knows_titles_with_their_kind(tmp_path: Path, context, small) -> None:
    for row in small[POPQA]:
        row["s_pop"] = 1000 if row["id"] == 0 else 999
        for passage in row["ctxs"]:
            passage["title"] = passage["title"].removesuffix(" (painter)") + " (painter)"
    source, raw = fetched(tmp_path, context, small)
    asked = source.questions(raw, "popqa", "test") + source.questions(raw, "popqa", "train")
    assert [(q.popularity, len(q.evidence)) for q in asked] == [(999, 1)] * 3
    every = create("h", "helmet_retrieved", {"popularity_below": None}, where="w")
    assert len(every.questions(raw, "popqa", "test") + every.questions(raw, "popqa", "train")) == 4


def test_a_question_without_positive_is_not_asked(tmp_path: Path, context, small) -> None:
    for row in small[NQ][:6]:
        row["positive_ctxs"] = []
    source, raw = fetched(tmp_path, context, small)
    assert [len(q.evidence) for q in source.questions(raw, "nq", "test")] == [0, 1]
