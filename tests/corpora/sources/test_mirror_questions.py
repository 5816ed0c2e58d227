"""Question sets of the mirror: how many there are, and that every piece of evidence is a passage of the slice."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.kilt_tasks import NqMirror, TriviaQaMirror, pieces_with_answer
from corpora.sources.multihop import HotpotQaMirror
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question
from haymaker.core.text.strings import filter_aliases, holds, padded, text_hash
from tests.errors import refused

pytestmark = pytest.mark.usefixtures("as_published")


@pytest.fixture(scope="module")
def slice_of(held):
    """Title and text of every passage of the slice, and their hashes."""
    source, raw = held("wikipedia_mirror")
    found = [p for batch in source.batches(raw) for p in source.passages(raw, batch)]
    return {(p.title, p.text) for p in found}, {text_hash(p.text) for p in found}


def loaded(kind: str, name: str, real, tmp_path: Path, **options: object) -> dict[str, list[Question]]:
    source = create("q", kind, options, where="w")
    source.fetch(tmp_path / "raw", real)
    assert source.verify(tmp_path / "raw", real) == []
    assert source.questions(tmp_path / "raw", name, "dev") == []
    return {split: source.questions(tmp_path / "raw", name, split) for split in ("test", "train")}


def check_in_slice(questions: list[Question], slice_of) -> None:
    exact, hashes = slice_of
    for question in questions:
        for evidence in question.evidence:
            assert (evidence.title, evidence.text) in exact and text_hash(evidence.text) in hashes


def pieces(questions: list[Question]) -> Counter[int]:
    return Counter(len(question.evidence) for question in questions)


@pytest.mark.real
def test_nq(real, tmp_path, slice_of):
    found = loaded("nq_mirror", "nq", real, tmp_path)
    assert {split: len(questions) for split, questions in found.items()} == {"test": 2_365, "train": 290}
    both = found["test"] + found["train"]
    assert pieces(both) == {1: 2_627, 2: 21, 3: 7}
    check_in_slice(both, slice_of)
    silent = [q for q in both if not any(holds(padded(e.text), filter_aliases(q.answers)) for e in q.evidence)]
    assert [q.answers for q in silent] == SILENT
    assert both[0].text == "who got the first nobel prize in physics" and both[0].question_id == "00001"


# Answers of one character, which no passage can be searched for.
SILENT = [(answer,) for answer in ("0", "3", "2%", "#4", "2", "3", "S", "7", "5%", "7", "6")]


@pytest.mark.real
def test_triviaqa_has_answers_and_no_provenance(real, tmp_path):
    found = loaded("triviaqa_mirror", "triviaqa", real, tmp_path)
    assert {split: len(questions) for split, questions in found.items()} == {"test": 7_978, "train": 859}
    assert all(q.answers and not q.evidence and q.kind == "trivia" for qs in found.values() for q in qs)
    assert found["test"][0].answers[0] == "Helicopters"  # the file's first is a picture of one
    boxing = next(q for q in found["test"] + found["train"] if q.text.startswith("Ezzard Charles"))
    assert "Gentleman's sport" in boxing.answers and "Prize fight" in boxing.answers


@pytest.mark.real
def test_hotpotqa(real, tmp_path, slice_of):
    found = loaded("hotpotqa_mirror", "hotpotqa", real, tmp_path)
    assert {split: Counter(q.kind for q in questions) for split, questions in found.items()} == {
        "test": {"bridge": 79, "comparison": 21},
        "train": {"bridge": 78, "comparison": 22},
    }
    both = found["test"] + found["train"]
    assert pieces(both) == {2: 199, 3: 1}
    assert all(len({e.title for e in q.evidence}) == 2 for q in both)
    assert Counter(len({e.title for e in (*q.evidence, *q.shown)}) for q in both) == {10: 198, 2: 1, 4: 1}
    assert not any(set(q.evidence) & set(q.shown) for q in both)
    check_in_slice(both, slice_of)
    assert not {q.text for q in found["test"]} & {q.text for q in found["train"]}


@pytest.mark.real
@pytest.mark.parametrize(("below", "count"), [(1000, (697, 75)), (None, (907, 93))])
def test_popqa(real, tmp_path, slice_of, below, count):
    found = loaded("popqa_mirror", "popqa", real, tmp_path, popularity_below=below)
    both = found["test"] + found["train"]
    assert (len(found["test"]), len(found["train"])) == count and all(q.evidence for q in both)
    check_in_slice(both, slice_of)
    assert all(e.title == q.subject for q in both for e in q.evidence)
    if below:
        assert max(q.popularity for q in both) < 1000
        assert {q.relation for q in both} == {"place of birth", "occupation"}


def test_pieces_with_answer():
    text = " ".join(["Ada"] + ["x"] * 120 + ["New York"] + ["y"] * 60 + ["Ada"])
    assert [len(piece.split()) for piece in pieces_with_answer(text, ("ada",))] == [100, 84]
    assert [piece[:3] for piece in pieces_with_answer(text, ("New York",))] == ["x x"]
    assert len(pieces_with_answer(text, ("nowhere",))) == 2
    assert pieces_with_answer("a  b", ("7",)) == ["a b"]


def test_nq_takes_gold_alone_and_folds_titles(tmp_path):
    ctxs = [("No", "Ada too", False), ("Ada_Lovelace", "Here  Ada is", True)]
    passages = [{"title": title, "text": text, "isgold": gold} for title, text, gold in ctxs]
    record = {"question": "who?", "answers": ["Ada"], "ctxs": passages}
    (tmp_path / "nq-open-oracle.jsonl").write_text(json.dumps(record) + "\n")
    evidence = (Evidence(title="Ada Lovelace", text="Here Ada is"),)
    assert NqMirror(splits={"test": 1}).questions(tmp_path, "nq", "test") == [
        Question("00001", "test", "who?", "single", answers=("Ada",), evidence=evidence)
    ]


def test_a_damaged_line_of_triviaqa(tmp_path):
    for line, value in (
        ("one", 1),
        ("one\t__import__('os')", "answers"),
        ("one\t('a',)", "'answers'"),
        ("one\t[]", "answer"),
    ):
        (tmp_path / "topics.dpr.trivia.dev.txt").write_text(f"fine\t['a']\n{line}\n")
        with refused(SourceError, "topics.dpr.trivia.dev.txt:2", value):
            TriviaQaMirror().questions(tmp_path, "triviaqa", "test")


@cache
def hotpot() -> dict:
    long = [f"{name} " + " ".join(f"{name}{i}" for i in range(59)) + "." for name in "abc"]  # 3 sentences of 60 words
    return {
        "question": "Same?",
        "answer": "yes",
        "type": "comparison",
        "supporting_facts": [["Long", 1], ["Short", 0], ["Long", 1]],
        "context": [["Short", ["One.", " Two."]], ["Long", [long[0], " " + long[1], " " + long[2]]]],
    }


def hotpot_evidence(tmp_path: Path, **change: object) -> list[tuple[str, str]]:
    (tmp_path / "hotpotqa_train_100.json").write_text(json.dumps([hotpot() | change]))
    (question,) = HotpotQaMirror().questions(tmp_path, "hotpotqa", "train")
    return [(evidence.title, evidence.text[:3]) for evidence in question.evidence]


def test_hotpotqa_takes_the_pieces_that_hold_a_supporting_sentence(tmp_path):
    both = [("Long", "a a"), ("Long", "b39"), ("Short", "One")]
    assert hotpot_evidence(tmp_path) == both
    assert hotpot_evidence(tmp_path, supporting_facts=[["Long", 0]]) == both[:1]
    assert hotpot_evidence(tmp_path, supporting_facts=[["Long", 2]]) == both[1:2]
    columns = {"title": ["Short", "Long"], "sentences": [["One."], hotpot()["context"][1][1]]}
    facts = {"title": ["Long", "Short"], "sent_id": [1, 0]}
    assert hotpot_evidence(tmp_path, context=columns, supporting_facts=facts) == both


def test_hotpotqa_shows_every_other_piece_in_the_order_of_the_record(tmp_path):
    context = [["Aa &amp; b", ["Aa is."]], *hotpot()["context"], ["Zed", ["Z", "."]]]
    (tmp_path / "hotpotqa_train_100.json").write_text(json.dumps([hotpot() | {"context": context}]))
    (question,) = HotpotQaMirror().questions(tmp_path, "hotpotqa", "train")
    assert [(each.title, each.text) for each in question.shown] == [("Aa & b", "Aa is."), ("Zed", "Z.")]
    only = hotpot() | {"supporting_facts": [["Long", 0]]}
    (tmp_path / "hotpotqa_train_100.json").write_text(json.dumps([only]))
    (question,) = HotpotQaMirror().questions(tmp_path, "hotpotqa", "train")
    assert [(each.title, each.text[:3]) for each in question.shown] == [("Short", "One"), ("Long", "b39")]


def test_a_damaged_record_of_hotpotqa(tmp_path):
    for fact in (["Long", 3], ["Other", 0]):
        with refused(SourceError, "hotpotqa_train_100.json: record 1", fact[1], repr(fact[0])):
            hotpot_evidence(tmp_path, supporting_facts=[fact])
